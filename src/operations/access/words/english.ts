import { ADVICE } from '../../../apis/subscriptions/advice.ts';
import { ENTRY_PROBLEMS } from '../../../apis/subscriptions/entry-problems.ts';
import { openedText } from '../../../files/opened-note.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import { countedText, listed, placesText } from './places.ts';
import type { Words } from './words.ts';

/** Of words in the counts of a list. */
const PLURALS = { known: 'known addresses', unknown: 'unknown addresses' };

export const ENGLISH: Words = {
  tag: 'en',
  note: 'note',
  warning: 'warning',
  yes: 'yes',
  no: 'no',
  meanings: ADVICE,
  codes: {
    allowed: 'allowed',
    denied: 'denied',
    login_required: 'login_required',
    expired: 'expired',
    revoked: 'revoked',
    unknown_product: 'unknown_product',
    customer_required: 'customer_required',
    no_entitlement: 'no_entitlement',
    not_started: 'not_started',
    suspended: 'suspended',
    pending: 'pending',
    known: 'known',
    unknown: 'unknown',
    no_product: 'no product',
    no_purchase: 'no purchase',
  },
  statuses: {
    active: 'active',
    expired: 'expired',
    not_started: 'not_started',
    suspended: 'suspended',
    pending: 'pending',
    revoked: 'revoked',
  },
  withoutStatus: 'without a status',
  term: {
    ended: day => `the access ended on ${day}`,
    until: day => `the reader has access until ${day}`,
    unlimited: 'the reader has access, without an end date',
  },
  headline: {
    unknownSession: domain => `This session is not signed in at ${domain}, or has ended.`,
    unknownAddress: domain => `This address is not known at ${domain}.`,
    access: products => `Access to ${products}.`,
    noAccess: (product, meaning) => `No access to ${product}: ${meaning}.`,
    otherSpelling: (typed, item) => `No access to ${typed} as typed, but to ${item}.`,
    items: count => `${bought(count)}.`,
    oneItem: status => `${bought(1)}, which is ${status}.`,
    itemsByStatus: (count, statuses) =>
      `${bought(count)}: ${statuses.map(each => `${each.count} ${each.word}`).join(', ')}.`,
    removedProducts: 'Known, with purchases of products that are no longer offered.',
    nothing: domain => `Known at ${domain}, without any product or purchase.`,
  },
  steps: {
    about: (product, step) => `${product}: ${step}`,
    didYouMean: (handle, step) => `did you mean ${handle}? ${step}`,
    signIn: 'Have the reader sign in again.',
    checkSpelling: 'Check the spelling, or ask which address is on the receipt.',
    boughtAs: item => `bought as ${item}`,
    otherBought: (item, meaning) =>
      `not bought, but ${item} is${meaning === undefined ? '' : `: ${meaning}`}`,
    notCompared: problem => `the purchases could not be compared: ${problem}`,
    checkItem: (item, status) => `${item} is ${status}: check it as an item for the decision`,
    orderUntold: order =>
      `Order ${order} cannot be matched: the API has no order numbers of purchases; ask for the address on the receipt.`,
    orderMissing: order =>
      `Order ${order}: no purchase of this reader shows this number; ask for the address on the receipt.`,
    orderOf: (order, product, status) => `Order ${order} is the purchase of ${product}, status ${status}.`,
    removedProduct: 'a removed product',
    unknownStatus: 'unknown',
    refund:
      'Refund: issue it where the reader paid, then check again: the decision changes once the gateway has the refund.',
    refundReply: 'The reply does not mention the refund: add a sentence about it.',
    noLongerOffered: 'bought a product that is no longer offered: look for what replaces it',
  },
  changes: {
    reader: 'the reader',
    changed: (before, now) => `${before} → ${now}`,
    notListed: before => `${before} before, not listed now`,
    none: 'No decision has changed.',
    noneBut: added => `No decision has changed; checked for the first time: ${added}.`,
    unknown: {
      first: 'First look; nothing to compare with.',
      session: 'Changes are unknown: nothing is stored for a session token.',
      unreadable: 'Changes are unknown: the decisions of the last check cannot be read.',
    },
    today: 'today',
    yesterday: 'yesterday',
  },
  labels: {
    reader: (shown, domain) => `Reader ${shown} at ${domain}`,
    session: '(session token)',
    access: 'Access',
    unknownAddress: 'unknown address',
    noProduct: 'No product to check.',
    next: 'What to do',
    nothing: 'Nothing.',
    purchases: 'Purchases',
    noPurchases: 'No purchases.',
    sinceLastTime: 'Since last time',
    since: moment => `Since ${moment}`,
    reply: (about, language) => `Reply (${about}, ${language})`,
    columns: {
      product: 'Product',
      item: 'Item',
      allowed: 'Access',
      reason: 'Reason',
      meaning: 'In words',
      nearest: 'Nearest',
      status: 'Status',
      ends: 'Ends',
      reader: 'Reader',
      products: 'Products',
      answer: 'Answer',
      since: 'Since last time',
      next: 'What to do',
      error: 'Error',
    },
  },
  list: {
    readers: domain => `Readers at ${domain}`,
    products: domain => `Products at ${domain}`,
    anyProduct: 'any product',
    granted: (name, granted, asked, without) => {
      const others = without.reduce((sum, { count }) => sum + count, 0);
      const named = countedText(without, PLURALS);
      const rest = others === 0 ? '' : `; ${others} without access (${named})`;
      return `${name}: ${granted} of ${pluralize(asked, 'reader')} with access${rest}`;
    },
    lines: (lines, readers) => `${lines} lines name ${readers} readers`,
    failed: count => `${count} could not be checked`,
    invalid: count => `${count} without a valid address`,
    firstLines: (shown, all) => `The first ${shown} of ${all} lines.`,
    sheets: { summary: 'Summary', readers: 'Readers' },
    problems: ENTRY_PROBLEMS,
    opened: openedText,
    text: 'the text',
    content: 'the list',
  },
  took: taken => `using ${takenText(taken)}`,
  tookProducts: products => `using ${products.map(product => `+${product}`).join(' ')}`,
  forSameReader: took => `${took}, for the same reader`,
  problems: {
    notAnAddress: 'not a valid e-mail address',
    typeAddress: 'pass an address such as name@example.com',
    namesNoReader: taken => `${takenText(taken)} names no reader`,
    addAddress: "add the reader's address to it",
    askForAddress: 'the API finds readers only by address: ask which one is on the receipt',
    nothingToRepeat: 'there is no reader to look up again',
    pasteAddress: 'type or paste an address',
  },
};

function bought(count: number): string {
  return `Bought ${count === 1 ? 'one single item' : `${count} single items`}`;
}

function takenText(taken: Parameters<Words['took']>[0]): string {
  const { emails, sender, items, orders, ignored } = taken;
  const parts: string[] = [];
  const count = emails === 1 ? 'the address' : `${emails} addresses`;
  const others =
    taken.others === 0
      ? ''
      : taken.others === 1
        ? ', not the other address in the text'
        : `, not the ${taken.others} other addresses in the text`;
  if (emails > 0) parts.push(sender === undefined ? count : `${count} of ${sender}${others}`);
  const skipped = placesText(taken.skipped, {
    line: 'line',
    word: 'word',
    more: rest => ` and ${rest} more`,
  });
  if (skipped !== '') parts.push(`not ${skipped}: not an e-mail address`);
  const tracking = taken.isTracked ? ' without its tracking' : '';
  if (items.length > 0)
    parts.push(`${items.length === 1 ? 'the page' : 'the pages'} ${listed(items, 'en')}${tracking}`);
  if (orders.length > 0) parts.push(`the order number ${listed(orders, 'en')}`);
  if (taken.asksRefund) parts.push('the request for a refund');
  const pages = `not the pages of ${ignored.slice(0, 5).join(', ')}`;
  if (ignored.length > 0) parts.push(parts.length === 0 ? `nothing, ${pages}` : pages);
  return parts.join(', ');
}
