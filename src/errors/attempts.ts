/** How often something is attempted, and after which errors. */
interface AttemptRule {
  readonly attempts: number;
  /** Whether to attempt again after an error of the attempt, counted from 1. Resolves after a pause if there is to be one. */
  readonly again: (error: unknown, attempt: number) => boolean | Promise<boolean>;
}

/** Runs `run` until it succeeds, fails in a way that is not attempted again, or has used all attempts. Throws its last error. */
export async function withAttempts<Value>(
  { attempts, again }: AttemptRule,
  run: () => Promise<Value>,
): Promise<Value> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt >= attempts || !(await again(error, attempt))) throw error;
    }
  }
}
