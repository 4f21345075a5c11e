import { relative } from 'node:path';
import { type Reach, standingOf, trustFile } from '../../config/trust.ts';
import { UsageError } from '../../errors/index.ts';
import { printable } from '../../text/printable.ts';
import { quoterFor } from '../../text/shell-words.ts';
import type { Context } from './context.ts';
import { lockMachine } from './lock-machine.ts';

type TrustContext = Pick<Context, 'io' | 'globals' | 'clock' | 'prompt' | 'signal'>;

interface RequireOptions {
  /** Of units: they were planned from a file that the user trusts. */
  readonly anyPath?: boolean;
}

/**
 * Asks on a terminal whether the user trusts a file that a repository can bring, once as long as it says the same. Throws UsageError
 * without a terminal, and if the user does not. Resolves to whether connections to other machines may be unencrypted.
 */
export async function requireTrust(
  reach: Reach,
  context: TrustContext,
  options: RequireOptions = {},
): Promise<{ readonly allowsPlain: boolean }> {
  const { io, globals, prompt } = context;
  const { untrusted, allowsInsecure } = await standingOf(reach, io, options);
  const insecure = globals.flags.insecureHttp === true;
  if (untrusted.length === 0) return { allowsPlain: insecure || allowsInsecure };
  const file = reach.path === undefined ? 'standard input' : nameOf(reach.path, context);
  const what = `${file} ${[...new Set(untrusted.map(({ does }) => does))].join(' and ')}`;
  const path = reach.path;
  const isTrusted = path !== undefined && prompt !== undefined && (await prompt.confirm(question(what)));
  if (!isTrusted)
    throw new UsageError(`${what}, which you have not trusted`, {
      code: 'not_trusted',
      hints: [
        path === undefined
          ? `trust it: GATECTL_TRUST=${untrusted.map(({ name }) => name).join(',')}`
          : `if you know it, trust it: gatectl trust ${quoterFor(io)(file)}`,
      ],
    });
  await rememberTrust({ ...reach, path }, context);
  return { allowsPlain: insecure };
}

/** Remembers that the user trusts a file, with `--insecure-http` unencrypted connections, too. Throws FileError. */
export async function rememberTrust(
  reach: Reach & { readonly path: string },
  context: Pick<TrustContext, 'io' | 'globals' | 'clock' | 'signal'>,
): Promise<void> {
  const { io, globals } = context;
  const options = { system: io, machine: lockMachine(context) };
  await trustFile(reach, { insecure: globals.flags.insecureHttp === true, now: io.now() }, options);
}

/** A path as a user would type it in the working folder. */
export function nameOf(path: string, { io }: Pick<Context, 'io'>): string {
  const steps = relative(io.cwd, path);
  return steps === '' || steps.startsWith('..') ? path : steps;
}

function question(what: string): string {
  return printable(`${what}. Trust it?`);
}
