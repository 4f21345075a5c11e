import { basisMetric, knownMetricKind } from '../../analysis/metric-kinds.ts';
import type { Day } from '../../apis/bda/days.ts';
import { labelInSentence } from '../../output/presentation/index.ts';
import { counted, joined, oneDay, type Sentence, sentence } from '../../output/sentence.ts';
import { nameInSentence, type WatchedFigure, type WatchWording } from './watched-figure.ts';

interface HeadOptions {
  /** The last settled day. */
  readonly to: Day;
  readonly minVolume: number;
  readonly wording: Pick<WatchWording, 'metric'>;
}

/** Names in a list, at most. */
const MOST_NAMES = 3;

/** What a run found, and of which day: an alert may be of an earlier one, and what was not judged has none. */
export function watchHead(figures: readonly WatchedFigure[], options: HeadOptions): Sentence {
  const { to } = options;
  const open = figures.filter(({ since }) => since !== null);
  const days = [...new Set(open.map(({ judged }) => judged.day))].sort().reverse();
  const unjudged = figures.filter(({ latest: { status } }) => status !== 'ok' && status !== 'alert');
  const reasons = unjudgedTexts(unjudged, options);
  if (open.length === 0 && unjudged.length === figures.length)
    return sentence`Not judged on ${oneDay(to)}: ${reasons}`;
  const alerts = alertsText(open, days, to);
  if (unjudged.length === 0) return alerts;
  const when = days.every(day => day === to) ? '' : sentence` on ${oneDay(to)}`;
  return sentence`${alerts}; not judged${when}: ${reasons}`;
}

function alertsText(open: readonly WatchedFigure[], days: readonly Day[], to: Day): Sentence {
  const [day = to, ...others] = days;
  const count = open.length === 0 ? 'No alerts' : counted(open.length, 'alert');
  if (others.length === 0) return sentence`${count} on ${oneDay(day)}`;
  const each = days.map(day => {
    const own = open.filter(({ judged }) => judged.day === day).length;
    return sentence`${own} on ${oneDay(day)}`;
  });
  return sentence`${count}: ${joined(each, ', ') ?? ''}`;
}

/** `visits (holiday), revenue (usual visits below 100)`. */
function unjudgedTexts(unjudged: readonly WatchedFigure[], options: HeadOptions): Sentence {
  const reasons = new Set(unjudged.map(figure => reasonText(figure, options)));
  const texts = [...reasons].map(reason => {
    const alike = unjudged.filter(figure => reasonText(figure, options) === reason);
    const names = alike.slice(0, MOST_NAMES).map(figure => nameInSentence(figure, options.wording));
    const rest = alike.length - names.length;
    const others = rest === 0 ? '' : sentence` and ${counted(rest, 'other')}`;
    return sentence`${names.join(', ')}${others} (${reason})`;
  });
  return joined(texts, ', ') ?? '';
}

function reasonText(
  { metric, latest: { status } }: WatchedFigure,
  { minVolume, wording }: HeadOptions,
): string {
  if (status === 'low_volume') {
    const basis = basisMetric(metric);
    if (basis === metric) return `usually below ${minVolume}`;
    const usual = `usual ${labelInSentence(wording.metric(basis))} below ${minVolume}`;
    return knownMetricKind(metric)?.kind === 'ratio' ? usual : `${usual}, or zero for weeks`;
  }
  if (status === 'no_data') return 'no figure';
  if (status === 'too_few_days') return 'too few days before';
  return status === 'after_alerts' ? 'too many days before were alerts' : 'holiday';
}
