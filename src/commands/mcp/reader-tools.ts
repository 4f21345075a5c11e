import { isActive, listPurchases } from '../../apis/subscriptions/holdings.ts';
import { type Reader, readerByEmail } from '../../apis/subscriptions/reader.ts';
import type { AccessTarget, Site } from '../../apis/subscriptions/requests.ts';
import { UsageError } from '../../errors/index.ts';
import { checkTargets, decisionRecords } from '../../operations/access/check-access.ts';
import { lookUpReader, supportRecord } from '../../operations/access/look-up-reader.ts';
import { noteSpelling } from '../framework/access-notes.ts';
import type { Context } from '../framework/context.ts';
import { boolean, list, string } from '../framework/define-command.ts';
import { handlesIn, redactReader, shownReader, siteFrom } from '../framework/reader-flags.ts';
import { defineTool, type Tool } from './tool.ts';

const email = string('--email', "the reader's e-mail address");
const domain = string('--domain', "default: the profile's");

/** The tools on readers. */
export const READER_TOOLS: readonly Tool[] = [
  defineTool({
    name: 'reader',
    title: 'Look up a reader',
    description:
      "A reader's products, purchases and access decisions, with what each means and what to do next.",
    options: {
      email,
      product: list('--product', 'products to check too'),
      domain,
    },
    required: ['email'],
    result: { result: { products: 'array', purchases: 'array', decisions: 'array' } },
    async call(given, { context }) {
      const { reader, site } = await readerAt(given, context);
      const view = await lookUpReader(await context.gateway(), site, reader, handlesIn(given.product));
      const named = { reader: shownReader(reader, false), domain: site.domain };
      return { data: { result: supportRecord(view, named) } };
    },
  }),
  defineTool({
    name: 'access',
    title: 'Check access',
    description: 'Whether a reader may read a product or a one-time item. Only allowed: true means yes.',
    options: {
      email,
      product: string('--product', 'a product handle'),
      item: string('--item', 'the key of a one-time item, or the URL of its page'),
      domain,
    },
    required: ['email'],
    result: { result: { allowed: 'boolean', decision: 'string', meaning: 'string', next: 'string' } },
    async call({ product, item, ...given }, { context }) {
      const target = targetOf(product?.trim(), item?.trim());
      const { reader, site } = await readerAt(given, context);
      const sender = await context.gateway();
      const decisions = await checkTargets(sender, site, reader, [target]);
      await noteSpelling(decisions, { sender, site, reader }, context);
      const [decision = null] = decisionRecords(decisions);
      return { data: { result: decision } };
    },
  }),
  defineTool({
    name: 'purchases',
    title: 'List purchases',
    description: 'What a reader bought, with status and end.',
    options: { email, active: boolean('--active', 'only those that give access now'), domain },
    required: ['email'],
    result: { result: 'array' },
    async call(given, { context }) {
      const { reader, site } = await readerAt(given, context);
      const all = await listPurchases(await context.gateway(), site, reader);
      return { data: { result: given.active ? all.filter(isActive) : all } };
    },
  }),
];

/** What access is checked for. Throws UsageError for nothing, and for both. */
function targetOf(product = '', item = ''): AccessTarget {
  if ((product === '') === (item === ''))
    throw new UsageError('either product or item is required', { code: 'missing_argument' });
  return product === '' ? { item } : { product };
}

async function readerAt(
  given: { readonly email: string | undefined; readonly domain: string | undefined },
  context: Context,
): Promise<{ readonly reader: Reader; readonly site: Site }> {
  const reader = readerByEmail(given.email ?? '');
  redactReader(reader, context);
  return { reader, site: await siteFrom(given.domain, context) };
}
