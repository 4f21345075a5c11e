/** A parser under fuzzing. */
export interface FuzzTarget {
  /** Texts that the format is made of; put into inputs now and then. */
  readonly dictionary: readonly string[];
  /** Feeds one input to the parser. Whatever it throws or rejects with is a finding. */
  run(input: Uint8Array): void | Promise<void>;
}

/** Runs an action; an error of another class than these is thrown on. Returns the expected error, if there was one. */
export function expecting<Thrown extends Error>(
  classes: readonly (abstract new (...args: never[]) => Thrown)[],
  action: () => void,
): Thrown | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    const expected = classes.some(type => error instanceof type);
    if (!expected) throw error;
    return error as Thrown;
  }
}

/** Fails the run with a message. */
export function fail(message: string): never {
  throw new Error(message);
}
