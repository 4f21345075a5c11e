import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';

/** Milliseconds between two looks at a process's memory. */
const LOOK_EVERY = 20;

/**
 * Runs a program to its end: seconds of wall time, and the peak memory of its largest process in MB (Linux only; the last
 * moments are missed). `args` is its command line, `env` all of its environment, `out` a file for its output. Throws when it fails.
 */
export async function runProcess(
  { args: [program, ...args], env, out },
  { watch = true, every = LOOK_EVERY },
) {
  // A pipe, as in a script that reads the answer.
  const output = out === undefined ? 'pipe' : openSync(out, 'w');
  const start = performance.now();
  const child = spawn(program, args, { env, stdio: ['ignore', output, 'pipe'] });
  child.stdout?.resume();
  let said = '';
  child.stderr.on('data', chunk => {
    said += chunk;
  });
  let peak = 0;
  const look = () => {
    peak = Math.max(peak, largest(child.pid));
  };
  const timer = watch ? setInterval(look, every) : undefined;
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (status, signal) => resolve(status ?? signal));
  });
  const seconds = (performance.now() - start) / 1000;
  clearInterval(timer);
  if (output !== 'pipe') closeSync(output);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${said.slice(-1000)}`);
  return { seconds, megabytes: peak === 0 ? undefined : peak };
}

/** The peak memory of the largest of a process and its children, in MB; 0 where it is unknown. */
function largest(pid) {
  if (pid === undefined) return 0;
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    const below = children === '' ? [] : children.split(' ').map(largest);
    return Math.max(Number(kilobytes ?? 0) / 1024, ...below);
  } catch {
    return 0;
  }
}
