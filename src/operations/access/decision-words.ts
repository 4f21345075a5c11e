import { dayIn } from '../../apis/bda/days.ts';
import type { PurchaseEntry } from '../../apis/subscriptions/holdings.ts';
import { isActive } from '../../apis/subscriptions/holdings.ts';
import { dateText, type Locale } from '../../output/presentation/index.ts';
import type { ProductDecision, SupportView } from './look-up-reader.ts';

/** How times are said. */
export interface Dates {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly timeZone: string;
  readonly locale: Locale | undefined;
}

/** Decisions with the dates that the purchases prove: `the access ended on 30 June 2024`. */
export function withDates(view: SupportView, dates: Dates): SupportView {
  return { ...view, decisions: view.decisions.map(decision => dated(decision, view, dates)) };
}

function dated(decision: ProductDecision, { purchases }: SupportView, dates: Dates): ProductDecision {
  const { product, isItem, access } = decision;
  const key = access.boughtAs ?? product;
  const own = purchases.filter(entry => (isItem ? entry.item : entry.productKey) === key);
  const meaning =
    access.decision === 'expired' ? endOf(own, dates) : access.allowed ? termOf(own, dates) : undefined;
  return meaning === undefined ? decision : { ...decision, access: { ...access, meaning } };
}

/** Undefined unless each expired purchase has an end that has passed. The end of a revoked one is not when the access ended. */
function endOf(purchases: readonly PurchaseEntry[], dates: Dates): string | undefined {
  if (purchases.some(isActive)) return undefined;
  const ends = purchases.filter(({ status }) => status === 'expired').map(timeOf);
  if (ends.length === 0 || !ends.every(end => end !== undefined && end <= dates.now)) return undefined;
  return `the access ended on ${dayText(Math.max(...ends.map(Number)), dates)}`;
}

function termOf(purchases: readonly PurchaseEntry[], dates: Dates): string | undefined {
  const active = purchases.filter(isActive);
  if (active.length === 0) return undefined;
  if (active.some(({ expiresAt }) => expiresAt === undefined))
    return 'the reader has access, without an end date';
  const ends = active.map(timeOf);
  if (!ends.every(end => end !== undefined && end > dates.now)) return undefined;
  return `the reader has access until ${dayText(Math.max(...ends.map(Number)), dates)}`;
}

function timeOf({ expiresAt }: PurchaseEntry): number | undefined {
  const time = typeof expiresAt === 'string' ? Date.parse(expiresAt) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

function dayText(time: number, { timeZone, locale }: Dates): string {
  return dateText(dayIn(time, timeZone), { locale });
}

/** `today, 16:38`, `yesterday, 09:00`, `3 March 2026, 16:38`. */
export function momentText(time: number, { now, timeZone, locale }: Dates): string {
  const day = dayIn(time, timeZone);
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });
  const names = new Map([
    [dayIn(now - 86_400_000, timeZone), 'yesterday'],
    [dayIn(now, timeZone), 'today'],
  ]);
  return `${names.get(day) ?? dateText(day, { locale })}, ${clock.format(time)}`;
}
