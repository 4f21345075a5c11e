/** `access --exit-code`: the decision is not `allowed`. */
export const NO_ACCESS = 3;
