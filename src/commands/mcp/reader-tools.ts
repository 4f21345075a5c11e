import { isActive, listPurchases } from '../../apis/subscriptions/holdings.ts';
import { type Reader, readerByEmail } from '../../apis/subscriptions/reader.ts';
import type { Site } from '../../apis/subscriptions/requests.ts';
import { checkTargets, decisionRecords } from '../../operations/access/check-access.ts';
import { lookUpReader, supportRecord } from '../../operations/access/look-up-reader.ts';
import { noteSpelling } from '../framework/access-notes.ts';
import type { Context } from '../framework/context.ts';
import { boolean, list } from '../framework/define-command.ts';
import {
  handlesIn,
  maskedIf,
  READER_FLAGS,
  redactReader,
  shownReader,
  siteFrom,
  TARGET_FLAGS,
  targetsFrom,
} from '../framework/reader-flags.ts';
import { defineTool, type Tool } from './tool.ts';

const { email, domain } = READER_FLAGS;

/** The tools on readers. */
export const READER_TOOLS: readonly Tool[] = [
  defineTool({
    name: 'reader',
    title: 'Look up a reader',
    description:
      "A reader's products, purchases and access decisions, with what each means and what to do next.",
    options: {
      email,
      product: list('--product <handles>', 'also check these products: a,b (repeatable)'),
      domain,
    },
    required: ['email'],
    async call(given, { context, mask }) {
      const { reader, site } = await readerAt(given, context);
      const masked = await maskedIf(mask, context);
      const view = masked(
        await lookUpReader(await context.gateway(), site, reader, handlesIn(given.product)),
      );
      return {
        data: { result: supportRecord(view, { reader: shownReader(reader, mask), domain: site.domain }) },
      };
    },
  }),
  defineTool({
    name: 'access',
    title: 'Check access',
    description: 'Whether a reader may read a product or a one-time item. Only allowed: true means yes.',
    options: {
      product: { ...TARGET_FLAGS.product },
      email,
      item: TARGET_FLAGS.item,
      domain,
    },
    required: ['email'],
    async call({ product, item, ...given }, { context, mask }) {
      const targets = targetsFrom({ product: product === undefined ? [] : [product], item });
      const { reader, site } = await readerAt(given, context);
      const masked = await maskedIf(mask, context);
      const sender = await context.gateway();
      const decisions = await checkTargets(sender, site, reader, targets);
      await noteSpelling(decisions, { sender, site, reader }, context);
      const [first = null, ...others] = decisionRecords(decisions).map(masked);
      return { data: { result: others.length > 0 ? [first, ...others] : first } };
    },
  }),
  defineTool({
    name: 'purchases',
    title: 'List purchases',
    description: 'What a reader bought, with status and end.',
    options: { email, active: boolean('--active', 'only those that give access now'), domain },
    required: ['email'],
    async call(given, { context }) {
      const { reader, site } = await readerAt(given, context);
      const all = await listPurchases(await context.gateway(), site, reader);
      return { data: { result: given.active ? all.filter(isActive) : all } };
    },
  }),
];

async function readerAt(
  given: { readonly email: string | undefined; readonly domain: string | undefined },
  context: Context,
): Promise<{ readonly reader: Reader; readonly site: Site }> {
  const reader = readerByEmail(given.email ?? '');
  redactReader(reader, context);
  return { reader, site: await siteFrom(given.domain, context) };
}
