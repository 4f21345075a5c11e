import { readReaders } from '../../apis/subscriptions/readers-file.ts';
import type { AccessTarget } from '../../apis/subscriptions/requests.ts';
import { PartialError } from '../../errors/index.ts';
import { openAtomic } from '../../files/atomic-file.ts';
import type { WritableFile } from '../../files/writable-file.ts';
import type { Json } from '../../json/index.ts';
import { decisionRecords } from '../../operations/access/check-access.ts';
import { type CheckedReader, checkReaders } from '../../operations/access/check-readers.ts';
import type { Context } from '../framework/context.ts';
import { maskedIf, siteFrom } from '../framework/reader-flags.ts';
import type { AccessFlags } from './flags.ts';
import { decisionColumns, headingOf } from './flags.ts';
import { reportList } from './list-flags.ts';
import { ignoreBrokenPipe, NO_ACCESS } from './outcome.ts';

/** Checks every reader of a file, in the file's order. A reader that can't be checked is a row with an error. */
export async function printReaders(
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
  let checked = 0;
  let failed = 0;
  let refused = 0;
  const results = checkReaders(emails, {
    ...{ sender, site, targets, most: flags.concurrency, redactor: context.redactor },
    onChecked(reader) {
      const isChecked = 'decisions' in reader;
      if (isChecked) {
        checked += 1;
        refused += reader.decisions.filter(([, { allowed }]) => !allowed).length;
      } else failed += 1;
      progress.advance(1, isChecked ? 0 : 1);
    },
  });
  const failedFile = flags.failedFile === undefined ? undefined : await openAtomic(flags.failedFile);
  try {
    const written = context.out.printRows(rowsOf(results, masked, failedFile), {
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
  // The checks end early where the pipe of the output was closed: who was not checked has no access.
  return refused > 0 || checked < emails.size ? NO_ACCESS : undefined;
}

/** The rows, in order; also writes failed addresses to a file. */
async function* rowsOf(
  readers: AsyncIterable<CheckedReader>,
  masked: <T>(data: T) => T,
  failedFile: WritableFile | undefined,
): AsyncGenerator<Json> {
  for await (const { email, ...reader } of readers) {
    if ('error' in reader) {
      await failedFile?.write(`${email}\n`);
      yield masked({ email, error: reader.error });
    } else for (const record of decisionRecords(reader.decisions)) yield masked({ email, ...record });
  }
}
