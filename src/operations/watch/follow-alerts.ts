import { LACKS_DATA } from '../../analysis/alerts.ts';
import type { Day } from '../../apis/bda/days.ts';
import type { JsonRecord } from '../../json/index.ts';
import { pluralize } from '../../terminal/numbers.ts';
import type { ExplanationResult } from '../explain/explanation-result.ts';
import { seriesKey, type WatchMemory } from './state-file.ts';
import { type JudgedSeries, nameOf, type SettledDays } from './watch-metrics.ts';
import {
  daysInSentence,
  followedFigure,
  inWords,
  nameInSentence,
  rowOf,
  seriesName,
  statusText,
  type WatchedFigure,
  type WatchWording,
} from './watched-figure.ts';

/** A metric of a site, and what was reported of it. */
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
    const { figure, series: after, missed } = followedFigure(series, memory.get(key));
    for (const { since, last } of missed) {
      const wording = await work.wording();
      const [name, days] = [seriesName(figure, wording), daysInSentence({ from: since, to: last }, wording)];
      work.warn(`${name} was unusual ${days}, between two runs, and is no longer`);
    }
    const reported = await report(figure, series, work);
    await noteUnjudged(figure, work);
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

/** Says that an alert rests on an earlier day than the last one, which tells nothing of it. */
async function noteUnjudged(
  figure: WatchedFigure,
  { note, wording }: Pick<AlertWork, 'note' | 'wording'>,
): Promise<void> {
  const { since, judged, latest } = figure;
  if (since === null || judged.day === latest.day) return;
  const words = await wording();
  const [day, last] = [words.day(latest.day), words.day(judged.day)];
  note(
    `${seriesName(figure, words)} on ${day} is not judged (${statusText(latest)}): its alert of ${last} is open`,
  );
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
  const lacking = figures.filter(({ figure: { latest } }) => LACKS_DATA.has(latest.status));
  const [first] = lacking;
  if (first === undefined)
    return late > 0 || endedOn !== undefined ? { text: 'data are late', isAll: false } : undefined;
  const { latest } = first.figure;
  const words = await wording();
  const [name, day] = [seriesName(first.figure, words), words.day(latest.day)];
  const reason = {
    no_data: `there is no figure of ${nameInSentence(first.figure, words)} for ${day}`,
    after_alerts: `${name} has nothing to compare ${day} with: too many of the days before were alerts, which are excluded`,
    too_few_days: `${name} has too few days to compare ${day} with: ${latest.compared} of the same weekday in the eight weeks before can be compared, and at least four are required`,
  }[latest.status as 'no_data' | 'after_alerts' | 'too_few_days'];
  const others =
    lacking.length === 1 ? '' : `, and ${pluralize(lacking.length - 1, 'other metric')} lack days`;
  return { text: `${reason}${others}`, isAll: lacking.length === figures.length };
}
