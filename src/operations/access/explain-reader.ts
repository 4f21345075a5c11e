import { isActive } from '../../apis/subscriptions/holdings.ts';
import type { Reader } from '../../apis/subscriptions/reader.ts';
import { fillTemplate } from '../../apis/subscriptions/replies/reply.ts';
import { type Situation, situationOf } from '../../apis/subscriptions/situation.ts';
import { FileError } from '../../errors/index.ts';
import type { Machine } from '../machine.ts';
import type { ProductDecision, SupportView } from './look-up-reader.ts';
import { nearestTemplate } from './reply-templates.ts';
import { type SeenDecisions, SeenReaders } from './seen-readers.ts';
import { codeWord, type Words } from './words/words.ts';

/** A reply to a reader, ready to paste. */
export interface Reply {
  readonly about: Situation;
  readonly product: string;
  readonly language: string;
  readonly text: string;
}

interface ReplyOptions {
  readonly domain: string;
  /** Products that were asked about. */
  readonly requested: readonly string[];
  readonly isSession: boolean;
  /** Products whose decision is another one than the last time. */
  readonly changed?: readonly string[];
  readonly language: string;
}

/**
 * The reply for the decision that the reader's question most likely concerns. Throws UsageError for a language without replies, and for a changed template that is not valid.
 */
export async function replyTo(
  view: SupportView,
  { domain, requested, isSession, changed = [], language }: ReplyOptions,
  machine: Machine,
): Promise<Reply> {
  return await replyIn(language, { ...subjectOf(view, requested, changed, isSession), domain }, machine);
}

/** A reply in a language. Throws as `replyTo`. */
export async function replyIn(
  language: string,
  { about, product, domain }: Subject & { readonly domain: string },
  machine: Machine,
): Promise<Reply> {
  const template = await nearestTemplate(about, language, machine);
  return {
    about,
    product,
    language: template.language,
    text: fillTemplate(template.text, { product, domain }),
  };
}

/** What a reply is about. */
interface Subject {
  readonly about: Situation;
  readonly product: string;
}

/** What a reply is about. A known reader without any purchase may have used another address. */
function subjectOf(
  { decisions, purchases, isKnown }: SupportView,
  requested: readonly string[],
  changed: readonly string[],
  isSession: boolean,
): Subject {
  if (!isKnown && isSession) return { about: 'login_required_session', product: '' };
  const asked = askedAbout(decisions, requested, changed);
  const other = asked?.access.other;
  // The reader most likely means the page that was bought.
  if (other !== undefined)
    return {
      about: situationOf(other.access.decision, other.access.reasonCode, true),
      product: other.item,
    };
  if (asked !== undefined)
    return {
      about: situationOf(asked.access.decision, asked.access.reasonCode, asked.isItem),
      product: asked.access.boughtAs ?? asked.product,
    };
  if (!isKnown) return { about: 'login_required', product: '' };
  const bought = purchases.find(entry => isActive(entry) && typeof entry.item === 'string')?.item;
  return typeof bought === 'string'
    ? { about: 'allowed_item', product: bought }
    : { about: purchases.length === 0 ? 'no_purchase' : 'unknown_product', product: '' };
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
  /** The decision or its reason; `known` or `unknown` for the reader. */
  readonly before: string;
  /** Null where it is not listed now. */
  readonly now: string | null;
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
  readonly unknown?: Uncompared;
  /** Why these decisions are not remembered. */
  readonly notStored?: FileError;
}

/** Why there is nothing to compare with: it is the first look, the reader is a session, or what is stored cannot be read. */
type Uncompared = keyof Words['changes']['unknown'];

function notCompared(unknown: Uncompared): Changes {
  return { since: undefined, changes: [], added: [], unknown };
}

/** What readers' decisions are compared with: what this machine has seen of a gateway and a domain. */
export class SeenBefore {
  readonly #seen: SeenReaders | FileError;

  private constructor(seen: SeenReaders | FileError) {
    this.#seen = seen;
  }

  /** Opens what was seen, and forgets what is too old at `now`, in milliseconds since the epoch. */
  static async open(
    { gateway, domain }: { readonly gateway: string; readonly domain: string },
    now: number,
    machine: Machine,
  ): Promise<SeenBefore> {
    try {
      const seen = await SeenReaders.open([gateway, domain], machine);
      await seen.removeOld(now);
      return new SeenBefore(seen);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      return new SeenBefore(error);
    }
  }

  /**
   * What changed since this machine last explained the reader's decisions, which are then remembered. Nothing is stored for a
   * session token.
   */
  async explain(
    reader: Reader,
    { decisions, isKnown, products, purchases }: SupportView,
    time: number,
  ): Promise<Changes> {
    if (reader.kind === 'token') return notCompared('session');
    const at = new Date(time).toISOString();
    const listed = new Set<unknown>([...products, ...purchases.map(({ productKey }) => productKey)]);
    const now: SeenDecisions = {
      ...{ at, isKnown },
      decisions: decisions.map(({ product, access }) => ({
        product,
        decision: access.decision,
        reasonCode: access.reasonCode ?? null,
        ...(!listed.has(product) && { isAsked: true }),
      })),
    };
    try {
      if (this.#seen instanceof FileError) throw this.#seen;
      const before = await this.#seen.last(
        reader.email,
        decisions.map(({ product }) => product),
      );
      await this.#seen.remember(reader.email, merged(before, now));
      return before === undefined
        ? notCompared('first')
        : { since: before.at, changes: differences(before, now), added: addedTo(before, now) };
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      // Without a home nothing is ever stored, which is no failure.
      const changes = notCompared('unreadable');
      return error.path === '' ? changes : { ...changes, notStored: error };
    }
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
  const reader = { product: null, before: known(before.isKnown), now: known(now.isKnown), ...times };
  const changed = now.decisions.flatMap(({ product, ...decision }) => {
    const earlier = before.decisions.find(each => each.product === product);
    if (earlier === undefined) return [];
    const [was, is] = [word(earlier), word(decision)];
    return was === is ? [] : [{ product, before: was, now: is, ...times }];
  });
  const listed = new Set(now.decisions.map(({ product }) => product));
  const missing = before.decisions
    .filter(({ product, isEarlier, isAsked }) => !isEarlier && !isAsked && !listed.has(product))
    .map(decision => ({
      product: decision.product,
      before: word(decision),
      now: null,
      ...times,
    }));
  return [...(isOther ? [reader] : []), ...changed, ...missing];
}

function addedTo(before: SeenDecisions, now: SeenDecisions): string[] {
  const known = new Set(before.decisions.map(({ product }) => product));
  return now.decisions.map(({ product }) => product).filter(product => !known.has(product));
}

/** `allowed → suspended`, or `allowed before, not listed now`. */
export function changeText({ before, now }: DecisionChange, words: Words): string {
  const was = codeWord(before, words);
  return now === null ? words.changes.notListed(was) : words.changes.changed(was, codeWord(now, words));
}

/** What differs from the last time, a line each; or that nothing does, or that nothing was compared. */
export function changeLines({ changes, added, unknown }: Changes, words: Words): string[] {
  const { about } = words.steps;
  if (changes.length > 0)
    return changes.map(change => about(change.product ?? words.changes.reader, changeText(change, words)));
  if (unknown !== undefined) return [words.changes.unknown[unknown]];
  return [added.length === 0 ? words.changes.none : words.changes.noneBut(added.join(', '))];
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
