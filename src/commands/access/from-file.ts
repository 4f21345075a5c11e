import { checkTarget } from '../../apis/subscriptions/check-target.ts';
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
import { decisionColumns, headingOf, purchaseFields } from './flags.ts';
import { reportList } from './list-flags.ts';
import { failsEveryReader, ignoreBrokenPipe, NO_ACCESS } from './outcome.ts';

/** Checks every reader of a file, in the file's order. A reader that can't be checked is a row with an error. */
export async function checkReaders(
  flags: AccessFlags & { readonly fromFile: string },
  targets: readonly AccessTarget[],
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
      const rows: Json[] = [];
      for (const target of targets) {
        const access = await checkTarget(sender, site, { kind: 'email', email }, target);
        const { data, allowed, meaning } = access;
        if (!allowed) refused += 1;
        const product = targets.length > 1 && target;
        rows.push(masked({ email, ...product, ...data, allowed, meaning, ...purchaseFields(access) }));
      }
      checked += 1;
      progress.advance(1);
      context.redactor.remove(email);
      return { rows };
    } catch (error) {
      if (!(error instanceof GatectlError) || failsEveryReader(error)) throw error;
      failed += 1;
      progress.advance(1, 1);
      const message = context.redactor.redact(error.message);
      context.redactor.remove(email);
      return { rows: [masked({ email, error: message })], failed: email };
    }
  };
  const results = mapConcurrently(emails, checkOne, {
    most: flags.concurrency,
    capacity: () => sender.capacity,
  });
  const failedFile = flags.failedFile === undefined ? undefined : await openAtomic(flags.failedFile);
  try {
    const written = context.out.printRows(rowsOf(results, failedFile), {
      heading: headingOf(targets, site),
      columns: [
        { key: 'email', title: 'Reader', kind: 'text' },
        ...decisionColumns(targets),
        { key: 'error', title: 'Error', kind: 'text', whenPresent: true },
      ],
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
  /** One for each product. */
  readonly rows: readonly Json[];
  /** The address of a reader that could not be checked. */
  readonly failed?: string;
}

/** The rows, in order; also writes failed addresses to a file. */
async function* rowsOf(
  results: AsyncIterable<CheckedReader>,
  failedFile: WritableFile | undefined,
): AsyncGenerator<Json> {
  for await (const { rows, failed } of results) {
    if (failed !== undefined) await failedFile?.write(`${failed}\n`);
    yield* rows;
  }
}
