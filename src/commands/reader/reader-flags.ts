import { maskEmail, type Reader, readerByEmail, readerByToken } from '../../apis/subscriptions/reader.ts';
import type { Site } from '../../apis/subscriptions/requests.ts';
import { accepted } from '../../config/resolve.ts';
import { checkQueriedDomain } from '../../config/values.ts';
import { UsageError } from '../../errors/index.ts';
import { readText } from '../../files/text-source.ts';
import { brandNames } from '../../wire/brand.ts';
import type { Context } from '../framework/context.ts';
import { boolean, string } from '../framework/define-command.ts';

/** The flags that name one reader and one site. */
export const READER_FLAGS = {
  email: string('--email <address>', "the reader's e-mail address", { isPasted: true }),
  readerToken: string('--reader-token <token>', "the reader's session token, as getSessionToken() gave it"),
  readerTokenStdin: boolean(
    '--reader-token-stdin',
    'read the session token from stdin, so that it shows in no process list',
  ),
  domain: string('--domain <domain>', "one of the account's domains (default: the profile's)", {
    completes: 'domain',
    isPasted: true,
  }),
  mask: boolean('--mask', "hide the reader's e-mail address in the output"),
};

export interface ReaderFlags {
  readonly email: string | undefined;
  readonly readerToken: string | undefined;
  readonly readerTokenStdin: boolean;
}

/** The one reader that the flags name. Throws UsageError for none or several, and for a bad address or token. */
export async function readerFromFlags(flags: ReaderFlags, context: Context): Promise<Reader> {
  const given = [
    flags.email !== undefined && '--email',
    flags.readerToken !== undefined && '--reader-token',
    flags.readerTokenStdin && '--reader-token-stdin',
  ].filter(name => name !== false);
  if (given.length === 0) {
    throw new UsageError('a reader is required', {
      hints: ['type --email ADDRESS, --reader-token TOKEN or --reader-token-stdin'],
    });
  }
  if (given.length > 1) {
    throw new UsageError(`${given.join(' and ')} both name a reader`, { hints: ['give one of them'] });
  }
  const reader = await namedReader(flags, context);
  redactReader(reader, context);
  return reader;
}

async function namedReader(flags: ReaderFlags, context: Context): Promise<Reader> {
  if (flags.email !== undefined) return readerByEmail(flags.email);
  if (flags.readerToken !== undefined) return readerByToken(flags.readerToken);
  return readerByToken(await readText(context.io.stdin));
}

/** From here on the reader's identity shows in no message, log line or URL. */
export function redactReader(reader: Reader, context: Context): void {
  context.redactor.add(reader.kind === 'email' ? reader.email : reader.token);
}

/** How the reader is named in the answer itself, which the user asked for. */
export function shownReader(reader: Reader, mask: boolean): string {
  if (reader.kind === 'token') return '(session token)';
  return mask ? maskEmail(reader.email) : reader.email;
}

/** The site to ask, from `--domain` and the settings. */
export async function siteFrom(domain: string | undefined, context: Context): Promise<Site> {
  const settings = await context.settings();
  return {
    domain:
      domain === undefined
        ? await context.domain(undefined)
        : accepted(checkQueriedDomain(domain), `the domain ${domain}`),
    prefix: settings.prefixSubscriptions.value,
    brand: brandNames(settings.brand.value),
    keyIn: settings.keyIn.value,
  };
}
