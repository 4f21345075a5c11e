import type { Reader } from '../../apis/subscriptions/reader.ts';
import type { AccessTarget } from '../../apis/subscriptions/requests.ts';
import { cannotCombine } from '../../errors/usage.ts';
import { checkTargets, decisionRecords } from '../../operations/access/check-access.ts';
import type { Context } from '../framework/context.ts';
import { defineCommand } from '../framework/define-command.ts';
import { assertDistinctFiles, listSource } from '../framework/file-arguments.ts';
import { object } from '../framework/output-schema.ts';
import {
  EMAILS_ARGUMENT,
  listOfReaders,
  maskedIf,
  oneText,
  type ReaderFlags,
  readersFromFlags,
  shownReader,
  siteFrom,
  targetsFrom,
} from '../framework/reader-flags.ts';
import { ACCESS_FLAGS, ACCESS_MODES, type AccessFlags, decisionColumns, headingOf } from './flags.ts';
import { ignoreBrokenPipe, NO_ACCESS } from './outcome.ts';

export const access = defineCommand({
  name: 'access',
  effect: 'read',
  summary: 'check reader access to a product or an item',
  description:
    'Checks access to a product or to a one-time item and explains the decision. Exit code 0 for any decision; with --exit-code, 3 unless every decision is allowed. Several products (--product premium,sports) and a list of readers (- or @FILE) print one row for each decision. A denied item is checked again as the reader bought it, without tracking parameters and fragments; a similar item is named, not checked.',
  arguments: { words: EMAILS_ARGUMENT },
  options: ACCESS_FLAGS,
  examples: {
    'gatectl access reader@example.com --product premium': 'one reader',
    'if gatectl access "$EMAIL" --product premium --exit-code --quiet >/dev/null; then serve_article; fi':
      'in a script',
    'gatectl access reader@example.com --product premium,sports': 'several products',
    'gatectl access @readers.csv --product premium --csv': 'a list of readers, as CSV',
  },
  // For a list of readers or several products: a list of these.
  output: object({
    decision: [
      'string',
      "the API's decision: allowed, denied, login_required, expired, revoked or unknown_product",
    ],
    reasonCode: ['string', "the API's reason for it"],
    allowed: ['boolean', 'whether the decision is allowed'],
    meaning: ['string', 'the decision in plain words'],
    product: ['string?', 'for several products: the product'],
    boughtAs: [
      'string?',
      'the key of the item that the decision is about, if it was typed with tracking or a fragment',
    ],
    nearest: ['string?', 'the most similar item that the reader has bought'],
    email: ['string?', 'for a list: the reader'],
    error: ['string?', 'for a list: why the reader could not be checked'],
  }),
  async run({ words, ...typed }, context) {
    const flags = { ...typed, reader: await oneText(words) };
    const list = listOf(flags);
    if (list === undefined) return await checkNamed(flags, context);
    ACCESS_MODES.assertApplies('list', flags);
    const targets = targetsFrom(flags);
    assertDistinctFiles(
      [[list.name, list.source]],
      [
        ['--failed-file', flags.failedFile],
        ['--out', flags.out],
      ],
      context.io,
    );
    const { printReaders } = await import('./from-file.ts');
    return await printReaders({ ...flags, fromFile: list.source }, targets, context);
  },
});

/** Checks the readers that are named, most often one. A page that was pasted with them is the item, unless a flag names another. */
async function checkNamed(flags: ReaderFlags & AccessFlags, context: Context): Promise<number | undefined> {
  if (flags.reader === undefined) ACCESS_MODES.assertApplies('one', flags);
  const isNamed = flags.product.length > 0 || flags.item !== undefined;
  if (isNamed || flags.reader === undefined) targetsFrom(flags);
  const { readers, items, products } = await readersFromFlags(flags, context);
  ACCESS_MODES.assertApplies(readers.length > 1 ? 'list' : 'one', flags);
  const [item] = items;
  const targets = isNamed
    ? targetsFrom(flags)
    : targetsFrom({ product: products, item: products.length === 0 ? item : undefined });
  const [reader, ...others] = readers;
  if (others.length === 0) return await checkOne(reader, targets, flags, context);
  assertDistinctFiles(
    [],
    [
      ['--failed-file', flags.failedFile],
      ['--out', flags.out],
    ],
    context.io,
  );
  const { printReaders } = await import('./from-file.ts');
  return await printReaders(
    { ...flags, fromFile: 'the text', content: listOfReaders(readers) },
    targets,
    context,
  );
}

async function checkOne(
  reader: Reader,
  targets: readonly [AccessTarget, ...AccessTarget[]],
  flags: AccessFlags,
  context: Context,
): Promise<number | undefined> {
  const site = await siteFrom(flags.domain, context);
  const masked = await maskedIf(flags.mask, context);
  const sender = await context.gateway();
  const decisions = await checkTargets(sender, site, reader, targets);
  const records = decisionRecords(decisions).map(masked);
  const written = context.out.print(records.length > 1 ? records : (records[0] ?? null), {
    heading: `${masked(headingOf(targets, site))} for ${shownReader(reader, flags.mask)}`,
    columns: decisionColumns(targets),
    chosen: flags.columns,
  });
  if (flags.exitCode) await ignoreBrokenPipe(written);
  else await written;
  if (!decisions.every(([, { allowed, boughtAs }]) => allowed && boughtAs === undefined)) {
    const { noteSpelling } = await import('../framework/access-notes.ts');
    await noteSpelling(decisions, { sender, site, reader }, context);
  }
  return flags.exitCode && !decisions.every(([, { allowed }]) => allowed) ? NO_ACCESS : undefined;
}

/** The list of readers: `-`, or the path of a file, with the flag or argument that names it. Throws UsageError for a list and a reader. */
function listOf({ reader, fromFile }: Pick<AccessFlags, 'fromFile'> & Pick<ReaderFlags, 'reader'>) {
  if (fromFile === undefined) {
    const source = reader === undefined ? undefined : listSource(reader);
    return source === undefined ? undefined : { name: 'EMAIL', source };
  }
  if (reader !== undefined) throw cannotCombine('a list of readers and EMAIL', 'name one reader or one list');
  return { name: '--from-file', source: listSource(fromFile) ?? fromFile };
}
