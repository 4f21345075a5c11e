import { isActive, type PurchaseEntry } from '../../apis/subscriptions/holdings.ts';
import type { Reader } from '../../apis/subscriptions/reader.ts';
import type { Site } from '../../apis/subscriptions/requests.ts';
import type { Sender } from '../../http/sender.ts';
import { isJsonNumber, type Json, textOf } from '../../json/index.ts';
import type { Machine } from '../machine.ts';
import { type Dates, withDates } from './decision-words.ts';
import { type Changes, explainReader, type Reply, replyTo } from './explain-reader.ts';
import { lookUpReader, type RequestedAccess, type SupportView } from './look-up-reader.ts';

/** What the agent asks about a reader. */
export interface ReaderQuestion extends RequestedAccess {
  readonly items: readonly string[];
  /** Products and items that were named as such; other items are pages that a paste links to. */
  readonly named: readonly string[];
  /** Order numbers, which a purchase may have. */
  readonly orders: readonly string[];
  readonly asksRefund: boolean;
}

/** Where answers come from, and how they are said. */
export interface AnswerSource {
  readonly sender: Sender;
  readonly site: Site;
  readonly machine: Machine;
  /** The gateway as stored decisions name it. */
  readonly gateway: string;
  readonly dates: Dates;
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
  const { site, gateway, dates, language, machine } = source;
  const { domain } = site;
  const view = withDates(await lookUpReader(source.sender, site, reader, question), dates);
  const changes = await explainReader(view, { reader, gateway, domain, now: dates.now }, machine);
  // Most pages are part of a product, and were never for sale alone.
  const isSold = (item: string) =>
    view.decisions.some(
      ({ product, nearest, access }) => product === item && (access.allowed || nearest !== undefined),
    );
  const reply = await replyTo(
    view,
    {
      ...{ domain, language },
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
export function headline({
  view,
  domain,
  isSession,
}: Pick<ReaderAnswer, 'view' | 'domain' | 'isSession'>): string[] {
  const { decisions, purchases, isKnown } = view;
  if (!isKnown)
    return [
      isSession
        ? `This session is not signed in at ${domain}, or has ended.`
        : `This address is not known at ${domain}.`,
    ];
  const granted = decisions.filter(({ access }) => access.allowed).map(({ product }) => product);
  const denied = decisions.filter(({ access }) => !access.allowed);
  const items = purchases.filter(({ item }) => item !== undefined);
  const sentences = [
    ...(granted.length > 0 ? [`Access to ${granted.join(', ')}.`] : []),
    ...denied.map(({ product, access }) =>
      access.other?.access.allowed
        ? `No access to ${product} as typed, but to ${access.other.item}.`
        : `No access to ${product}: ${access.meaning}.`,
    ),
    ...(items.length > 0 ? [itemSentence(items)] : []),
  ];
  if (sentences.length > 0) return sentences;
  return [
    purchases.length > 0
      ? 'Known, with purchases of products that are no longer offered.'
      : `Known at ${domain}, without any product or purchase.`,
  ];
}

/** `Bought 3 single items: 1 active, 2 pending.` Only active ones give access, so the others are counted. */
function itemSentence(items: readonly PurchaseEntry[]): string {
  const bought = `Bought ${items.length === 1 ? 'one single item' : `${items.length} single items`}`;
  if (items.every(isActive)) return `${bought}.`;
  const statuses = items.map(statusOf);
  const counts = [...new Set(statuses)].map(
    status => `${statuses.filter(each => each === status).length} ${status}`,
  );
  return items.length === 1 ? `${bought}, which is ${statuses[0]}.` : `${bought}: ${counts.join(', ')}.`;
}

function statusOf({ status = 'without a status' }: PurchaseEntry): string {
  return textOf(status);
}

/** What the agent can do next, a sentence each. */
export function nextSteps({
  view,
  orders,
  asksRefund,
  isSession,
}: Omit<ReaderAnswer, 'changes' | 'reply'>): string[] {
  const spelling = isSession
    ? 'Have the reader sign in again.'
    : 'Check the spelling, or ask which address is on the receipt.';
  const steps = view.isKnown
    ? view.decisions.flatMap(({ product, isItem, nearest, access }) => [
        ...(access.boughtAs === undefined ? [] : [`${product}: bought as ${access.boughtAs}`]),
        ...(isItem && nearest !== undefined
          ? [
              `${product}: not bought, but ${nearest} is${access.other === undefined ? '' : `: ${access.other.access.meaning}`}`,
            ]
          : []),
        ...(access.notCompared === undefined
          ? []
          : [`${product}: the purchases could not be compared: ${access.notCompared}`]),
        ...(access.other?.access.allowed ? [] : [`${product}: ${access.next}`]),
      ])
    : [spelling];
  const decided = new Set(view.decisions.map(({ product, access }) => access.boughtAs ?? product));
  const items = view.purchases
    .filter(entry => typeof entry.item === 'string' && !isActive(entry) && !decided.has(entry.item))
    .map(
      entry => `${textOf(entry.item ?? null)} is ${statusOf(entry)}: check it as an item for the decision`,
    );
  const matched = orders.map(({ order, purchase }) => {
    if (purchase === undefined && !tellsOrders(view.purchases))
      return `Order ${order} cannot be matched: the API has no order numbers of purchases; ask for the address on the receipt.`;
    if (purchase === undefined)
      return `Order ${order}: no purchase of this reader shows this number; ask for the address on the receipt.`;
    const { productKey = purchase.item ?? 'a removed product', status = 'unknown' } = purchase;
    return `Order ${order} is the purchase of ${textOf(productKey)}, status ${textOf(status)}.`;
  });
  const refund =
    'Refund: issue it where the reader paid, then check again: the decision changes once the gateway has the refund.';
  return [...steps, ...items, ...matched, ...(asksRefund ? [refund] : [])];
}
