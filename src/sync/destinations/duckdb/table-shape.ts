import { quoteName } from '../../../text/sql.ts';
import { sqlType, type TableSchema, typeOf } from '../../column-types.ts';
import type { DuckDbSession } from './session.ts';

/** A table of the destination, as SQL names it. */
export function tableName(table: string): string {
  return `main.${quoteName(table)}`;
}

/**
 * Creates a table, or adds what its columns lack of a schema: columns and wider types. Resolves to whether the table was different.
 * Runs in a transaction of the caller.
 */
export async function shapeTable(
  session: DuckDbSession,
  table: string,
  { columns }: TableSchema,
): Promise<boolean> {
  const found = await session.rows<{ name: string; type: string }>(
    `SELECT column_name AS name, data_type AS type FROM duckdb_columns()
     WHERE database_name = current_database() AND schema_name = 'main' AND table_name = $1`,
    [table],
  );
  const target = tableName(table);
  if (found.length === 0) {
    const list = columns.map(column => `${quoteName(column.name)} ${sqlType(column)}`);
    await session.run(`CREATE TABLE ${target} (${list.join(', ')})`);
    return true;
  }
  const types = new Map(found.map(({ name, type }) => [name, type]));
  let isDifferent = false;
  for (const column of columns) {
    const [name, type, old] = [quoteName(column.name), sqlType(column), types.get(column.name)];
    if (old === type) continue;
    isDifferent = true;
    if (old === undefined) await session.run(`ALTER TABLE ${target} ADD COLUMN ${name} ${type}`);
    else {
      // As text, a decimal becomes the nearest double.
      const value = typeOf(column).kind === 'double' ? `${name}::VARCHAR` : name;
      await session.run(
        `ALTER TABLE ${target} ALTER COLUMN ${name} SET DATA TYPE ${type} USING TRY_CAST(${value} AS ${type})`,
      );
    }
  }
  return isDifferent;
}
