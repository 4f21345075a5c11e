import { spawn } from 'node:child_process';
import { withoutSecrets } from '../../config/platform.ts';
import { missingArgument } from '../../errors/usage.ts';
import { type Json, stringifyJson } from '../../json/index.ts';
import type { Context } from './context.ts';
import { converted, type Option } from './define-command.ts';

/** A flag with a command for the shell. */
export function shellCommand(flags: string, summary: string): Option<string | undefined> {
  const read = (given: string): string => {
    if (given.trim() !== '') return given;
    throw missingArgument(`${flags.replace(/ .*/, '')} is empty`, 'omit it, or type a command');
  };
  return converted(flags, summary, read);
}

/**
 * Runs the command of a flag such as `--on-alert` in the system's shell, with JSON on stdin and without secrets in its environment;
 * its output goes to stderr. Resolves to a description of the failure,
 * if any.
 */
export async function runShellCommand(
  { flag, command, input }: { readonly flag: string; readonly command: string; readonly input: Json },
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
    child.stdin.end(`${stringifyJson(input)}\n`);
    child.once('error', error => {
      if (signal.aborted) reject(signal.reason);
      else resolve(`the ${flag} command could not be started: ${error.message}`);
    });
    child.once('close', (code, killedBy) => {
      if (signal.aborted) reject(signal.reason);
      if (code === 0) resolve(undefined);
      const how = killedBy === null ? `failed with exit code ${code}` : `was killed by ${killedBy}`;
      resolve(`the ${flag} command ${how}`);
    });
  });
}
