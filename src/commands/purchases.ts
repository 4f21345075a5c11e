import { isActive, listPurchases } from '../apis/subscriptions/holdings.ts';
import { boolean, defineCommand } from './framework/define-command.ts';
import { listOf } from './framework/output-schema.ts';
import {
  EMAIL_ARGUMENT,
  PURCHASE_COLUMNS,
  READER_FLAGS,
  readerFromFlags,
  siteFrom,
} from './framework/reader-flags.ts';
import { COLUMNS_FLAG } from './framework/shared-flags.ts';

const { mask: _, ...READER } = READER_FLAGS;

export const purchases = defineCommand({
  name: 'purchases',
  effect: 'read',
  summary: "list a reader's purchases and entitlements",
  description:
    'Lists what a reader bought: subscriptions and one-time items, with their status. An entry without an end date is lifetime access; one with neither product nor item is for a product that was removed.',
  arguments: { reader: EMAIL_ARGUMENT },
  options: { ...READER, active: boolean('--active', 'only those that give access now'), ...COLUMNS_FLAG },
  examples: {
    'gatectl purchases reader@example.com': 'all purchases',
    'gatectl purchases reader@example.com --active --csv': 'what gives access now, as CSV',
  },
  output: listOf({
    productKey: ['string?', 'the product handle; absent for a one-time item'],
    item: ['string?', 'the key of a one-time item'],
    status: ['string', 'such as active'],
    expiresAt: ['string?', 'RFC 3339; absent for lifetime access'],
  }),
  async run(flags, context) {
    const reader = await readerFromFlags(flags, context);
    const site = await siteFrom(flags.domain, context);
    const all = await listPurchases(await context.gateway(), site, reader);
    await context.out.print(flags.active ? all.filter(isActive) : all, {
      columns: PURCHASE_COLUMNS,
      chosen: flags.columns,
      empty: flags.active ? 'this reader has no active purchase here' : 'this reader has bought nothing here',
    });
  },
});
