import { type ExecFileException, execFile } from 'node:child_process';
import { AuthError } from '../errors/index.ts';
import { shortened } from '../text/shortened.ts';
import type { Environment } from './platform.ts';

const OUTPUT_LIMIT = 64 * 1024;
const STDERR_LINES = 3;

interface KeyCommandOptions {
  readonly env: Environment;
  /** Milliseconds after which the helper is killed; 10 s by default. */
  readonly limit?: number | undefined;
  /** Kills the helper and rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a helper without a shell and without input, and resolves to its stdout. Throws AuthError if it cannot be started, fails, or
 * takes longer than `limit`. The message contains the end of its stderr and never its stdout.
 */
export function runKeyCommand(
  argv: readonly [string, ...string[]],
  { env, limit = 10_000, signal }: KeyCommandOptions,
): Promise<string> {
  const [program, ...words] = argv;
  return new Promise((resolve, reject) => {
    const options = {
      env: { ...env },
      timeout: limit,
      killSignal: 'SIGKILL',
      maxBuffer: OUTPUT_LIMIT,
    } as const;
    const child = execFile(
      program,
      words,
      { ...options, signal, windowsHide: true },
      (error, stdout, stderr) => {
        if (error === null) return resolve(stdout);
        if (signal?.aborted) return reject(signal.reason);
        // The error is not passed on as the cause, because it contains stdout.
        const what = `the key command ${program} ${failure(error, limit)}${lastLines(withoutSecrets(stderr, stdout, env))}`;
        reject(new AuthError(what, { code: 'key_unreadable' }));
      },
    );
    child.stdin?.end();
  });
}

function failure(error: ExecFileException, limit: number): string {
  switch (error.code) {
    case 'ENOENT':
      return 'was not found; cron has a short PATH, so use the full path';
    case 'EACCES':
      return 'is not executable: permission denied';
    case 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER':
      return `printed more than ${OUTPUT_LIMIT / 1024} KiB`;
  }
  if (error.killed) return `printed no key within ${limit / 1000} s`;
  if (error.signal) return `was killed by ${error.signal}`;
  return typeof error.code === 'number'
    ? `failed with exit code ${error.code}`
    : `could not be run (${error.code})`;
}

/** Texts up to this length are too short for a key. */
const SHORT = 6;
const SECRET_NAME = /key|token|secret|pass|credential/i;

/**
 * The stderr of a helper may contain secrets: redacts words of its stdout, secrets from the environment, and words that look
 * random.
 */
function withoutSecrets(stderr: string, stdout: string, env: Environment): string {
  const printed = stdout.split(/[\s"',:={}]+/);
  const known = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && SECRET_NAME.test(name) ? [value] : [],
  );
  const secrets = [...new Set([...printed, ...known])].filter(each => each.length > SHORT);
  const hidden = secrets
    .sort((a, b) => b.length - a.length)
    .reduce((text, secret) => text.replaceAll(secret, '***'), stderr);
  return hidden.replace(/[\w+=-]{16,}/g, word => (/\d/.test(word) && /[a-z]/i.test(word) ? '***' : word));
}

function lastLines(stderr: string): string {
  const lines = stderr.split(/\r?\n/).filter(line => line.trim() !== '');
  return lines.length === 0 ? '' : `: ${shortened(lines.slice(-STDERR_LINES).join(' | '))}`;
}
