import { lookUpReader, type SupportView } from '../../apis/subscriptions/support-view.ts';
import type { Json } from '../../json/index.ts';
import type { OutputSection } from '../framework/context.ts';
import { defineCommand, list } from '../framework/define-command.ts';
import { object } from '../framework/output-schema.ts';
import { PURCHASE_COLUMNS } from '../purchases.ts';
import { EMAIL_ARGUMENT, READER_FLAGS, readerFromFlags, shownReader, siteFrom } from './reader-flags.ts';

export const reader = defineCommand({
  name: 'reader',
  summary: "show a reader's access, products and purchases",
  description:
    'Shows the products, the purchases and the access decisions of a reader, with the meaning of each decision and what to do next. Use -o md for a ticket, --mask to hide the address, and --product to check products that the reader does not hold.',
  arguments: { reader: EMAIL_ARGUMENT },
  options: {
    ...READER_FLAGS,
    product: list('--product <handle>', 'also check this product (repeatable)', { isPasted: true }),
  },
  examples: [
    { does: 'the support view', command: 'gatectl reader reader@example.com --product premium' },
    {
      does: 'for a ticket, with the address hidden',
      command: 'gatectl reader reader@example.com --mask -o md',
    },
  ],
  output: object({
    reader: ['string', 'the address, or (session token)'],
    domain: ['string', 'the domain of the request'],
    products: ['string[]', 'the product handles that the reader holds'],
    purchases: ['object[]', 'see gatectl purchases'],
    decisions: [
      '{product, decision, reasonCode, allowed, meaning, next}[]',
      'see gatectl access, for each product, with what to do next',
    ],
  }),
  async run(flags, context) {
    const who = await readerFromFlags(flags, context);
    const site = await siteFrom(flags.domain, context);
    const view = await lookUpReader(await context.gateway(), site, who, flags.product);
    const shown = shownReader(who, flags.mask);
    const decisions = decisionRows(view);
    await context.out.printSections(
      { reader: shown, domain: site.domain, products: view.products, purchases: view.purchases, decisions },
      parts(shown, site.domain, view, decisions),
      decisions,
    );
  },
});

function decisionRows({ decisions }: SupportView): Json[] {
  return decisions.map(({ product, access: { data, allowed, meaning, next } }) => ({
    product,
    ...data,
    allowed,
    meaning,
    next,
  }));
}

function parts(shown: string, domain: string, view: SupportView, decisions: Json): OutputSection[] {
  return [
    { title: `Reader ${shown} at ${domain}`, data: summary(view), view: { prose: true } },
    {
      title: 'Access by product',
      data: decisions,
      view: {
        columns: [
          { key: 'product', title: 'Product', kind: 'text' },
          { key: 'allowed', title: 'Access', kind: 'flag' },
          { key: 'decision', title: 'Decision', kind: 'text' },
          { key: 'reasonCode', title: 'Reason', kind: 'text' },
        ],
        empty: 'no product to check: name one with --product',
      },
    },
    {
      title: 'What it means and what to do',
      data: advice(view),
      view: { prose: true, empty: 'nothing to add' },
    },
    {
      title: 'Purchases',
      data: view.purchases,
      view: { columns: PURCHASE_COLUMNS, empty: 'none under this identity at this site' },
    },
  ];
}

/** A summary in one or two sentences. */
function summary({ products, purchases, decisions }: SupportView): string {
  if (decisions.some(({ access }) => access.decision === 'login_required')) {
    return 'Nobody is known under this identity at this site.';
  }
  if (products.length === 0 && purchases.length === 0) {
    return 'This reader has no products and no purchases, or is unknown.';
  }
  const held = products.length === 0 ? 'holds no product' : `holds ${products.join(', ')}`;
  const bought = purchases.length === 1 ? 'one purchase' : `${purchases.length} purchases`;
  return `This reader ${held}; ${bought} in all.`;
}

function advice({ decisions }: SupportView): string[] {
  return decisions.map(({ product, access }) => `${product}: ${access.meaning}; ${access.next}`);
}
