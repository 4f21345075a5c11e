import { type Metric, prometheusText } from '../../output/prometheus.ts';
import { statedFigures, type WatchedFigure } from './watched-figure.ts';

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
    of: ({ latest: { status } }) => (status === 'ok' || status === 'alert' ? 1 : 0),
  },
  {
    name: 'value',
    help: 'figure of the last settled day, or of the alert; of a decline, the mean of its days',
    of: ({ judged }) => judged.decline?.value ?? judged.value,
  },
  {
    name: 'value_days',
    help: 'days that the value is the mean of',
    of: figure => statedFigures(figure).days,
  },
  {
    name: 'expected',
    help: 'figure that was expected; of a decline, the mean of the days before',
    of: figure => statedFigures(figure).expected,
  },
  {
    name: 'expected_low',
    help: 'least figure that is as expected',
    of: figure => statedFigures(figure).band?.low,
  },
  {
    name: 'expected_high',
    help: 'largest figure that is as expected',
    of: figure => statedFigures(figure).band?.high,
  },
  {
    name: 'deviations',
    help: 'change in usual deviations',
    of: figure => statedFigures(figure).deviations,
  },
  {
    name: 'day_timestamp_seconds',
    help: 'start of the last settled day, in UTC',
    of: ({ latest: { day } }) => Date.parse(`${day}T00:00:00Z`) / 1000,
  },
];

/** The figures in the text format of Prometheus, for the textfile collector of node_exporter. `now` is in milliseconds. */
export function metricsText(
  figures: readonly WatchedFigure[],
  dataSet: string | undefined,
  now: number,
): string {
  const metrics = FAMILIES.map(({ name, help, of }): Metric => {
    const samples = figures.flatMap(figure => {
      const value = of(figure);
      return value === undefined ? [] : [{ labels: labelsOf(figure, dataSet), value }];
    });
    return { name: `gatectl_watch_${name}`, type: 'gauge', help, samples };
  });
  const run: Metric = {
    name: 'gatectl_watch_run_timestamp_seconds',
    type: 'gauge',
    help: 'when bda watch last ran',
    samples: [{ value: now / 1000 }],
  };
  return prometheusText([...metrics, run]);
}

function labelsOf({ metric, site }: WatchedFigure, dataSet: string | undefined): Record<string, string> {
  return {
    ...(dataSet !== undefined && { data_set: dataSet }),
    metric,
    ...(site !== null && site !== undefined && { site }),
  };
}
