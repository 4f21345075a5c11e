import { fieldOf, isJsonNumber, isNumberText, type Json, type JsonRecord } from '../json/index.ts';

/** The dimensions and the figures among the columns. */
export interface Roles {
  readonly dimensions: readonly string[];
  readonly figures: readonly string[];
}

/** Numbers that name things instead of counting them. */
const IDENTIFIER = /(?:^id|_id|Id|ID)$/;
const YEAR = /year/i;

/** Whether the numbers of a column whose role is not known are ids or years, by its name: they are no figures, and are not grouped. */
export function namesThings(column: string): boolean {
  return IDENTIFIER.test(column) || YEAR.test(column);
}

/**
 * The roles as the request has them; with `mayHaveOthers`, other columns of the rows count too, by their values: a saved report
 * names none, and a split adds some.
 */
export function rolesOf(
  rows: readonly JsonRecord[],
  requested: Roles,
  { mayHaveOthers }: { readonly mayHaveOthers: boolean },
): Roles {
  const known = new Set([...requested.dimensions, ...requested.figures]);
  const others = new Set<string>();
  if (mayHaveOthers)
    for (const row of rows) for (const name of Object.keys(row)) if (!known.has(name)) others.add(name);
  // Grouped by weeks, a response has weeks in place of the requested days.
  const present = mayHaveOthers
    ? requested.dimensions.filter(name => rows.length === 0 || rows.some(row => Object.hasOwn(row, name)))
    : requested.dimensions;
  const figures: string[] = [];
  // A column without values distinguishes no rows: most likely its figures are not available yet.
  const empty: string[] = [];
  for (const name of others) {
    if (namesThings(name)) continue;
    const holds = holdsFigures(rows, name);
    if (holds === undefined) empty.push(name);
    else if (holds) figures.push(name);
  }
  figures.push(...empty);
  return {
    dimensions: [...present, ...[...others].filter(name => !figures.includes(name))],
    figures: [...requested.figures, ...figures],
  };
}

/** The digits of a figure, also where it was sent as text; undefined for anything else. */
export function rowNumber(value: Json | undefined): string | undefined {
  if (isJsonNumber(value)) return String(value);
  return typeof value === 'string' && isNumberText(value) ? value : undefined;
}

/** Undefined for a column without values. */
function holdsFigures(rows: readonly JsonRecord[], name: string): boolean | undefined {
  let found: true | undefined;
  for (const row of rows) {
    const value = fieldOf(row, name) ?? null;
    if (value === null) continue;
    if (rowNumber(value) === undefined) return false;
    found = true;
  }
  return found;
}
