import type { AccessTarget, Site } from '../../apis/subscriptions/requests.ts';
import { UsageError } from '../../errors/index.ts';
import { boolean, outputFile, string, type ValuesOf } from '../framework/define-command.ts';
import { COLUMNS_FLAG, concurrencyFlag } from '../framework/shared-flags.ts';
import { READER_FLAGS } from '../reader/reader-flags.ts';
import { LIST_FLAGS } from './list-flags.ts';

/** The flags that select what access is checked for: exactly one of them. */
export const TARGET_FLAGS = {
  product: string('--product <handle>', 'the product handle', { isPasted: true }),
  item: string('--item <key>', 'the key of a one-time item; for a single article, the URL of its page', {
    isPasted: true,
  }),
};

/** The product or item of the command line. Throws UsageError for none and for both. */
export function targetFrom({ product, item }: ValuesOf<typeof TARGET_FLAGS>): AccessTarget {
  if (product !== undefined && item !== undefined) {
    throw new UsageError('--product and --item cannot be combined', {
      code: 'conflicting_options',
      hints: ['use one of them'],
    });
  }
  if (product?.trim()) return { product: product.trim() };
  if (item?.trim()) return { item: item.trim() };
  throw new UsageError('--product or --item is required', {
    code: 'missing_argument',
    hints: [
      'type --product HANDLE, or --item KEY for a one-time purchase',
      'gatectl reader EMAIL checks the products that the reader holds or held',
    ],
  });
}

/** The heading of the output, which makes it complete for a ticket. */
export function headingOf(target: AccessTarget, { domain }: Pick<Site, 'domain'>): string {
  return `Access to ${'product' in target ? target.product : `the item ${target.item}`} at ${domain}`;
}

/** The flags of access, for one reader and for a list. */
export const ACCESS_FLAGS = {
  ...TARGET_FLAGS,
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
    ...boolean('--exit-code', 'exit 3 when the decision is not allowed'),
    decidesExitCode: true as const,
  },
};

export type AccessFlags = ValuesOf<typeof ACCESS_FLAGS>;
