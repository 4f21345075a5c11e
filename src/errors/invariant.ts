/**
 * Throws an error of gatectl itself, which ends a command with exit code 1, unless something holds that only a bug can break. Call it
 * before what would be wrong is written.
 */
export function invariant(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}
