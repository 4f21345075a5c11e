/** name, file, what stands there (in one place alone), what is put in its place, the tests that should notice. */
export type Mutant = readonly [
  name: string,
  file: string,
  from: string,
  to: string,
  tests: readonly string[],
];

export const MUTANTS: readonly Mutant[];

/** Why a fault can't be put in any more; undefined where it can. */
export function whyNot(mutant: Mutant): string | undefined;
