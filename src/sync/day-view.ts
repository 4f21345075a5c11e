import { type TotalOf, totalsOf } from './additivity.ts';
import { DAY_COLUMN, type SyncTable } from './config.ts';

/** What a view requires of an SQL dialect. */
export interface ViewDialect {
  readonly quote: (name: string) => string;
  readonly double: string;
  /** Whether the name of a total is also that of its column in the same query, even of `t.column`. */
  readonly confusesNames?: boolean;
}

/** A view with the totals of each day and site. */
interface DayView {
  readonly name: string;
  /** The query of the view. */
  readonly select: string;
  /** Why metrics are omitted, one sentence each. */
  readonly omitted: readonly string[];
}

/** The name of the view of a table. */
export function dayViewName(table: string): string {
  return `${table}_by_day`;
}

/** The view of a table, `pages_by_day`. `source` is the table as the dialect names it. */
export function dayView(table: SyncTable, source: string, dialect: ViewDialect): DayView {
  const { totals, omitted } = totalsOf(table);
  const { quote } = dialect;
  const groups = [DAY_COLUMN, 'domain_id', 'domain'];
  const columns = [
    ...groups.map(name => `${columnIn(name, dialect)}${dialect.confusesNames ? ` AS ${quote(name)}` : ''}`),
    ...totals.map(each => `${expressionOf(each, dialect)} AS ${quote(each.metric)}`),
  ];
  const list = columns.map(column => `  ${column}`).join(',\n');
  const renamed = [...groups, ...table.metrics].map(name => `${quote(name)} AS ${quote(`_${name}`)}`);
  const from = dialect.confusesNames ? `(SELECT ${renamed.join(', ')} FROM ${source})` : source;
  return {
    name: dayViewName(table.name),
    select: `SELECT\n${list}\nFROM ${from} AS t\nGROUP BY ${groups.map(name => columnIn(name, dialect)).join(', ')}`,
    omitted: omitted.map(({ metric, reason }) => `${metric}: ${reason}`),
  };
}

/** A column of the table: in some dialects, its bare name would be the total of that name. */
function columnIn(name: string, { quote, confusesNames }: ViewDialect): string {
  return confusesNames ? quote(`_${name}`) : `t.${quote(name)}`;
}

function expressionOf(total: TotalOf, dialect: ViewDialect): string {
  const sum = (metric: string) => `sum(${columnIn(metric, dialect)})`;
  const asDouble = (value: string) => `CAST(${value} AS ${dialect.double})`;
  switch (total.total) {
    case 'sum':
      return sum(total.metric);
    case 'quotient': {
      const factor = total.factor === 1 ? '' : `${total.factor} * `;
      return `${factor}${asDouble(sum(total.of))} / nullif(${asDouble(sum(total.by))}, 0)`;
    }
    case 'mean': {
      const [value, weight] = [columnIn(total.metric, dialect), columnIn(total.by, dialect)];
      // Rows without a value have no weight.
      const weights = `sum(CASE WHEN ${value} IS NULL THEN NULL ELSE ${asDouble(weight)} END)`;
      return `sum(${asDouble(value)} * ${asDouble(weight)}) / nullif(${weights}, 0)`;
    }
  }
}
