/** The part of a process that exit codes need. */
type Exiting = Pick<NodeJS.Process, 'once' | 'exit' | 'exitCode' | 'stderr'>;

/**
 * Sets the exit code once it is known, and exits when nothing is left to do: Node would free its memory first, for up to 20 ms, and
 * a signal would then replace the exit code. Node ends a process that has nothing left to wait for, with 0, even where a promise is
 * still pending: that is reported as a bug.
 */
export function exitWhenDone(process: Exiting, code: Promise<number>): void {
  let isDone = false;
  process.once('beforeExit', () => {
    if (isDone) process.exit();
    process.exitCode = 1;
    process.stderr.write('error: gatectl itself failed: it stopped before the command was complete\n');
  });
  code.then(known => {
    isDone = true;
    process.exitCode = known;
  });
}
