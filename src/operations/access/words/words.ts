import type { Advice } from '../../../apis/subscriptions/advice.ts';
import type { EntryProblem } from '../../../apis/subscriptions/entry-problems.ts';
import type { BuiltInLanguage } from '../../../apis/subscriptions/languages.ts';
import type { Taken } from '../../../apis/subscriptions/pasted-text.ts';
import type { Situation } from '../../../apis/subscriptions/situation.ts';
import type { OpenedNote } from '../../../files/opened-note.ts';
import type { Decision, ReasonCode } from '../../../wire/subscriptions.ts';

/** A decision, a reason, whether the site knows a reader, that it holds nothing, or that it bought nothing. */
type Code = Decision | ReasonCode | 'known' | 'unknown' | 'no_product' | 'no_purchase';

/** What a purchase may be; the specification shows `active` alone. */
type PurchaseStatus = 'active' | 'expired' | 'not_started' | 'suspended' | 'pending' | 'revoked';

/** How many of a kind. */
interface Count {
  readonly word: string;
  readonly count: number;
}

/** All that an agent reads in an answer, in one language. Products, items, dates and counts of other words are texts. */
export interface Words {
  readonly tag: BuiltInLanguage;
  /** What a line of stderr starts with. */
  readonly note: string;
  readonly warning: string;
  readonly yes: string;
  readonly no: string;
  readonly meanings: Readonly<Record<Situation, Advice>>;
  readonly codes: Readonly<Record<Code, string>>;
  readonly statuses: Readonly<Record<PurchaseStatus, string>>;
  readonly withoutStatus: string;
  readonly term: {
    readonly ended: (day: string) => string;
    readonly until: (day: string) => string;
    readonly unlimited: string;
  };
  readonly headline: {
    readonly unknownSession: (domain: string) => string;
    readonly unknownAddress: (domain: string) => string;
    readonly access: (products: string) => string;
    readonly noAccess: (product: string, meaning: string) => string;
    /** The reader has access to another spelling of the item. */
    readonly otherSpelling: (typed: string, item: string) => string;
    readonly items: (count: number) => string;
    readonly oneItem: (status: string) => string;
    readonly itemsByStatus: (count: number, statuses: readonly Count[]) => string;
    readonly removedProducts: string;
    readonly nothing: (domain: string) => string;
  };
  readonly steps: {
    /** What to do about a product. */
    readonly about: (product: string, step: string) => string;
    readonly didYouMean: (handle: string, step: string) => string;
    readonly signIn: string;
    readonly checkSpelling: string;
    readonly boughtAs: (item: string) => string;
    readonly otherBought: (item: string, meaning: string | undefined) => string;
    readonly notCompared: (problem: string) => string;
    readonly checkItem: (item: string, status: string) => string;
    readonly orderUntold: (order: string) => string;
    readonly orderMissing: (order: string) => string;
    readonly orderOf: (order: string, product: string, status: string) => string;
    readonly removedProduct: string;
    readonly unknownStatus: string;
    readonly refund: string;
    /** That the reply is about something else. */
    readonly refundReply: string;
    readonly noLongerOffered: string;
  };
  readonly changes: {
    readonly reader: string;
    readonly changed: (before: string, now: string) => string;
    readonly notListed: (before: string) => string;
    readonly none: string;
    readonly noneBut: (added: string) => string;
    /** Why nothing was compared. */
    readonly unknown: Readonly<Record<'first' | 'session' | 'unreadable', string>>;
    readonly today: string;
    readonly yesterday: string;
  };
  readonly labels: {
    readonly reader: (shown: string, domain: string) => string;
    readonly session: string;
    readonly access: string;
    /** What the reply to a reader is about whom the site does not know. */
    readonly unknownAddress: string;
    readonly noProduct: string;
    readonly next: string;
    readonly nothing: string;
    readonly purchases: string;
    readonly noPurchases: string;
    readonly sinceLastTime: string;
    readonly since: (moment: string) => string;
    readonly reply: (about: string, language: string) => string;
    readonly columns: Readonly<
      Record<
        | 'product'
        | 'item'
        | 'allowed'
        | 'reason'
        | 'meaning'
        | 'nearest'
        | 'status'
        | 'ends'
        | 'reader'
        | 'products'
        | 'answer'
        | 'since'
        | 'next'
        | 'error',
        string
      >
    >;
  };
  readonly list: {
    readonly readers: (domain: string) => string;
    readonly products: (domain: string) => string;
    readonly anyProduct: string;
    readonly granted: (name: string, granted: number, asked: number, without: readonly Count[]) => string;
    readonly lines: (lines: number, readers: number) => string;
    readonly failed: (count: number) => string;
    readonly invalid: (count: number) => string;
    readonly firstLines: (shown: number, all: number) => string;
    readonly sheets: { readonly summary: string; readonly readers: string };
    readonly problems: Readonly<Record<EntryProblem, string>>;
    readonly opened: (note: OpenedNote) => string;
    /** What messages call a list that is no file. */
    readonly text: string;
    readonly content: string;
  };
  readonly took: (taken: Taken) => string;
  readonly tookProducts: (products: readonly string[]) => string;
  readonly forSameReader: (took: string) => string;
  readonly problems: {
    readonly notAnAddress: string;
    readonly typeAddress: string;
    readonly namesNoReader: (taken: Taken) => string;
    readonly addAddress: string;
    readonly askForAddress: string;
    readonly nothingToRepeat: string;
    readonly pasteAddress: string;
  };
}

/** A decision or reason in a word; one that is not documented, as it is. */
export function codeWord(code: string, { codes }: Words): string {
  return Object.hasOwn(codes, code) ? codes[code as Code] : code;
}

/** The status of a purchase in a word; one that is not known, as it is. */
export function statusWord(status: string, { statuses }: Words): string {
  return Object.hasOwn(statuses, status) ? statuses[status as PurchaseStatus] : status;
}
