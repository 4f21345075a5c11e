import { BrokenPipeError } from '../../errors/index.ts';

/** `access --exit-code`: the decision is not `allowed`. */
export const NO_ACCESS = 3;

/** Waits for the output. A closed pipe usually ends a command with success, which here would mean `allowed`. */
export async function ignoreBrokenPipe(written: Promise<void>): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (!(error instanceof BrokenPipeError)) throw error;
  }
}
