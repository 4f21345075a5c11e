import { pMapIterable } from 'p-map';
import { checkAccess } from '../../apis/subscriptions/access.ts';
import { maskEmail } from '../../apis/subscriptions/reader.ts';
import { parseReaders } from '../../apis/subscriptions/readers-file.ts';
import type { AccessTarget } from '../../apis/subscriptions/requests.ts';
import { GatectlError, PartialError, UsageError } from '../../errors/index.ts';
import { writeAtomic } from '../../files/atomic-file.ts';
import { readText } from '../../files/text-source.ts';
import type { Json } from '../../json/index.ts';
import { counted } from '../../terminal/grouped.ts';
import type { Context } from '../framework/context.ts';
import { siteFrom } from '../reader/reader-flags.ts';
import { evenUnread, NO_ACCESS } from './exit.ts';
import { headingOf } from './target.ts';

interface FromFileFlags {
  readonly fromFile: string;
  readonly failedFile: string | undefined;
  readonly concurrency: number;
  readonly domain: string | undefined;
  readonly mask: boolean;
  readonly exitCode: boolean;
}

const COLUMNS = [
  { key: 'email', title: 'Reader', kind: 'text' },
  { key: 'allowed', title: 'Allowed', kind: 'flag' },
  { key: 'decision', title: 'Decision', kind: 'text' },
  { key: 'reasonCode', title: 'Reason', kind: 'text' },
  { key: 'meaning', title: 'Meaning', kind: 'text' },
  { key: 'error', title: 'Error', kind: 'text', whenPresent: true },
] as const;

/** Checks every reader of a file, in the file's order. A reader that can't be checked is a row with an error. */
export async function checkReaders(
  flags: FromFileFlags,
  target: AccessTarget,
  context: Context,
): Promise<number | undefined> {
  const source = flags.fromFile === '-' ? context.io.stdin : flags.fromFile;
  const { emails, problems, duplicates, repaired } = await parseReaders(await readText(source));
  if (problems.length > 0) {
    const named = flags.fromFile === '-' ? 'the readers on stdin' : flags.fromFile;
    throw new UsageError(`${named} cannot be used, and nothing was sent`, { hints: problems });
  }
  for (const email of emails) context.redactor.add(email);
  if (repaired > 0)
    context.log.note(`removed quotes, brackets or invisible characters around ${counted(repaired, 'line')}`);
  if (duplicates > 0) {
    context.log.note(
      duplicates === 1
        ? '1 line repeats an address and is left out'
        : `${duplicates} lines repeat addresses and are left out`,
    );
  }
  const site = await siteFrom(flags.domain, context);
  const sender = await context.gateway();
  const progress = context.log.progress(emails.length, 'readers');
  const failed: string[] = [];
  let refused = 0;
  let checked = 0;

  const checkOne = async (email: string): Promise<Json> => {
    const shown = flags.mask ? maskEmail(email) : email;
    try {
      const { data, allowed, meaning } = await checkAccess(sender, site, { kind: 'email', email }, target);
      checked += 1;
      if (!allowed) refused += 1;
      progress.advance(1);
      return { email: shown, ...data, allowed, meaning };
    } catch (error) {
      if (!(error instanceof GatectlError) || endsAll(error)) throw error;
      failed.push(email);
      progress.advance(1, 1);
      return { email: shown, error: error.message };
    }
  };
  const written = context.out.printRows(pMapIterable(emails, checkOne, { concurrency: flags.concurrency }), {
    heading: headingOf(target, site),
    columns: COLUMNS,
  });
  await (flags.exitCode ? evenUnread(written) : written);
  progress.finish();
  if (flags.failedFile !== undefined)
    await writeAtomic(flags.failedFile, failed.map(email => `${email}\n`).join(''));
  if (failed.length > 0) {
    throw new PartialError(`${failed.length} of ${emails.length} readers could not be checked`, {
      code: 'partial_failure',
    });
  }
  if (!flags.exitCode) return undefined;
  return refused > 0 || checked < emails.length ? NO_ACCESS : undefined;
}

/** What would go wrong for every other reader too. */
function endsAll(error: GatectlError): boolean {
  return (
    error.kind === 'auth' || error.kind === 'interrupted' || error.kind === 'usage' || error.kind === 'file'
  );
}
