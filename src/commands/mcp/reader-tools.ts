import { AuditList } from '../../apis/subscriptions/audit/audit-list.ts';
import { isActive, listPurchases } from '../../apis/subscriptions/holdings.ts';
import { isMailAddress, type Reader, readerByEmail } from '../../apis/subscriptions/reader.ts';
import type { AccessTarget, Site } from '../../apis/subscriptions/requests.ts';
import { PartialError } from '../../errors/index.ts';
import { invalidValue, missingArgument } from '../../errors/usage.ts';
import { supportRecord } from '../../operations/access/answer-records.ts';
import { auditReaders } from '../../operations/access/audit-readers.ts';
import { findingRecord, groupRecords } from '../../operations/access/audit-records.ts';
import { checkTargets, decisionRecords } from '../../operations/access/check-access.ts';
import { lookUpReader } from '../../operations/access/look-up-reader.ts';
import { ENGLISH } from '../../operations/access/words/english.ts';
import { noteSpelling } from '../framework/access-notes.ts';
import type { Context } from '../framework/context.ts';
import { boolean, list, string } from '../framework/define-command.ts';
import { handlesIn, redactReader, shownReader, siteFrom } from '../framework/reader-flags.ts';
import { defineTool, type Tool, type ToolContext, type ToolResult } from './tool.ts';
import { inToolWords } from './wording.ts';

/** A longer list is no job for an assistant, and would not fit into its result. */
const MAX_AUDITED = 200;

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
      const view = await lookUpReader(await context.gateway(), site, reader, {
        products: handlesIn(given.product),
      });
      const named = { reader: shownReader(reader, false), domain: site.domain };
      const dates = { now: context.clock.now(), timeZone: 'UTC', locale: undefined };
      return { data: { result: supportRecord(view, named, { words: ENGLISH, dates }) } };
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
  defineTool({
    name: 'audit',
    title: 'Compare payments with access',
    description: `Of at most ${MAX_AUDITED} readers, those who paid without access and those with access who did not pay.`,
    options: {
      product: string('--product', 'a product handle'),
      paid: list('--paid', 'addresses of readers who paid'),
      unpaid: list('--unpaid', 'addresses of readers who did not'),
      domain,
    },
    required: ['product'],
    result: {
      result: {
        ...{ checked: 'integer', notChecked: 'integer', groups: 'array', findings: 'array' },
        ...{ paidWithoutAccess: 'integer', accessWithoutPayment: 'integer' },
      },
    },
    call: audited,
  }),
];

/** Compares two lists of readers with their access. Nothing is stored. */
async function audited(
  given: {
    readonly product: string | undefined;
    readonly paid: readonly string[];
    readonly unpaid: readonly string[];
    readonly domain: string | undefined;
  },
  context: Pick<ToolContext, 'context'>,
): Promise<ToolResult> {
  const { clock, signal, redactor, log } = context.context;
  const entries = auditList(given.product?.trim() ?? '', given);
  const { report } = await auditReaders(entries, {
    ...{ sender: await context.context.gateway(), site: await siteFrom(given.domain, context.context) },
    ...{ clock, signal, redactor, most: undefined, store: undefined, resume: false, earlier: undefined },
    progress: (total, unit) => log.progress(total, unit),
    startedAt: new Date(clock.now()).toISOString(),
    onResume: () => {},
    onNotStored: async () => {},
    onInterrupted: () => {},
  });
  const { changed: _, added: __, ...totals } = report.totals;
  const groups = groupRecords(report).map(group => ({
    ...group,
    // What a stored audit could do.
    next: inToolWords(String(group.next), new Set()),
  }));
  const findings = [...report.findings()].map(found => ({ item: found.place, ...findingRecord(found) }));
  const data = { result: { ...totals, groups, findings } };
  if (totals.notChecked === 0) return { data };
  const text = `${totals.notChecked} of ${totals.readers} readers could not be checked`;
  return { data, error: new PartialError(text, { code: 'partial_failure' }) };
}

/** The readers to check. Throws UsageError for none, too many, invalid ones, and those in both lists. */
function auditList(
  product: string,
  { paid, unpaid }: { readonly paid: readonly string[]; readonly unpaid: readonly string[] },
): AuditList {
  const count = paid.length + unpaid.length;
  if (product === '' || count === 0) throw missingArgument('product and paid or unpaid are required');
  if (count > MAX_AUDITED)
    throw invalidValue(
      `an audit may name at most ${MAX_AUDITED} readers`,
      'for the user: gatectl access audit checks a list of any length',
    );
  const list = new AuditList();
  for (const [name, emails, isPaid] of [
    ['paid', paid, true],
    ['unpaid', unpaid, false],
  ] as const)
    for (const [at, text] of emails.entries()) {
      const place = `item ${at + 1}`;
      if (!isMailAddress(text.trim()))
        throw invalidValue(`${place} of ${name} is not a valid e-mail address`);
      const added = list.add({ email: text.trim(), product, isPaid, place, value: name });
      if (typeof added === 'object') throw invalidValue(`${place} of ${name} is in the other list too`);
    }
  return list;
}

/** What access is checked for. Throws UsageError for nothing, and for both. */
function targetOf(product = '', item = ''): AccessTarget {
  if ((product === '') === (item === '')) throw missingArgument('either product or item is required');
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
