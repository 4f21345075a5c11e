import { listProducts } from '../apis/subscriptions/holdings.ts';
import { defineCommand } from './framework/define-command.ts';
import { STRINGS } from './framework/output-schema.ts';
import { EMAIL_ARGUMENT, READER_FLAGS, readerFromFlags, siteFrom } from './framework/reader-flags.ts';

const { mask: _, ...READER } = READER_FLAGS;

export const products = defineCommand({
  name: 'products',
  effect: 'read',
  summary: 'list the product handles a reader holds',
  description:
    'Lists the product handles that a reader holds, without one-time items (see gatectl purchases). The list is empty for an unknown reader.',
  arguments: { reader: EMAIL_ARGUMENT },
  options: READER,
  examples: {
    'gatectl products reader@example.com': 'list the products of a reader',
    'gatectl products reader@example.com --jq length': 'how many products that are',
  },
  output: STRINGS,
  async run(flags, context) {
    const reader = await readerFromFlags(flags, context);
    const site = await siteFrom(flags.domain, context);
    const handles = await listProducts(await context.gateway(), site, reader);
    await context.out.print(handles, {
      columns: [{ key: 'product', title: 'Product', kind: 'text' }],
      empty: 'this reader holds no product here',
    });
  },
});
