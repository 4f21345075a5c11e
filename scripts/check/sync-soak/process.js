import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const BIN = new URL('../../../bin/gatectl.js', import.meta.url).pathname;

export const say = text => process.stdout.write(`${text}\n`);

/** Starts gatectl; resolves to its exit code and stderr when it has ended. */
export function start(args, { cwd, env, home }) {
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd,
    env: { ...process.env, ...env, GATECTL_CONFIG_DIR: home, HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', chunk => {
    stdout += chunk;
  });
  child.stderr.on('data', chunk => {
    stderr += chunk;
  });
  const ended = new Promise(resolve => {
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return { child, ended };
}

/** What Linux knows of a process; empty elsewhere, and after its end. */
export function statusOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}
