import { followAlert } from '../../analysis/alerts.ts';
import type { JudgedDay } from '../../analysis/metric-health.ts';
import type { Day } from '../../apis/bda/days.ts';
import type { JsonRecord } from '../../json/index.ts';
import { pluralize } from '../../terminal/numbers.ts';
import type { ExplanationResult } from '../explain/explanation-result.ts';
import { seriesKey, type WatchMemory } from './state-file.ts';
import { type JudgedSeries, nameOf, type SettledDays } from './watch-metrics.ts';
import {
  inWords,
  nameInSentence,
  rowOf,
  seriesName,
  type WatchedFigure,
  type WatchWording,
} from './watched-figure.ts';

/** A metric of a site on the last settled day, and what was reported of it. */
interface FollowedFigure {
  readonly figure: WatchedFigure;
  /** What is reported of it, in words for programs. */
  readonly summary?: string | undefined;
  readonly why?: JsonRecord | undefined;
  /** What failed when the alert was reported. */
  readonly failure?: string | undefined;
}

/** The alerts of a run. */
interface FollowedAlerts {
  readonly figures: readonly FollowedFigure[];
  /** Figures with an alert. */
  readonly open: number;
  /** The series that no earlier run is remembered of: of them it is unknown what is new. */
  readonly firstLook: readonly string[];
}

/** `texts` are its sentences as people read them. */
type Explanation = Pick<ExplanationResult, 'data'> & { readonly texts: readonly string[] };

/** How alerts are reported. */
export interface AlertWork {
  readonly dataSet: string | undefined;
  /** How people read what is reported; it may take a request. */
  readonly wording: () => Promise<WatchWording>;
  readonly note: (text: string) => void;
  readonly warn: (text: string, details?: readonly string[]) => void;
  /** Explains a new alert: undefined, with a warning, if that cannot be. Absent if no explanation was requested. */
  readonly explain?: (figure: WatchedFigure, series: JudgedSeries) => Promise<Explanation | undefined>;
  /** Hands on an alert that is new or over. Resolves to a description of the failure, if any. */
  readonly handOn: (event: 'opened' | 'cleared', alert: JsonRecord) => Promise<string | undefined>;
}

/** Follows the alerts that are remembered, reports those that are new or over, and remembers what was reported. */
export async function followAlerts(
  judged: readonly JudgedSeries[],
  memory: WatchMemory,
  work: AlertWork,
): Promise<FollowedAlerts> {
  const firstLook = await noteFirstLook(judged, memory, work);
  const figures: FollowedFigure[] = [];
  for (const series of judged) {
    const key = seriesKey(series.metric, series.site?.name);
    const { series: after, event, missed } = followAlert(memory.get(key), series.days);
    for (const { since, last } of missed) {
      const { day, ...wording } = await work.wording();
      const name = seriesName({ metric: series.metric, site: series.site?.name ?? null }, wording);
      work.warn(`${name} was unusual from ${day(since)} to ${day(last)}, between two runs, and is no longer`);
    }
    const last = series.days.at(-1) as JudgedDay;
    const figure: WatchedFigure = {
      metric: series.metric,
      site: series.site?.name ?? null,
      judged: last,
      value: series.figures.get(last.day)?.json ?? null,
      event,
      since: after.open?.since ?? null,
    };
    const reported = await report(figure, series, work);
    // An alert that could not be reported is new in the next run, too.
    if (reported.failure === undefined) memory.set(key, after);
    figures.push({ figure, ...reported });
  }
  return { figures, open: figures.filter(({ figure }) => figure.since !== null).length, firstLook };
}

/** Says of which series there is nothing to compare with, and returns their names. */
async function noteFirstLook(
  judged: readonly JudgedSeries[],
  memory: WatchMemory,
  { note, wording }: AlertWork,
): Promise<readonly string[]> {
  const unseen = judged.filter(({ metric, site }) => !memory.has(seriesKey(metric, site?.name)));
  if (unseen.length === 0) return [];
  const names = async () => {
    const words = await wording();
    return unseen.map(({ metric, site }) => nameInSentence({ metric, site: site?.name ?? null }, words));
  };
  const what = unseen.length === judged.length ? '' : ` for ${(await names()).join(', ')}`;
  note(`first run${what}: each alert counts as new`);
  return unseen.map(nameOf);
}

/** Reports a new alert, or the end of one. */
async function report(
  figure: WatchedFigure,
  series: JudgedSeries,
  { dataSet, wording, note, warn, explain, handOn }: AlertWork,
): Promise<Omit<FollowedFigure, 'figure'>> {
  const { event } = figure;
  if (event !== 'opened' && event !== 'cleared') return {};
  const summary = inWords(figure);
  const isExplained = event === 'opened' && explain !== undefined;
  const explanation = isExplained ? await explain(figure, series) : undefined;
  // A notification is for people.
  const text = inWords(figure, await wording());
  if (event === 'opened') warn(text, explanation?.texts);
  else note(text);
  const why = explanation?.data;
  const alert = {
    summary: text,
    data_set: dataSet ?? null,
    ...rowOf(figure),
    ...(isExplained && { why: why ?? null }),
  };
  return { summary, why, failure: await handOn(event, alert) };
}

/** The alerts of a run as data. */
export function alertsJson(
  { figures, open, firstLook }: FollowedAlerts,
  {
    to,
    dataSet,
    isComplete,
  }: { readonly to: Day; readonly dataSet: string | undefined; readonly isComplete: boolean },
): JsonRecord {
  return {
    settled_to: to,
    data_set: dataSet ?? null,
    alerts: open,
    complete: isComplete,
    first_look: firstLook,
    figures: figures.map(({ figure, summary, why }) => ({
      ...rowOf(figure),
      ...(summary !== undefined && { summary }),
      ...(why !== undefined && { why }),
    })),
  };
}

/** What could not be judged for lack of data, in words, and whether that is all there is. */
export interface Unjudged {
  readonly text: string;
  readonly isAll: boolean;
}

/** What could not be judged for lack of data; undefined if nothing was missing. */
export async function unjudged(
  { figures }: FollowedAlerts,
  { late, endedOn }: SettledDays,
  wording: () => Promise<WatchWording>,
): Promise<Unjudged | undefined> {
  const lacking = figures.filter(({ figure: { judged } }) =>
    ['no_data', 'too_few_days'].includes(judged.status),
  );
  const [first] = lacking;
  if (first === undefined)
    return late > 0 || endedOn !== undefined ? { text: 'data are late', isAll: false } : undefined;
  const { judged } = first.figure;
  const words = await wording();
  const day = words.day(judged.day);
  const reason =
    judged.status === 'no_data'
      ? `there is no figure of ${nameInSentence(first.figure, words)} for ${day}`
      : `${seriesName(first.figure, words)} has too few days to compare ${day} with: at least four of the same weekday are required`;
  const others =
    lacking.length === 1 ? '' : `, and ${pluralize(lacking.length - 1, 'other metric')} lack days`;
  return { text: `${reason}${others}`, isAll: lacking.length === figures.length };
}
