import type { Day } from '../../src/apis/bda/days.ts';
import { addDays } from '../../src/apis/bda/days.ts';
import { seeded } from '../analysis/simulated-years.ts';

/** What happened to a made-up site; `alertDue` where a person would want to know on that day. */
export interface Incident {
  readonly what: 'step up' | 'step down' | 'outage' | 'campaign' | 'closing';
  readonly from: Day;
  readonly to: Day;
}

export interface ShiftedSite {
  readonly days: readonly Day[];
  /** Undefined for a day without a row. */
  readonly values: readonly (number | undefined)[];
  readonly incidents: readonly Incident[];
}

/**
 * A site that breaks what a model likes to assume: its noise has heavy tails and is larger at weekends, its level steps up and down,
 * campaigns come and go, tracking is lost for some days, it starts in the middle of the days and it closes before their end.
 */
export function shiftedSite(seed: number): ShiftedSite {
  const random = seeded(seed);
  const between = (low: number, high: number) => low + (high - low) * random();
  const total = 3 * 364;
  const [start, closing] = [Math.floor(between(0, 200)), Math.floor(between(900, 1_060))];
  const day = (at: number) => addDays('2019-01-07', at);
  const incidents: Incident[] = [];
  const factors: number[] = Array(total).fill(1);
  const plan = (what: Incident['what'], at: number, length: number, factor: number) => {
    incidents.push({ what, from: day(at), to: day(at + length - 1) });
    const until = what === 'step up' || what === 'step down' ? total : at + length;
    for (let each = at; each < until; each += 1) factors[each] = (factors[each] ?? 1) * factor;
  };
  plan('step up', Math.floor(between(380, 420)), 1, between(1.3, 1.8));
  plan('outage', Math.floor(between(480, 520)), Math.floor(between(1, 5)), 0);
  plan('campaign', Math.floor(between(580, 620)), 14, between(1.5, 2.5));
  plan('step down', Math.floor(between(720, 760)), 1, between(0.4, 0.6));
  incidents.push({ what: 'closing', from: day(closing), to: day(total - 1) });
  const level = 10 ** between(3, 5);
  const noise = between(0.03, 0.1);
  const values = factors.map((factor, at) => {
    if (at < start || at >= closing) return undefined;
    const isWeekend = at % 7 >= 5;
    // Three uniform numbers make a bell; one day in thirty is three times as wild.
    const bell = random() + random() + random() - 1.5;
    const wild = (random() < 1 / 30 ? 3 : 1) * (isWeekend ? 1.5 : 1);
    return Math.round(level * factor * (isWeekend ? 0.5 : 1) * Math.exp(2 * noise * wild * bell));
  });
  return { days: Array.from({ length: total }, (_, at) => day(at)), values, incidents };
}
