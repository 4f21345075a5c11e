import { checkAccess } from '../../apis/subscriptions/access.ts';
import { readReaders } from '../../apis/subscriptions/readers-file.ts';
import type { AccessTarget } from '../../apis/subscriptions/requests.ts';
import { GatectlError, PartialError } from '../../errors/index.ts';
import { openAtomic } from '../../files/atomic-file.ts';
import type { WritableFile } from '../../files/writable-file.ts';
import { mapConcurrently } from '../../http/concurrent.ts';
import type { Json } from '../../json/index.ts';
import type { Context } from '../framework/context.ts';
import { maskedIf, siteFrom } from '../reader/reader-flags.ts';
import type { AccessFlags } from './flags.ts';
import { headingOf } from './flags.ts';
import { reportList } from './list-flags.ts';
import { failsEveryReader, ignoreBrokenPipe, NO_ACCESS } from './outcome.ts';

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
  flags: AccessFlags & { readonly fromFile: string },
  target: AccessTarget,
  context: Context,
): Promise<number | undefined> {
  const { emails, problems, duplicates, repaired } = await readReaders(
    flags.fromFile === '-' ? context.io.stdin : flags.fromFile,
    { signal: context.signal, encoding: flags.encoding, column: flags.emailColumn },
  );
  reportList({ problems, duplicates, repaired, size: emails.size }, flags, context);
  const site = await siteFrom(flags.domain, context);
  const sender = await context.gateway();
  const masked = await maskedIf(flags.mask, context);
  const progress = context.log.progress(emails.size, 'readers');
  let refused = 0;
  let checked = 0;
  let failed = 0;

  const checkOne = async (email: string): Promise<CheckedReader> => {
    // An error that ends the command is printed later: its address stays registered.
    context.redactor.add(email);
    try {
      const { data, allowed, meaning } = await checkAccess(sender, site, { kind: 'email', email }, target);
      checked += 1;
      if (!allowed) refused += 1;
      progress.advance(1);
      context.redactor.remove(email);
      return { row: masked({ email, ...data, allowed, meaning }) };
    } catch (error) {
      if (!(error instanceof GatectlError) || failsEveryReader(error)) throw error;
      failed += 1;
      progress.advance(1, 1);
      const message = context.redactor.redact(error.message);
      context.redactor.remove(email);
      return { row: masked({ email, error: message }), failed: email };
    }
  };
  const results = mapConcurrently(emails, checkOne, {
    most: flags.concurrency,
    capacity: () => sender.capacity,
  });
  const failedFile = flags.failedFile === undefined ? undefined : await openAtomic(flags.failedFile);
  try {
    const written = context.out.printRows(rowsOf(results, failedFile), {
      heading: headingOf(target, site),
      columns: COLUMNS,
      chosen: flags.columns,
    });
    await (flags.exitCode ? ignoreBrokenPipe(written) : written);
    progress.finish();
    await failedFile?.commit();
  } catch (error) {
    await failedFile?.discard();
    throw error;
  }
  if (failed > 0) {
    throw new PartialError(`${failed} of ${emails.size} readers could not be checked`, {
      code: 'partial_failure',
    });
  }
  if (!flags.exitCode) return undefined;
  return refused > 0 || checked < emails.size ? NO_ACCESS : undefined;
}

interface CheckedReader {
  readonly row: Json;
  /** The address of a reader that could not be checked. */
  readonly failed?: string;
}

/** The rows, in order; also writes failed addresses to a file. */
async function* rowsOf(
  results: AsyncIterable<CheckedReader>,
  failedFile: WritableFile | undefined,
): AsyncGenerator<Json> {
  for await (const { row, failed } of results) {
    if (failed !== undefined) await failedFile?.write(`${failed}\n`);
    yield row;
  }
}
