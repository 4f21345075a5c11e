import { isActive, type PurchaseEntry } from '../../apis/subscriptions/holdings.ts';
import type { Reader } from '../../apis/subscriptions/reader.ts';
import type { Site } from '../../apis/subscriptions/requests.ts';
import { situationOf } from '../../apis/subscriptions/situation.ts';
import type { Sender } from '../../http/sender.ts';
import { isJsonNumber, type Json, textOf } from '../../json/index.ts';
import type { Machine } from '../machine.ts';
import { meaningText, nextText, type Speech, withTerms } from './decision-words.ts';
import { type Changes, type Reply, replyTo, SeenBefore } from './explain-reader.ts';
import {
  lookUpReader,
  type ProductDecision,
  type RequestedAccess,
  type SupportView,
} from './look-up-reader.ts';
import { listed } from './words/places.ts';
import { statusWord, type Words } from './words/words.ts';

/** What the agent asks about a reader. */
export interface ReaderQuestion extends RequestedAccess {
  readonly items: readonly string[];
  readonly named: readonly string[];
  /** Order numbers, which a purchase may have. */
  readonly orders: readonly string[];
  readonly asksRefund: boolean;
}

/** Where answers come from. */
export interface AnswerSource {
  readonly sender: Sender;
  readonly site: Site;
  readonly machine: Machine;
  /** The gateway as stored decisions name it. */
  readonly gateway: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The language of the reply. */
  readonly language: string;
}

/** All that is said about a reader. */
export interface ReaderAnswer {
  readonly isSession: boolean;
  readonly domain: string;
  readonly view: SupportView;
  readonly changes: Changes;
  readonly reply: Reply;
  /** The purchase that shows an order number; undefined where none does. */
  readonly orders: readonly { readonly order: string; readonly purchase: PurchaseEntry | undefined }[];
  readonly asksRefund: boolean;
}

/** Looks up everything about a reader and remembers the decisions for the next time. Throws the errors of requests and of `replyTo`. */
export async function answerReader(
  reader: Reader,
  question: ReaderQuestion,
  source: AnswerSource,
): Promise<ReaderAnswer> {
  const { site, gateway, now, language, machine } = source;
  const { domain } = site;
  const view = withTerms(await lookUpReader(source.sender, site, reader, question), now);
  const seen = await SeenBefore.open({ gateway, domain }, now, machine);
  const changes = await seen.explain(reader, view, now);
  // Most pages are part of a product, and were never for sale alone.
  const isSold = (item: string) =>
    view.decisions.some(
      ({ product, nearest, access }) =>
        product === item && (access.allowed || access.boughtAs !== undefined || nearest !== undefined),
    );
  const reply = await replyTo(
    view,
    {
      ...{ domain, language, isSession: reader.kind === 'token' },
      requested: [...question.named, ...question.items.filter(isSold)],
      changed: changes.changes.flatMap(({ product }) => product ?? []),
    },
    machine,
  );
  const orders = question.orders.map(order => ({
    order,
    purchase: view.purchases.find(entry => isOf(entry, order)),
  }));
  return {
    isSession: reader.kind === 'token',
    ...{ domain, view, changes, reply, orders },
    asksRefund: question.asksRefund,
  };
}

/** Whether a field that the specification leaves open is the number of an order. */
function isOf(
  { productKey: _, item: __, status: ___, expiresAt: ____, ...others }: PurchaseEntry,
  order: string,
) {
  return Object.values(others).some(
    value =>
      (typeof value === 'string' || isJsonNumber(value)) &&
      textOf(value).replace(/^#/, '').toLowerCase() === order.toLowerCase(),
  );
}

/** Names of fields that may hold the number of an order; the specification has none. */
const ORDER_FIELD = /order|invoice|receipt|transaction|payment|reference|number|(?:^|[^a-z])id$|Id$/;

/** Whether purchases tell order numbers, so that a missing one says something. */
function tellsOrders(purchases: readonly PurchaseEntry[]): boolean {
  const isNumber = ([name, value]: [string, unknown]) =>
    ORDER_FIELD.test(name) && (typeof value === 'string' || isJsonNumber(value as Json));
  return purchases.some(entry => Object.entries(entry).some(isNumber));
}

/** What the decisions come to, in sentences. */
export function headline(
  { view, domain, isSession }: Pick<ReaderAnswer, 'view' | 'domain' | 'isSession'>,
  speech: Speech,
): string[] {
  const { decisions, purchases, isKnown } = view;
  const { headline: words } = speech.words;
  if (!isKnown) return [isSession ? words.unknownSession(domain) : words.unknownAddress(domain)];
  const granted = decisions.filter(({ access }) => access.allowed).map(({ product }) => product);
  const denied = decisions.filter(({ access }) => !access.allowed);
  const items = purchases.filter(({ item }) => item !== undefined);
  const sentences = [
    ...(granted.length > 0 ? [words.access(listed(granted, speech.words.tag))] : []),
    ...denied.map(decision => {
      const { product, access } = decision;
      return access.other?.access.allowed
        ? words.otherSpelling(product, access.other.item)
        : words.noAccess(product, meaningText(decision, speech));
    }),
    ...(items.length > 0 ? [itemSentence(items, speech.words)] : []),
  ];
  if (sentences.length > 0) return sentences;
  return [purchases.length > 0 ? words.removedProducts : words.nothing(domain)];
}

/** `Bought 3 single items: 1 active, 2 pending.` Only active ones give access, so the others are counted. */
function itemSentence(items: readonly PurchaseEntry[], words: Words): string {
  const { headline: said } = words;
  if (items.every(isActive)) return said.items(items.length);
  const statuses = items.map(item => statusOf(item, words));
  const [first = ''] = statuses;
  if (items.length === 1) return said.oneItem(first);
  const counts = [...new Set(statuses)].map(word => ({
    word,
    count: statuses.filter(each => each === word).length,
  }));
  return said.itemsByStatus(items.length, counts);
}

function statusOf({ status }: PurchaseEntry, words: Words): string {
  return status === undefined ? words.withoutStatus : statusWord(textOf(status), words);
}

/** What the agent can do next, a sentence each. */
export function nextSteps(
  { view, orders, asksRefund, isSession }: Omit<ReaderAnswer, 'changes' | 'reply'>,
  speech: Speech,
): string[] {
  const { words } = speech;
  const { steps: said } = words;
  const hasNothing = view.decisions.length === 0 && view.purchases.length === 0;
  const known = hasNothing
    ? [words.meanings.no_purchase.next]
    : view.decisions.flatMap(decision => stepsFor(decision, speech));
  const steps = view.isKnown ? known : [isSession ? said.signIn : said.checkSpelling];
  const decided = new Set(view.decisions.map(({ product, access }) => access.boughtAs ?? product));
  const items = view.purchases
    .filter(entry => typeof entry.item === 'string' && !isActive(entry) && !decided.has(entry.item))
    .map(entry => said.checkItem(textOf(entry.item ?? null), statusOf(entry, words)));
  const matched = orders.map(({ order, purchase }) => {
    if (purchase === undefined && !tellsOrders(view.purchases)) return said.orderUntold(order);
    if (purchase === undefined) return said.orderMissing(order);
    const { productKey = purchase.item ?? said.removedProduct, status } = purchase;
    const shown = status === undefined ? said.unknownStatus : statusWord(textOf(status), words);
    return said.orderOf(order, textOf(productKey), shown);
  });
  return [...steps, ...items, ...matched, ...(asksRefund ? [said.refund, said.refundReply] : [])];
}

/** What to do about one decision; what was bought instead first. */
function stepsFor(decision: ProductDecision, speech: Speech): string[] {
  const { product, isItem, nearest, access } = decision;
  const { steps: said, meanings } = speech.words;
  const other = access.other?.access;
  const steps: string[] = [];
  if (access.boughtAs !== undefined) steps.push(said.boughtAs(access.boughtAs));
  if (isItem && nearest !== undefined)
    steps.push(
      said.otherBought(
        nearest,
        other && meanings[situationOf(other.decision, other.reasonCode, true)].meaning,
      ),
    );
  if (access.notCompared !== undefined) steps.push(said.notCompared(access.notCompared));
  if (!other?.allowed) steps.push(nextText(decision, speech));
  return steps.map(step => said.about(product, step));
}
