import type { Column, Dimension, DimensionTable, Metric } from '../columns.ts';
import type { DayRange } from '../days.ts';
import { PLATFORMS, type Platform } from '../facts/groups.ts';
import type { Facts } from '../facts/open.ts';
import { pageTable, type UrlOptions } from '../facts/pages.ts';
import { type Condition, comparisonsOf, conditionSql, isAfterGrouping, type Sql } from './condition.ts';

/** A query of either version. Columns are those of the catalogue, never text of the request. */
export interface RowQuery {
  readonly days: DayRange;
  /** Id of one site; absent for all. */
  readonly domainId?: number;
  /** Absent for both. */
  readonly platform?: Platform;
  readonly url: UrlOptions;
  readonly dimensions: readonly Dimension[];
  readonly metrics: readonly Metric[];
  /** At least one; each yields its own rows, with its label if it has one. */
  readonly parts: readonly Part[];
  /** Columns of the query. Rows with equal values are ordered by the dimensions, so that pages never overlap. */
  readonly order: readonly { readonly column: Column; readonly descending: boolean }[];
  readonly offset: number;
  readonly limit: number;
}

export interface Part {
  readonly label?: string;
  readonly conditions: readonly Condition[];
}

/** A cell of the database: decimals are integers of their smallest unit. */
export type Cell = string | number | bigint | null;

/** The part's label, then the dimensions, then the metrics, as `c0`, `c1` …. */
export type Row = Readonly<Record<string, Cell>>;

interface QueryResult {
  readonly rows: readonly Row[];
  /** Number of rows without limit and offset. */
  readonly total: number;
}

function joinSql(parts: readonly Sql[], separator: string): Sql {
  return { text: parts.map(part => part.text).join(separator), values: parts.flatMap(part => part.values) };
}

function tablesOf(rowQuery: RowQuery, part: Part): Set<DimensionTable> {
  const columns = [
    ...rowQuery.dimensions,
    ...part.conditions.flatMap(comparisonsOf).map(comparison => comparison.column),
  ];
  return new Set(
    columns.flatMap(column => (column.role === 'dimension' && column.table ? [column.table] : [])),
  );
}

function partSql(rowQuery: RowQuery, part: Part, index: number): Sql {
  const columns: readonly Column[] = [...rowQuery.dimensions, ...rowQuery.metrics];
  const joins = [...tablesOf(rowQuery, part)].map(table => {
    const source = table === 'page' ? `${pageTable(rowQuery.url)} AS page` : table;
    return `JOIN ${source} ON ${table}.id = fact.${table}`;
  });
  const where: Sql[] = [
    { text: 'fact.day BETWEEN ? AND ?', values: [rowQuery.days.first, rowQuery.days.last] },
    ...part.conditions.filter(condition => !isAfterGrouping(condition)).map(conditionSql),
  ];
  if (rowQuery.domainId !== undefined) {
    where.push({
      text: 'fact.site = (SELECT id FROM site WHERE domain_id = ?)',
      values: [rowQuery.domainId],
    });
  }
  if (rowQuery.platform !== undefined) {
    where.push({ text: 'fact.platform = ?', values: [PLATFORMS.indexOf(rowQuery.platform)] });
  }
  const having = part.conditions.filter(isAfterGrouping).map(conditionSql);
  const names = columns.map((column, position) => `, ${column.sql} AS c${position}`).join('');
  // Without dimensions there is one group, or none if no fact matches.
  const groups = rowQuery.dimensions.map(column => column.sql).join(', ') || 'NULL';
  return joinSql(
    [
      { text: `SELECT ${index} AS part, ? AS label${names}`, values: [part.label ?? ''] },
      { text: `FROM fact ${joins.join(' ')} WHERE`, values: [] },
      joinSql(where, ' AND '),
      { text: `GROUP BY ${groups}`, values: [] },
      ...(having.length > 0 ? [{ text: 'HAVING', values: [] }, joinSql(having, ' AND ')] : []),
    ],
    ' ',
  );
}

function orderText(rowQuery: RowQuery): string {
  const columns: readonly Column[] = [...rowQuery.dimensions, ...rowQuery.metrics];
  const requested = rowQuery.order.map(
    ({ column, descending }) => `c${columns.indexOf(column)} ${descending ? 'DESC' : 'ASC'}`,
  );
  const ties = rowQuery.dimensions.map((_, position) => `c${position}`);
  return [...requested, ...ties, 'part'].join(', ');
}

/** Runs a query. */
export function runQuery(facts: Facts, rowQuery: RowQuery): QueryResult {
  const { limit, offset } = rowQuery;
  const database = facts.of(rowQuery.days);
  const all = joinSql(
    rowQuery.parts.map((part, index) => partSql(rowQuery, part, index)),
    ' UNION ALL ',
  );
  const rows = database.all(`SELECT * FROM (${all.text}) ORDER BY ${orderText(rowQuery)} LIMIT ? OFFSET ?`, [
    ...all.values,
    limit,
    offset,
  ]) as Row[];
  if (rows.length < limit && (rows.length > 0 || offset === 0)) return { rows, total: offset + rows.length };
  const counted = database.get(`SELECT count(*) AS total FROM (${all.text})`, [...all.values]);
  return { rows, total: Number(counted?.total) };
}
