/**
 * What the numbers of a column are: `ratio` is 0 to 1, `percent` is in percent already, `points` are differences of those, `number` is
 * anything else, such as a count per visit.
 */
type FigureKind = 'count' | 'money' | 'ratio' | 'percent' | 'points' | 'seconds' | 'number';

/** How people read a column. Formats for programs have its name and all digits instead. */
export interface Presentation {
  /** The heading, without the unit. */
  readonly label: string;
  /** Undefined for a column without figures. */
  readonly figure: FigureKind | undefined;
  /** The unit to add to a heading or an axis; undefined where the figures have theirs, or have none. */
  readonly unit: string | undefined;
  /** Whether its figures are differences, which have a sign. */
  readonly isChange: boolean;
  /** Whether its figures are parts of something in percent: only all of it reads 100 %, and only nothing 0 %. */
  readonly isShare?: boolean;
  /** Which change of its figures is good; undefined where neither is. */
  readonly better: 'more' | 'less' | undefined;
  /** The length of its times, where it is one of the columns of time. */
  readonly time: 'day' | 'week' | 'month' | undefined;
}

/** What is known of a column beyond its name: from the gateway's list of columns, or from a report file. */
export interface ColumnFacts {
  readonly label?: string | undefined;
  readonly unit?: string | undefined;
}

interface Documented {
  readonly label: string;
  readonly figure?: FigureKind;
  readonly better?: 'more' | 'less';
  readonly time?: 'day' | 'week' | 'month';
}

/** The documented columns. */
const DOCUMENTED: Readonly<Record<string, Documented>> = {
  report_day: { label: 'Day', time: 'day' },
  report_week: { label: 'Week', time: 'week' },
  report_month: { label: 'Month', time: 'month' },
  visits: { label: 'Visits', figure: 'count', better: 'more' },
  pageviews: { label: 'Page views', figure: 'count', better: 'more' },
  engaged_page_pageviews: { label: 'Engaged page views', figure: 'count', better: 'more' },
  engaged_pageviews_per_visit: { label: 'Engaged page views per visit', figure: 'number', better: 'more' },
  pageviews_per_visit: { label: 'Page views per visit', figure: 'number', better: 'more' },
  engaged_time: { label: 'Engaged time', figure: 'seconds', better: 'more' },
  bounce_rate: { label: 'Bounce rate', figure: 'ratio', better: 'less' },
  revenue: { label: 'Revenue', figure: 'money', better: 'more' },
  epmv: { label: 'EPMV', figure: 'money', better: 'more' },
  copy_paste_per_pageview: { label: 'Copies per page view', figure: 'number' },
  country: { label: 'Country' },
};

export function isDocumentedColumn(name: string): boolean {
  return Object.hasOwn(DOCUMENTED, name);
}

const CURRENCY = /^[A-Z]{3}$|^(?:usd|eur|gbp|chf|jpy)$/;
const COUNT = /^(?:count|number|none|)$/i;
/** Says nothing next to a name such as `Page views per visit`. */
const COUNT_PER = /^count per \S/i;
const FIGURE_OF_UNIT: readonly (readonly [RegExp, FigureKind])[] = [
  [COUNT, 'count'],
  [/^(?:currency|money|\$|€|£)$/i, 'money'],
  [CURRENCY, 'money'],
  [/^ratio$/i, 'ratio'],
  [/^(?:percent|percentage|%)$/i, 'percent'],
  [/^(?:s|sec|secs|seconds?)$/i, 'seconds'],
];

/** What comparisons append to the name of a figure, the longest first. */
const COMPARED = [
  ['_change_percent', 'change %'],
  ['_change', 'change'],
  ['_before', 'before'],
] as const;

/** How people read the column of a name; `factsOf` gives what else is known of a column. */
export function presentationOf(
  name: string,
  factsOf: (name: string) => ColumnFacts | undefined = () => undefined,
): Presentation {
  const own = factsOf(name);
  const [suffix, words] = COMPARED.find(([suffix]) => name.endsWith(suffix) && name !== suffix) ?? [];
  if (own !== undefined || suffix === undefined || Object.hasOwn(DOCUMENTED, name)) return plain(name, own);
  const base = presentationOf(name.slice(0, -suffix.length), factsOf);
  const shown = suffix === '_before' ? base : changeOf(base);
  const compared = { ...shown, label: `${base.label} ${words}` };
  return suffix === '_change_percent' ? { ...compared, figure: 'percent', unit: undefined } : compared;
}

/** The columns of a figure, the figure before and their difference, of which a column is one. */
export function comparedWith(name: string): readonly [value: string, before: string, change: string] {
  const figure = name.replace(/_(?:before|change)$/, '');
  return [figure, `${figure}_before`, `${figure}_change`];
}

/** The column, of some names, that a column is compared with or computed from in a comparison; otherwise the column itself. */
export function figureColumnOf(name: string, names: ReadonlySet<string>): string {
  const figures = COMPARED.flatMap(([suffix]) =>
    name.endsWith(suffix) ? [name.slice(0, -suffix.length)] : [],
  );
  return figures.find(figure => names.has(figure)) ?? name;
}

/** How people read the differences of figures. */
export function changeOf<Shown extends Pick<Presentation, 'figure' | 'isChange'>>(shown: Shown): Shown {
  return { ...shown, figure: shown.figure === 'percent' ? 'points' : shown.figure, isChange: true };
}

/** What is known of columns, with the labels of a report. */
export function withLabels(
  factsOf: (name: string) => ColumnFacts | undefined,
  labels: ReadonlyMap<string, string> = new Map(),
): (name: string) => ColumnFacts | undefined {
  return name => {
    const [facts, label] = [factsOf(name), labels.get(name)];
    return label === undefined ? facts : { ...facts, label };
  };
}

/** The presentation of a column that is computed, and not one of the gateway. */
export function labelled(label: string, more: Partial<Presentation> = {}): Presentation {
  return {
    ...{ figure: undefined, unit: undefined, isChange: false, better: undefined, time: undefined },
    ...more,
    label,
  };
}

function plain(name: string, facts: ColumnFacts = {}): Presentation {
  const known = Object.hasOwn(DOCUMENTED, name) ? DOCUMENTED[name] : undefined;
  const { unit } = facts;
  const figure = unit === undefined ? known?.figure : figureOfUnit(unit);
  const label = facts.label ?? known?.label ?? words(name);
  const isSaid = unit !== undefined && COUNT_PER.test(unit) && /\bper\b/i.test(label);
  return {
    label,
    figure,
    unit: isInFigures(figure) || isSaid ? undefined : shownUnit(unit),
    isChange: false,
    better: known?.better,
    time: known?.time,
  };
}

/** The unit to show next to the name of a figure; undefined for one that tells a reader nothing. */
export function shownUnit(unit: string | undefined): string | undefined {
  return unit === undefined || COUNT.test(unit) ? undefined : unit;
}

function figureOfUnit(unit: string): FigureKind {
  return FIGURE_OF_UNIT.find(([pattern]) => pattern.test(unit))?.[1] ?? 'number';
}

/** Whether the figures of a kind are written with their unit. */
function isInFigures(figure: FigureKind | undefined): boolean {
  return figure === 'ratio' || figure === 'percent' || figure === 'points' || figure === 'seconds';
}

const ABBREVIATIONS = /\b(?:url|id|ip|utm|seo|cpm|ctr)\b/gi;

/** `page_url` is `Page URL`. */
function words(name: string): string {
  const text = name.replaceAll('_', ' ').trim();
  const [first = ''] = text;
  if (first === '') return name;
  return (first.toUpperCase() + text.slice(first.length)).replace(ABBREVIATIONS, part => part.toUpperCase());
}

/** `Revenue (USD)`. */
export function headingOf({ label, unit }: Pick<Presentation, 'label' | 'unit'>): string {
  return unit === undefined ? label : `${label} (${unit})`;
}

/** A figure within a sentence, with the unit that a heading would have: `23.96 USD`. */
export function withUnit(text: string, { unit }: Pick<Presentation, 'unit'>): string {
  return unit === undefined ? text : `${text} ${unit}`;
}

/** `Page views` within a sentence: `page views`; an abbreviation such as `EPMV` remains. */
export function labelInSentence(label: string): string {
  return /^\p{Lu}(?!\p{Lu})/u.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label;
}
