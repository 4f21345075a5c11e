import type { AccessTarget, Site } from '../../apis/subscriptions/requests.ts';
import type { Column } from '../../output/view.ts';
import { boolean, outputFile, string, type ValuesOf } from '../framework/define-command.ts';
import { LIST_FLAGS } from '../framework/list-flags.ts';
import { Modes } from '../framework/modes.ts';
import { READER_FLAGS, TARGETS_FLAGS } from '../framework/reader-flags.ts';
import { COLUMNS_FLAG, concurrencyFlag } from '../framework/shared-flags.ts';

/** The heading of the output, which makes it complete for a ticket. */
export function headingOf(targets: readonly AccessTarget[], { domain }: Pick<Site, 'domain'>): string {
  const names = targets.map(target => ('product' in target ? target.product : `the item ${target.item}`));
  return `Access to ${names.join(', ')} at ${domain}`;
}

/** The columns of decisions: with the product where there are several, and with what was bought for an item. */
export function decisionColumns(targets: readonly AccessTarget[]): readonly Column[] {
  return [
    ...(targets.length > 1 ? [{ key: 'product', title: 'Product', kind: 'text' } as const] : []),
    { key: 'allowed', title: 'Allowed', kind: 'flag' },
    { key: 'decision', title: 'Decision', kind: 'text' },
    { key: 'reasonCode', title: 'Reason', kind: 'text' },
    { key: 'meaning', title: 'Meaning', kind: 'text' },
    ...(targets.some(target => 'item' in target)
      ? ([
          { key: 'boughtAs', title: 'Bought as', kind: 'text', whenPresent: true },
          { key: 'nearest', title: 'Nearest purchase', kind: 'text', whenPresent: true },
        ] as const)
      : []),
  ];
}

/** The flags of access. */
const FLAGS = {
  ...TARGETS_FLAGS,
  ...READER_FLAGS,
  fromFile: string('--from-file <file>', 'check the readers of a file (- for stdin): lines, CSV or JSON'),
  ...LIST_FLAGS,
  failedFile: outputFile('--failed-file <file>', 'write readers that could not be checked, for --from-file'),
  out: outputFile(
    '--out <file>',
    'write the list with the decisions to this file: .csv, .tsv, .xlsx, .md, .html, .json or .ndjson',
  ),
  concurrency: concurrencyFlag(),
  ...COLUMNS_FLAG,
  exitCode: {
    ...boolean('--exit-code', 'exit 3 unless all are allowed'),
    decidesExitCode: true as const,
  },
};

/** The modes of access. */
export const ACCESS_MODES = new Modes(
  {
    one: { label: 'one reader', group: 'One reader' },
    list: { label: 'a list of readers', group: 'A list of readers' },
  },
  FLAGS,
  {
    email: ['one'],
    readerToken: ['one'],
    readerTokenStdin: ['one'],
    fromFile: ['list'],
    emailColumn: ['list'],
    encoding: ['list'],
    skipInvalid: ['list'],
    failedFile: ['list'],
    out: ['list'],
    concurrency: ['list'],
  },
);

/** The flags of access, for one reader and for a list. */
export const ACCESS_FLAGS = ACCESS_MODES.options;

export type AccessFlags = ValuesOf<typeof FLAGS>;
