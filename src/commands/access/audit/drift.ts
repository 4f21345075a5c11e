import { spawn } from 'node:child_process';
import { withoutSecrets } from '../../../config/platform.ts';
import { UsageError } from '../../../errors/index.ts';
import { type Json, stringifyJson } from '../../../json/index.ts';
import type { Context } from '../../framework/context.ts';
import type { Option } from '../../framework/define-command.ts';

/** How many readers may not match the list: a share in millionths of a percent, or a number. */
export interface MaxDrift {
  readonly text: string;
  readonly share?: bigint;
  readonly count?: number;
}

/** `--max-drift`: `1%`, `0.5%`, or a number of readers. */
export function maxDrift(flags: string, summary: string): Option<MaxDrift | undefined> {
  const read = (given: string): MaxDrift => {
    const [, digits = '', percent] = /^(\d{1,9}(?:\.\d{1,6})?)(%?)$/.exec(given.trim()) ?? [];
    const value = Number(digits);
    if (percent === '%' && value <= 100)
      return { text: given.trim(), share: BigInt(Math.round(value * 1e6)) };
    if (digits !== '' && percent === '' && Number.isInteger(value))
      return { text: given.trim(), count: value };
    throw new UsageError(`--max-drift cannot be '${given}'`, {
      code: 'invalid_value',
      hints: ['type a share such as 1% or 0.5%, or a number of readers'],
    });
  };
  return { flags, summary, kind: 'single', fallback: undefined, completes: 'none', read };
}

/** Whether so many of the checked readers are more than allowed; without `max`, none is. */
export function isAbove(max: MaxDrift | undefined, mismatches: number, checked: number): boolean {
  if (max?.share !== undefined) return BigInt(mismatches) * 100_000_000n > max.share * BigInt(checked);
  return mismatches > (max?.count ?? 0);
}

/**
 * Runs the command of `--on-drift` in the system's shell, with the totals as JSON on stdin; its output goes to stderr. Resolves
 * to a description of the failure, if any.
 */
export async function runOnDrift(
  command: string,
  summary: Json,
  { io, signal }: Pick<Context, 'io' | 'signal'>,
): Promise<string | undefined> {
  const env = withoutSecrets(io.env);
  return await new Promise((resolve, reject) => {
    const child = spawn(command, { shell: true, env, cwd: io.cwd, signal, windowsHide: true });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (text: string) => io.stderr.write(text));
    }
    // A command need not read its input.
    child.stdin.on('error', () => {});
    child.stdin.end(`${stringifyJson(summary)}\n`);
    child.once('error', error => {
      if (signal.aborted) reject(signal.reason);
      else resolve(`the --on-drift command could not be started: ${error.message}`);
    });
    child.once('close', (code, killedBy) => {
      if (signal.aborted) reject(signal.reason);
      if (code === 0) resolve(undefined);
      const how = killedBy === null ? `failed with exit code ${code}` : `was killed by ${killedBy}`;
      resolve(`the --on-drift command ${how}`);
    });
  });
}
