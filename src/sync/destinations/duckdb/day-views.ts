import { quoteName, quoteText } from '../../../text/sql.ts';
import type { SyncTable } from '../../config.ts';
import { dayView, dayViewName } from '../../day-view.ts';
import { OWN } from './own-tables.ts';
import type { DuckDbSession } from './session.ts';
import { tableName } from './table-shape.ts';

/**
 * Creates the view with the totals of each day of a table, unless something of that name exists that is not gatectl's. Metrics that are
 * not among the `columns` of the table are omitted. Throws FileError.
 */
export async function createDayView(
  session: DuckDbSession,
  table: SyncTable,
  columns: readonly { readonly name: string }[],
): Promise<void> {
  const metrics = table.metrics.filter(metric => columns.some(column => column.name === metric));
  const view = dayViewName(table.name);
  if (metrics.length === 0) return;
  const [other] = await session.rows(
    `SELECT 1 FROM (SELECT table_name AS name FROM duckdb_tables() WHERE database_name = current_database() AND schema_name = 'main'
       UNION ALL SELECT view_name FROM duckdb_views() WHERE database_name = current_database() AND schema_name = 'main')
     WHERE lower(name) = $1 AND NOT EXISTS (FROM ${OWN}.views WHERE view_name = $1)`,
    [view],
  );
  if (other !== undefined) return;
  const { select, omitted } = dayView({ ...table, metrics }, tableName(table.name), {
    quote: quoteName,
    double: 'DOUBLE',
  });
  const comment = ['totals of each day and site', ...omitted.map(text => `without ${text}`)].join('; ');
  await session.run(`CREATE OR REPLACE VIEW ${tableName(view)} AS ${select}`);
  await session.run(`COMMENT ON VIEW ${tableName(view)} IS ${quoteText(comment)}`);
  await session.run(`DELETE FROM ${OWN}.views WHERE view_name = $1`, [view]);
  await session.run(`INSERT INTO ${OWN}.views VALUES ($1)`, [view]);
}
