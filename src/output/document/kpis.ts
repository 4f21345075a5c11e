import { type JsonRecord, stringifyJson } from '../../json/index.ts';
import { type Change, type Conclusion, conclusionText } from '../conclusion.ts';
import { headingOf, labelInSentence, presentationOf, withUnit } from '../presentation/column.ts';
import { periodText, shortPeriodText } from '../presentation/dates.ts';
import type { FigureStyle } from '../presentation/figures.ts';
import type { Column, Style } from '../view.ts';
import type { DataSection, Days, DocumentSection, FigureLine, Kpi, Kpis } from './document.ts';
import { conclusionFigures, headlineText, type Verdict } from './headline.ts';

const MOST_KPIS = 4;

/**
 * The totals that a document begins with: those of the first query, and of others that select the same rows of the same days. `names` are
 * the metrics to show, in this order; the default is the first four. Undefined for a document without totals.
 */
export function kpisOf(
  sections: readonly DocumentSection[],
  names: readonly string[] | undefined,
): Kpis | undefined {
  const data = sections.filter((section): section is DataSection => section.kind === 'data');
  const first = data.find(({ totals }) => totals.length > 0);
  if (first === undefined) return undefined;
  const scope = scopeOf(first);
  const ofScope = data.filter(section => scopeOf(section) === scope);
  const before = ofScope.find(
    section => section.totals.length > 0 && section.before !== undefined && isSame(section.days, first.days),
  )?.before;
  const alike = ofScope.filter(section => isWithin(section, { days: first.days, before }));
  const totals = alike.flatMap(section => section.totals);
  const shown = names ?? [...new Set(totals.map(({ conclusion }) => conclusion.metric))].slice(0, MOST_KPIS);
  const [figure, ...others] = shown.flatMap(metric => {
    const ofMetric = totals.filter(({ conclusion }) => conclusion.metric === metric);
    const best = ofMetric.sort((one, other) => rankOf(one.conclusion) - rankOf(other.conclusion))[0];
    if (best === undefined) return [];
    // The same value with that of another period, of which months of unequal length are one.
    const total = ofMetric.find(({ conclusion }) => isChangeOf(conclusion, best.conclusion.value)) ?? best;
    const lines = alike.flatMap(({ lines }) => lines.get(metric) ?? []);
    const line = lines.find(({ before }) => before.length > 0) ?? lines[0];
    return { ...total, line, verdict: verdictOn(total.conclusion, alike) };
  });
  return figure && { scope, days: first.days, before, figures: [figure, ...others] };
}

/** Which rows a section is about, apart from their days: its filters and sites. */
export function scopeOf({ request }: DataSection): string {
  const { dimensions, metrics, sort, limit, offset, date_range: days, ...scope } = request;
  const members = Object.entries(scope).sort(([one], [other]) => (one < other ? -1 : 1));
  return stringifyJson(Object.fromEntries(members));
}

/** Whether the days of a section are those, with the same comparison or none. */
function isWithin(
  section: Pick<Kpis, 'days' | 'before'>,
  { days, before }: Pick<Kpis, 'days' | 'before'>,
): boolean {
  return isSame(section.days, days) && (section.before === undefined || isSame(section.before, before));
}

/** Proven figures first, then those that are compared, then those with all of their rows. */
function rankOf({ kind, value, completeness, exceedsRows }: Conclusion): number {
  if (value === undefined) return 12;
  const kinds = ['complete', 'incomplete', 'limited'].indexOf(completeness.kind);
  return 4 * kinds + (kind === 'change' ? 0 : 2) + (exceedsRows ? 1 : 0);
}

function isChangeOf({ kind, value }: Conclusion, expected: string | undefined): boolean {
  return kind === 'change' && value === expected;
}

/** What an explanation of the same change found. */
function verdictOn({ metric }: Conclusion, sections: readonly DataSection[]): Verdict | undefined {
  const found = sections
    .flatMap(({ conclusions }) => conclusions)
    .find(
      ({ kind, basis, metric: explained }) =>
        kind === 'metric_change' && basis === 'period' && explained === metric,
    );
  return found?.verdict === 'usual' || found?.verdict === 'unusual' ? found.verdict : undefined;
}

/** What a section says about its rows, for people; totals that the document begins with are not repeated. */
export function sentencesOf(
  section: DataSection,
  kpis: Kpis | undefined,
  style: FigureStyle,
): readonly string[] {
  const { totals, explanation } = section;
  if (totals.length === 0) return explanation;
  const isAlike = kpis !== undefined && kpis.scope === scopeOf(section) && isWithin(section, kpis);
  const isShown = ({ metric, value }: Conclusion) =>
    kpis?.figures.some(({ conclusion }) => conclusion.metric === metric && conclusion.value === value);
  return totals
    .filter(({ conclusion }) => !(isAlike && isShown(conclusion)))
    .map(({ conclusion, presentation }) => conclusionText(conclusion, style, presentation));
}

/**
 * `16 to 22 November 2026, compared with 9 to 15 November 2026`; undefined where the days are not known, and where they are those that
 * the document begins with.
 */
export function periodOf(
  { days, before }: Pick<Kpis, 'days' | 'before'>,
  style: Pick<FigureStyle, 'locale'>,
  stated?: Pick<Kpis, 'days' | 'before'>,
): string | undefined {
  if (days === undefined || (stated !== undefined && isWithin({ days, before }, stated))) return undefined;
  const compared = before === undefined ? '' : `, compared with ${periodText(before, style)}`;
  return `${periodText(days, style)}${compared}`;
}

function isSame(one: Days | undefined, other: Days | undefined): boolean {
  return one?.from === other?.from && one?.to === other?.to;
}

/** `Weekly report, 16 to 22 Nov: visits 29,701 (−0.5 %)`: the title, the days, and the first figure. */
export function subjectOf(title: string, kpis: Kpis | undefined, style: Style): string {
  if (kpis === undefined) return title;
  const { days, figures } = kpis;
  const dated = days === undefined ? title : `${title}, ${shortPeriodText(days, style)}`;
  const [{ conclusion, presentation }] = figures;
  const { value, relative, reservations } = conclusionFigures(conclusion, presentation, style);
  // A subject has no room for what restricts a figure, but that periods are unequal: its change is per day.
  const isPerDay = conclusion.kind !== 'total' && conclusion.perDay !== undefined;
  if (value === undefined || reservations.length > (isPerDay ? 1 : 0)) return dated;
  return `${dated}: ${labelInSentence(presentation.label)} ${withUnit(value, presentation)}${relative}`;
}

/** A KPI as people read it. */
export interface Tile {
  readonly label: string;
  /** A dash where it is withheld. */
  readonly value: string;
  readonly before: string | undefined;
  readonly change: string | undefined;
  /** Whether the change is for the better; undefined for one that is usual, and where neither direction is better. */
  readonly outcome: 'good' | 'bad' | undefined;
  readonly reservations: readonly string[];
  readonly line: FigureLine | undefined;
}

/** What the figures say in a sentence. */
export function headlineOf({ figures: [figure] }: Kpis, style: Style): string {
  return headlineText(figure.conclusion, figure, style);
}

/** The KPIs of a document for people. What restricts all of them is in the headline. */
export function tilesOf({ figures }: Kpis, style: Style): readonly Tile[] {
  const parts = figures.map(figure => conclusionFigures(figure.conclusion, figure.presentation, style));
  const isOfAll = (text: string) => parts.every(({ reservations }) => reservations.includes(text));
  return figures.map((figure, at) => {
    const { value, before, change, reservations = [] } = parts[at] ?? {};
    const own = reservations.filter(text => !isOfAll(text));
    return {
      label: headingOf(figure.presentation),
      value: value ?? (style.unicode ? '–' : '-'),
      before,
      change,
      outcome: outcomeOf(figure),
      reservations: value === undefined ? [['no total', ...own].join(': ')] : own,
      line: figure.line,
    };
  });
}

function outcomeOf({ conclusion, presentation, verdict }: Kpi): 'good' | 'bad' | undefined {
  const moved = conclusion.kind === 'change' ? directionOf(conclusion) : undefined;
  const { better } = presentation;
  if (verdict !== 'unusual' || better === undefined || moved === undefined || moved === 'unchanged')
    return undefined;
  return (moved === 'fell') === (better === 'less') ? 'good' : 'bad';
}

function directionOf({ difference, perDay }: Change): Change['perDay'] {
  if (perDay !== undefined || difference === undefined) return perDay;
  return difference === '0' ? 'unchanged' : difference.startsWith('-') ? 'fell' : 'rose';
}

/** The tiles as a table. */
export function tileTable(tiles: readonly Tile[]): {
  readonly rows: JsonRecord[];
  readonly columns: readonly Column[];
} {
  const isRight = { align: 'right', kind: 'text' } as const;
  const column = (key: string) => ({ key, presentation: presentationOf(key) });
  return {
    rows: tiles.map(({ label, value, before = null, change = null, reservations }) => ({
      metric: label,
      now: value,
      before,
      change,
      note: reservations.length === 0 ? null : reservations.join('; '),
    })),
    columns: [
      { key: 'metric', presentation: { ...presentationOf('metric'), label: '' } },
      { ...column('now'), ...isRight },
      { ...column('before'), ...isRight, whenPresent: true },
      { ...column('change'), ...isRight, whenPresent: true },
      { ...column('note'), whenPresent: true },
    ],
  };
}
