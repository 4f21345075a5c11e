import { plain } from '../../analysis/exact-change.ts';
import { textOf } from '../../json/index.ts';
import type { Chart, Point, Position } from '../../output/chart/chart.ts';
import type { ExplainedColumns } from '../../output/explanation/wording.ts';
import { type Locale, labelInSentence, periodText, presentationOf } from '../../output/presentation/index.ts';
import { valueName } from '../../output/value-name.ts';
import type { ExplainedChange } from './explain-change.ts';
import { arePerDay, type Described, rowsOf } from './explanation-rows.ts';

/** How a chart of an explanation is read. */
export interface ChartForm extends ExplainedColumns {
  readonly locale: Locale | undefined;
}

/** The change as a waterfall: the metric before, what each value adds, and the metric now. */
export function waterfall(
  change: ExplainedChange,
  described: Described,
  { shown, locale, labels }: ChartForm,
): Chart {
  const [best] = change.dimensions;
  const { contributions } = best;
  const measured = rowsOf(best, change, described).filter(row => row.contribution !== null);
  const steps = measured.map(row => ({
    label: valueName(row.value ?? null),
    digits: textOf(row.contribution),
    isGroup: row.status === 'others',
  }));
  const base: Point[] = [];
  const bars: Point[] = [];
  const positions: Position[] = [];
  const add = (label: string, from: number, digits: string, isGroup = false) => {
    positions.push({ label, isGroup });
    base.push({ value: from, digits: String(from) });
    bars.push({ value: Number(digits), digits });
  };
  add('before', 0, plain(contributions.before));
  let level = contributions.before.toNumber();
  for (const { label, digits, isGroup } of steps) {
    add(label, level, digits, isGroup);
    level += Number(digits);
  }
  add('now', 0, plain(contributions.now));
  const label = arePerDay(change, described) ? `${shown.label} per day` : shown.label;
  const dimension = labels?.get(best.dimension) ?? labelInSentence(presentationOf(best.dimension).label);
  return {
    title: `${label}: what changed, by ${dimension}`,
    subtitle: `${periodText(described.days, { locale })}, compared with ${periodText(described.before, { locale })}`,
    panels: [
      {
        title: label,
        unit: shown.unit,
        figure: shown.figure,
        locale,
        shape: 'waterfall',
        axis: dimension,
        positions,
        series: [
          { name: undefined, points: base, isBase: true },
          { name: undefined, points: bars },
        ],
      },
    ],
    notes: [],
  };
}
