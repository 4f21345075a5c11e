import { writeAtomic } from '../../../files/atomic-file.ts';
import type { WatchedFigure } from './result.ts';

interface Family {
  readonly name: string;
  readonly help: string;
  readonly of: (figure: WatchedFigure) => number | undefined;
}

const FAMILIES: readonly Family[] = [
  { name: 'alert', help: '1 while the metric has an alert', of: ({ since }) => (since === null ? 0 : 1) },
  {
    name: 'judged',
    help: '1 if the last settled day could be judged',
    of: ({ status }) => (status === 'ok' || status === 'alert' ? 1 : 0),
  },
  { name: 'value', help: 'figure of the last settled day', of: ({ judged }) => judged.value },
  { name: 'expected', help: 'figure that was expected', of: ({ judged }) => judged.expected },
  { name: 'deviations', help: 'change in usual deviations', of: ({ judged }) => judged.deviations },
  {
    name: 'day_timestamp_seconds',
    help: 'start of the last settled day, in UTC',
    of: ({ judged: { day } }) => Date.parse(`${day}T00:00:00Z`) / 1000,
  },
];

/** The figures in the text format of Prometheus, for the textfile collector of node_exporter. `now` is in milliseconds. */
export function prometheusText(
  figures: readonly WatchedFigure[],
  dataSet: string | undefined,
  now: number,
): string {
  const lines = FAMILIES.flatMap(({ name, help, of }) => {
    const samples = figures.flatMap(figure => {
      const value = of(figure);
      return value === undefined ? [] : [`gatectl_watch_${name}${labels(figure, dataSet)} ${value}`];
    });
    return samples.length === 0 ? [] : [...head(name, help), ...samples];
  });
  const run = 'run_timestamp_seconds';
  return [...lines, ...head(run, 'when bda watch last ran'), `gatectl_watch_${run} ${now / 1000}`, ''].join(
    '\n',
  );
}

function head(name: string, help: string): string[] {
  return [`# HELP gatectl_watch_${name} ${help}`, `# TYPE gatectl_watch_${name} gauge`];
}

function labels({ metric, site }: WatchedFigure, dataSet: string | undefined): string {
  const own = { data_set: dataSet, metric, site: site ?? undefined };
  const texts = Object.entries(own).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${escaped(value)}"`],
  );
  return `{${texts.join(',')}}`;
}

/** As the text format requires. */
function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

/** Replaces the file atomically, because the collector may read at any time. Throws FileError. */
export async function writeMetrics(path: string, text: string): Promise<void> {
  await writeAtomic(path, text, { mode: 0o644 });
}
