import type { AccessTarget, Site } from '../../apis/subscriptions/requests.ts';
import { UsageError } from '../../errors/index.ts';
import type { CheckedTarget } from '../../operations/access/check-access.ts';
import type { Column } from '../../output/view.ts';
import { boolean, list, outputFile, string, type ValuesOf } from '../framework/define-command.ts';
import { handleIn, handlesIn, READER_FLAGS, TARGET_FLAGS } from '../framework/reader-flags.ts';
import { COLUMNS_FLAG, concurrencyFlag } from '../framework/shared-flags.ts';
import { LIST_FLAGS } from './list-flags.ts';

/** The product or item of the command line. Throws UsageError for none, for both and for several. */
export function targetFrom({ product, item }: ValuesOf<typeof TARGET_FLAGS>): AccessTarget {
  const handle = handleIn(product);
  const [target] = targetsFrom({ product: handle === undefined ? [] : [escaped(handle)], item });
  return target;
}

function escaped(handle: string): string {
  return handle.replaceAll(',', '\\,');
}

/** The products or the item of the command line. Throws UsageError for none and for both. */
export function targetsFrom({
  product,
  item,
}: ValuesOf<typeof TARGETS_FLAGS>): readonly [AccessTarget, ...AccessTarget[]] {
  if (product.length > 0 && item !== undefined) {
    throw new UsageError('--product and --item cannot be combined', {
      code: 'conflicting_options',
      hints: ['use one of them'],
    });
  }
  const [first, ...others] = product.some(text => text.trim() !== '') ? handlesIn(product) : [];
  if (first !== undefined) return [{ product: first }, ...others.map(handle => ({ product: handle }))];
  if (item?.trim()) return [{ item: item.trim() }];
  throw new UsageError('--product or --item is required', {
    code: 'missing_argument',
    hints: [
      'type --product HANDLE, or --item KEY for a one-time purchase',
      'gatectl reader EMAIL checks the products that the reader holds or held',
    ],
  });
}

/** The heading of the output, which makes it complete for a ticket. */
export function headingOf(targets: readonly AccessTarget[], { domain }: Pick<Site, 'domain'>): string {
  const names = targets.map(target => ('product' in target ? target.product : `the item ${target.item}`));
  return `Access to ${names.join(', ')} at ${domain}`;
}

/** How an item was found in the reader's purchases, as fields of a row. */
export function purchaseFields({ boughtAs, nearest }: CheckedTarget): {
  readonly boughtAs?: string;
  readonly nearest?: string;
} {
  return { ...(boughtAs !== undefined && { boughtAs }), ...(nearest !== undefined && { nearest }) };
}

/** The columns of decisions: with the product where there are several, and with `purchaseFields` for an item. */
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

/** The flags of access that select what it is checked for. */
const TARGETS_FLAGS = {
  product: list('--product <handles>', 'product handles, separated by commas (repeatable)', {
    isPasted: true,
  }),
  item: TARGET_FLAGS.item,
};

/** The flags of access, for one reader and for a list. */
export const ACCESS_FLAGS = {
  ...TARGETS_FLAGS,
  ...READER_FLAGS,
  fromFile: string(
    '--from-file <file>',
    'check all readers of a file (- for stdin): one address per line, CSV or JSON',
    {
      completes: 'file',
    },
  ),
  ...LIST_FLAGS,
  failedFile: outputFile(
    '--failed-file <file>',
    'write the readers of a list that could not be checked, in the format --from-file reads',
  ),
  concurrency: concurrencyFlag(),
  ...COLUMNS_FLAG,
  exitCode: {
    ...boolean('--exit-code', 'exit 3 unless every decision is allowed'),
    decidesExitCode: true as const,
  },
};

export type AccessFlags = ValuesOf<typeof ACCESS_FLAGS>;
