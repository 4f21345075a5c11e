/** The part of a process that exit codes need. */
type Exiting = Pick<NodeJS.Process, 'once' | 'exitCode' | 'stderr'>;

/**
 * Sets the exit code once it is known. Node ends a process that has nothing left to wait for, with 0, even where a promise is still
 * pending: that is reported as a bug.
 */
export function exitWhenDone(process: Exiting, code: Promise<number>): void {
  let isDone = false;
  process.once('beforeExit', () => {
    if (isDone) return;
    process.exitCode = 1;
    process.stderr.write('error: gatectl itself failed: it stopped before the command was complete\n');
  });
  code.then(known => {
    isDone = true;
    process.exitCode = known;
  });
}
