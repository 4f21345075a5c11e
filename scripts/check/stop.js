/**
 * Stops a child process and waits until it has ended: on Node 20, a command that ends writes compiled code to its home.
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<void>}
 */
export function stop(child) {
  return new Promise(resolve => {
    if (child.exitCode !== null || child.signalCode !== null) {
      resolve();
      return;
    }
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}
