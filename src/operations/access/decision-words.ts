import { dayIn } from '../../apis/bda/days.ts';
import type { PurchaseEntry } from '../../apis/subscriptions/holdings.ts';
import { isActive } from '../../apis/subscriptions/holdings.ts';
import { situationOf } from '../../apis/subscriptions/situation.ts';
import { dateText, type Locale, localeOf } from '../../output/presentation/index.ts';
import type { ProductDecision, SupportView, Term } from './look-up-reader.ts';
import { answerLanguage } from './words/in-language.ts';
import type { Words } from './words/words.ts';

/** How times are said. */
export interface Dates {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly timeZone: string;
  /** That of the language of the answer; undefined for English. */
  readonly locale: Locale | undefined;
}

/** How an answer is said. */
export interface Speech {
  readonly words: Words;
  readonly dates: Dates;
}

/** The locale of dates in an answer: the machine's, unless it is that of another language of answers. */
export function localeFor({ tag }: Words, locale: Locale | undefined): Locale | undefined {
  const own = answerLanguage(locale?.tag ?? 'en');
  return own === undefined || own === tag ? locale : localeOf(tag);
}

/** Decisions with the dates that the purchases prove at `now`. */
export function withTerms(view: SupportView, now: number): SupportView {
  return { ...view, decisions: view.decisions.map(decision => withTerm(decision, view, now)) };
}

function withTerm(decision: ProductDecision, { purchases }: SupportView, now: number): ProductDecision {
  const { product, isItem, access } = decision;
  const key = access.boughtAs ?? product;
  const own = purchases.filter(entry => (isItem ? entry.item : entry.productKey) === key);
  const term =
    access.decision === 'expired' ? endOf(own, now) : access.allowed ? termOf(own, now) : undefined;
  return term === undefined ? decision : { ...decision, term };
}

/** Undefined unless each expired purchase has an end that has passed. The end of a revoked one is not when the access ended. */
function endOf(purchases: readonly PurchaseEntry[], now: number): Term | undefined {
  if (purchases.some(isActive)) return undefined;
  const ends = purchases.filter(({ status }) => status === 'expired').map(timeOf);
  if (ends.length === 0 || !ends.every(end => end !== undefined && end <= now)) return undefined;
  return { kind: 'ended', at: Math.max(...ends.map(Number)) };
}

function termOf(purchases: readonly PurchaseEntry[], now: number): Term | undefined {
  const active = purchases.filter(isActive);
  if (active.length === 0) return undefined;
  if (active.some(({ expiresAt }) => expiresAt === undefined)) return { kind: 'unlimited' };
  const ends = active.map(timeOf);
  if (!ends.every(end => end !== undefined && end > now)) return undefined;
  return { kind: 'until', at: Math.max(...ends.map(Number)) };
}

function timeOf({ expiresAt }: PurchaseEntry): number | undefined {
  const time = typeof expiresAt === 'string' ? Date.parse(expiresAt) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** A decision in words, with its date where the purchases prove one: `the access ended on 30 June 2024`. */
export function meaningText({ isItem, access, term }: ProductDecision, { words, dates }: Speech): string {
  switch (term?.kind) {
    case 'ended':
      return words.term.ended(dayText(term.at, dates));
    case 'until':
      return words.term.until(dayText(term.at, dates));
    case 'unlimited':
      return words.term.unlimited;
    default:
      return words.meanings[situationOf(access.decision, access.reasonCode, isItem)].meaning;
  }
}

/** What to do next about a decision. */
export function nextText(
  { isItem, nearest, access, isRemoved }: ProductDecision,
  { words }: Pick<Speech, 'words'>,
): string {
  if (isRemoved) return words.steps.noLongerOffered;
  const { next } = words.meanings[situationOf(access.decision, access.reasonCode, isItem)];
  return !isItem && nearest !== undefined ? words.steps.didYouMean(nearest, next) : next;
}

function dayText(time: number, { timeZone, locale }: Dates): string {
  return dateText(dayIn(time, timeZone), { locale });
}

/** `today, 16:38`, `yesterday, 09:00`, `3 March 2026, 16:38`. */
export function momentText(time: number, { words, dates }: Speech): string {
  const { now, timeZone, locale } = dates;
  const day = dayIn(time, timeZone);
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });
  const names = new Map([
    [dayIn(now - 86_400_000, timeZone), words.changes.yesterday],
    [dayIn(now, timeZone), words.changes.today],
  ]);
  return `${names.get(day) ?? dateText(day, { locale })}, ${clock.format(time)}`;
}
