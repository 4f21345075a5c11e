/** Requests for explaining a change, unless another number is given. */
export const MAX_REQUESTS = 40;
/** Values of an explanation, unless another number is given. */
export const TOP = 10;
