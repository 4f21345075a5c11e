/** One request and its answer, written out literally. The client must send it, and the embedded gateway must answer it. */
export interface Pair {
  /** A sentence about the user. */
  readonly title: string;
  /** The command line that sends the request. */
  readonly args: readonly string[];
  readonly request: {
    readonly method: string;
    readonly target: string;
    /** Lower-case names; header values that must be there exactly. */
    readonly headers: Readonly<Record<string, string>>;
    /** Lower-case names of headers that must not be there. */
    readonly without?: readonly string[];
    readonly body?: unknown;
  };
  readonly response: {
    readonly status: number;
    readonly body: unknown;
    /** Fields that the embedded gateway makes up each time, compared by type alone. */
    readonly varying?: readonly string[];
  };
  /** How many listings gatectl asks for afterwards, to say what was meant; none where this is not said. */
  readonly looksUp?: number;
  /** What gatectl ends with when it gets this answer. */
  readonly exit: number;
}
