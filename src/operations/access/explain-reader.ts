import { isActive } from '../../apis/subscriptions/holdings.ts';
import type { Reader } from '../../apis/subscriptions/reader.ts';
import { fillTemplate, situationOf } from '../../apis/subscriptions/replies/reply.ts';
import type { Situation } from '../../apis/subscriptions/replies/templates.ts';
import { FileError } from '../../errors/index.ts';
import type { Machine } from '../machine.ts';
import type { ProductDecision, SupportView } from './look-up-reader.ts';
import { nearestTemplate } from './reply-templates.ts';
import { type SeenDecisions, SeenReaders } from './seen-readers.ts';

/** A reply to a reader, ready to paste. */
export interface Reply {
  readonly about: string;
  readonly product: string;
  readonly language: string;
  readonly text: string;
}

interface ReplyOptions {
  readonly domain: string;
  /** Products that were asked about. */
  readonly requested: readonly string[];
  /** Products whose decision is another one than the last time. */
  readonly changed?: readonly string[];
  readonly language: string;
}

/**
 * The reply for the decision that the reader's question most likely concerns. Throws UsageError for a language without replies, and for a changed template that is not valid.
 */
export async function replyTo(
  view: SupportView,
  { domain, requested, changed = [], language }: ReplyOptions,
  machine: Machine,
): Promise<Reply> {
  const { about, product } = subjectOf(view, requested, changed);
  const template = await nearestTemplate(about, language, machine);
  return {
    about,
    product,
    language: template.language,
    text: fillTemplate(template.text, { product, domain }),
  };
}

/** What a reply is about. A known reader without a product to ask about is asked for the receipt. */
function subjectOf(
  { decisions, purchases, isKnown }: SupportView,
  requested: readonly string[],
  changed: readonly string[],
): { readonly about: Situation; readonly product: string } {
  const asked = askedAbout(decisions, requested, changed);
  const other = asked?.access.other;
  // The reader most likely means the page that was bought.
  if (other?.access.allowed)
    return { about: situationOf(other.access.decision, other.access.reasonCode), product: other.item };
  if (asked !== undefined)
    return {
      about: situationOf(asked.access.decision, asked.access.reasonCode),
      product: asked.access.boughtAs ?? asked.product,
    };
  if (!isKnown) return { about: 'login_required', product: '' };
  const bought = purchases.find(entry => isActive(entry) && typeof entry.item === 'string')?.item;
  return typeof bought === 'string'
    ? { about: 'allowed', product: bought }
    : { about: 'unknown_product', product: '' };
}

/**
 * A requested product before others, and a known handle before an unknown one; else one whose decision has changed; else the first product
 * without access. An item only where it was requested, or where there is no product.
 */
function askedAbout(
  all: readonly ProductDecision[],
  requested: readonly string[],
  changed: readonly string[],
): ProductDecision | undefined {
  const meant = all.filter(({ product, isItem }) => !isItem || requested.includes(product));
  const decisions = meant.length > 0 ? meant : all;
  const isKnown = ({ access }: ProductDecision) => access.decision !== 'unknown_product';
  const isRequested = ({ product }: ProductDecision) => requested.includes(product);
  return (
    decisions.find(each => isRequested(each) && isKnown(each)) ??
    decisions.find(({ product }) => changed.includes(product)) ??
    decisions.find(each => !each.access.allowed && isKnown(each)) ??
    decisions.find(isRequested) ??
    decisions[0]
  );
}

/** What differs from the last time. */
interface DecisionChange {
  /** Null where the site knows the reader now and did not then, or the other way round. */
  readonly product: string | null;
  /** `allowed → suspended`, or `allowed before, not listed now` */
  readonly change: string;
  /** RFC 3339. */
  readonly from: string;
  readonly to: string;
}

export interface Changes {
  /** RFC 3339; undefined if there is nothing to compare with. */
  readonly since: string | undefined;
  readonly changes: readonly DecisionChange[];
  /** Products that the earlier look did not check. */
  readonly added: readonly string[];
  /** Why nothing was compared. */
  readonly reason?: string;
  /** Why these decisions are not remembered. */
  readonly notStored?: FileError;
}

function notCompared(reason: string): Changes {
  return { since: undefined, changes: [], added: [], reason };
}

/** Whose decisions are explained, where and when. */
interface ExplainedReader {
  readonly reader: Reader;
  readonly gateway: string;
  readonly domain: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * What changed since this machine last explained the reader's decisions, which are then remembered. Nothing is stored for a
 * session token.
 */
export async function explainReader(
  { decisions, isKnown }: SupportView,
  { reader, gateway, domain, now: time }: ExplainedReader,
  machine: Machine,
): Promise<Changes> {
  if (reader.kind === 'token')
    return notCompared('Changes are unknown: nothing is stored for a session token.');
  const at = new Date(time).toISOString();
  const now: SeenDecisions = {
    ...{ at, isKnown },
    decisions: decisions.map(({ product, access }) => ({
      product,
      decision: access.decision,
      reasonCode: access.reasonCode ?? null,
    })),
  };
  try {
    const seen = await SeenReaders.open([gateway, domain], machine);
    const before = await seen.last(reader.email);
    await seen.remember(reader.email, merged(before, now));
    return before === undefined
      ? notCompared('First look; nothing to compare with.')
      : { since: before.at, changes: differences(before, now), added: addedTo(before, now) };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const reason = 'Changes are unknown: the decisions of the last check cannot be read.';
    // Without a home nothing is ever stored, which is no failure.
    return error.path === '' ? notCompared(reason) : { ...notCompared(reason), notStored: error };
  }
}

/** Preserves decisions on products that this call does not check. */
function merged(before: SeenDecisions | undefined, now: SeenDecisions): SeenDecisions {
  const products = new Set(now.decisions.map(({ product }) => product));
  const kept = (before?.decisions ?? [])
    .filter(({ product }) => !products.has(product))
    .map(decision => ({ ...decision, isEarlier: true }));
  return { ...now, decisions: [...now.decisions, ...kept].slice(0, 1000) };
}

function differences(before: SeenDecisions, now: SeenDecisions): DecisionChange[] {
  const times = { from: before.at, to: now.at };
  const known = (isKnown: boolean | undefined) => (isKnown ? 'known' : 'unknown');
  const isOther = before.isKnown !== undefined && before.isKnown !== now.isKnown;
  const reader = { product: null, change: `${known(before.isKnown)} → ${known(now.isKnown)}`, ...times };
  const changed = now.decisions.flatMap(({ product, ...decision }) => {
    const earlier = before.decisions.find(each => each.product === product);
    if (earlier === undefined) return [];
    const [was, is] = [word(earlier), word(decision)];
    return was === is ? [] : [{ product, change: `${was} → ${is}`, ...times }];
  });
  const listed = new Set(now.decisions.map(({ product }) => product));
  const missing = before.decisions
    .filter(({ product, isEarlier }) => !isEarlier && !listed.has(product))
    .map(decision => ({
      product: decision.product,
      change: `${word(decision)} before, not listed now`,
      ...times,
    }));
  return [...(isOther ? [reader] : []), ...changed, ...missing];
}

function addedTo(before: SeenDecisions, now: SeenDecisions): string[] {
  const known = new Set(before.decisions.map(({ product }) => product));
  return now.decisions.map(({ product }) => product).filter(product => !known.has(product));
}

/** What the absence of changes means: nothing has changed, or nothing was compared. */
export function noChangesText({ reason, added }: Changes): string {
  if (reason !== undefined) return reason;
  return added.length === 0
    ? 'No decision has changed.'
    : `No decision has changed; checked for the first time: ${added.join(', ')}.`;
}

function word({
  decision,
  reasonCode,
}: {
  readonly decision: string;
  readonly reasonCode: string | null;
}): string {
  return decision === 'allowed' ? decision : (reasonCode ?? decision);
}
