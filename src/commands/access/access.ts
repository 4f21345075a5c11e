import { checkAccess } from '../../apis/subscriptions/access.ts';
import { listProducts, nearestHandle } from '../../apis/subscriptions/holdings.ts';
import type { Reader } from '../../apis/subscriptions/reader.ts';
import type { AccessTarget, Site } from '../../apis/subscriptions/requests.ts';
import { GatectlError, InterruptedError, UsageError } from '../../errors/index.ts';
import type { Context } from '../framework/context.ts';
import { boolean, defineCommand, integer, outputFile, string } from '../framework/define-command.ts';
import { assertDistinctFiles } from '../framework/distinct-files.ts';
import { object } from '../framework/output-schema.ts';
import {
  READER_FLAGS,
  type ReaderFlags,
  readerFromFlags,
  shownReader,
  siteFrom,
} from '../reader/reader-flags.ts';
import { evenUnread, NO_ACCESS } from './exit.ts';
import { questionOf } from './target.ts';

export const access = defineCommand({
  name: 'access',
  summary: 'check whether a reader may read a product or an item',
  description:
    "Asks the gateway whether a reader has access to a product or to a one-time item, and says in plain words what the decision means. Any decision is a successful answer (exit 0) unless --exit-code is given: then everything but 'allowed' ends with exit 3. With --from-file many readers are checked, one row each.",
  options: {
    product: string('--product <handle>', 'the product handle', { isPasted: true }),
    item: string(
      '--item <key>',
      'the key of a one-time item; for a single article it is the URL of its page',
      {
        isPasted: true,
      },
    ),
    ...READER_FLAGS,
    fromFile: string(
      '--from-file <file>',
      'check every reader of a file (- for stdin): an address a line, or CSV with an email column',
      {
        completes: 'file',
      },
    ),
    failedFile: outputFile(
      '--failed-file <file>',
      'with --from-file: write the readers that could not be checked here',
    ),
    concurrency: integer('--concurrency <n>', 'with --from-file: requests at once', {
      min: 1,
      max: 64,
      fallback: 8,
    }),
    exitCode: {
      ...boolean('--exit-code', 'exit 3 when the decision is not allowed'),
      decidesExitCode: true as const,
    },
  },
  examples: [
    {
      does: 'may this reader read premium?',
      command: 'gatectl access --product premium --email reader@example.com',
    },
    {
      does: 'in a script',
      command:
        'if gatectl access --product premium --email "$EMAIL" --exit-code --quiet >/dev/null; then serve_article; fi',
    },
    {
      does: 'all readers of a list, as CSV',
      command: 'gatectl access --product premium --from-file readers.csv --csv',
    },
  ],
  // With --from-file: a list of these, each with its reader.
  answers: object({
    decision: [
      'string',
      "the API's decision: allowed, denied, login_required, expired, revoked or unknown_product",
    ],
    reasonCode: ['string', "the API's reason for it"],
    allowed: ['boolean', 'whether the decision is allowed'],
    meaning: ['string', 'the decision in plain words'],
    email: ['string?', 'with --from-file: the reader'],
    error: ['string?', 'with --from-file: why the reader could not be checked'],
  }),
  async run(flags, context) {
    const asked = askedFor(flags);
    if (flags.fromFile !== undefined) {
      refuseSingleReader(flags);
      assertDistinctFiles(
        [['--from-file', flags.fromFile]],
        [['--failed-file', flags.failedFile]],
        context.io,
      );
      const { checkReaders } = await import('./from-file.ts');
      return await checkReaders({ ...flags, fromFile: flags.fromFile }, asked, context);
    }
    if (flags.failedFile !== undefined) {
      throw new UsageError('--failed-file goes with --from-file', { hints: ['leave it out for one reader'] });
    }
    return await checkOne(flags, asked, context);
  },
});

async function checkOne(
  flags: ReaderFlags & {
    readonly domain: string | undefined;
    readonly mask: boolean;
    readonly exitCode: boolean;
  },
  asked: AccessTarget,
  context: Context,
): Promise<number | undefined> {
  const reader = await readerFromFlags(flags, context);
  const site = await siteFrom(flags.domain, context);
  const checked = await checkAccess(await context.gateway(), site, reader, asked);
  const { allowed, meaning } = checked;
  const written = context.out.print(
    { ...checked.data, allowed, meaning },
    {
      heading: `${questionOf(asked, site)} for ${shownReader(reader, flags.mask)}`,
      columns: [
        { key: 'allowed', title: 'Allowed', kind: 'flag' },
        { key: 'decision', title: 'Decision', kind: 'text' },
        { key: 'reasonCode', title: 'Reason', kind: 'text' },
        { key: 'meaning', title: 'Meaning', kind: 'text' },
      ],
    },
  );
  if (flags.exitCode) await evenUnread(written);
  else await written;
  if (checked.decision === 'unknown_product') await noteNearest(site, reader, asked, context);
  return flags.exitCode && !allowed ? NO_ACCESS : undefined;
}

/** Names the handle that was probably meant, where the reader holds one that is close: the API lists no others. */
async function noteNearest(site: Site, reader: Reader, asked: AccessTarget, context: Context): Promise<void> {
  if (context.globals.quiet || !('product' in asked)) return;
  try {
    const held = await listProducts(await context.gateway(), site, reader);
    const meant = nearestHandle(asked.product, held);
    if (meant !== undefined) context.log.note(`the reader holds ${meant}: did you mean --product ${meant}?`);
  } catch (error) {
    // The decision stands without it.
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
  }
}

function askedFor({
  product,
  item,
}: {
  product: string | undefined;
  item: string | undefined;
}): AccessTarget {
  if (product !== undefined && item !== undefined) {
    throw new UsageError('--product and --item were both given', { hints: ['give the one to ask about'] });
  }
  if (product?.trim()) return { product: product.trim() };
  if (item?.trim()) return { item: item.trim() };
  throw new UsageError('--product or --item is required', {
    hints: ['type --product HANDLE, or --item KEY for a one-time purchase'],
  });
}

function refuseSingleReader(flags: ReaderFlags): void {
  if (flags.email === undefined && flags.readerToken === undefined && !flags.readerTokenStdin) return;
  throw new UsageError('--from-file and a single reader were both given', { hints: ['give one of them'] });
}
