import { quoteName, quoteText } from '../../../text/sql.ts';
import { unusable } from '../failures.ts';
import type { Session, SqlRow } from './session.ts';

/** The version of these tables. */
const FORMAT = 1;

/** The names of gatectl's own tables, quoted, with the schema. No table of a sync file begins with an underscore. */
export interface OwnTables {
  readonly meta: string;
  /** The column types of each table. */
  readonly tables: string;
  /** What each partition of the sync contains. */
  readonly ledger: string;
  readonly runs: string;
}

export function ownTables(schema: string): OwnTables {
  const name = (table: string) => `${quoteName(schema)}.${quoteName(`_gatectl_${table}`)}`;
  return { meta: name('meta'), tables: name('tables'), ledger: name('ledger'), runs: name('runs') };
}

/** Creates the schema and gatectl's own tables, in a transaction, unless they exist. */
export async function createOwnTables(session: Session, schema: string): Promise<void> {
  const { meta, tables, ledger, runs } = ownTables(schema);
  const [row] = await session.query('SELECT to_regnamespace($1)::text AS found', [quoteName(schema)]);
  // IF NOT EXISTS alone requires the right to create schemas, even if there is nothing to create.
  if (row?.found === null) await session.execute(`CREATE SCHEMA IF NOT EXISTS ${quoteName(schema)}`);
  await session.execute(`
    CREATE TABLE IF NOT EXISTS ${meta} (format integer NOT NULL);
    INSERT INTO ${meta} SELECT ${FORMAT} WHERE NOT EXISTS (SELECT FROM ${meta});
    CREATE TABLE IF NOT EXISTS ${tables} (name text PRIMARY KEY, schema jsonb NOT NULL);
    CREATE TABLE IF NOT EXISTS ${ledger} (
      table_name text, domain_id bigint, partition text, entry jsonb NOT NULL, columns text[] NOT NULL,
      fingerprint numeric NOT NULL, PRIMARY KEY (table_name, domain_id, partition)
    );
    CREATE TABLE IF NOT EXISTS ${runs} (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run jsonb NOT NULL);
    COMMENT ON TABLE ${meta} IS ${quoteText('gatectl bda sync')};`);
}

/** Whether gatectl's own tables are there. Throws DestinationError for those of a newer version. */
export async function hasOwnTables(session: Session, schema: string, place: string): Promise<boolean> {
  const { meta } = ownTables(schema);
  const [found] = await session.query('SELECT to_regclass($1)::text AS found', [meta]);
  if (found?.found === null) return false;
  const [row] = await session.query(`SELECT format FROM ${meta}`);
  if (Number(row?.format) > FORMAT)
    throw unusable(`the schema ${schema} at ${place} was written by a newer version of gatectl`, {
      hints: ['update gatectl, or add ?schema=NAME to the URL for tables of its own'],
    });
  return true;
}

/** A table that exists, with its columns and its months. */
export interface ActualTable {
  readonly columns: ReadonlySet<string>;
  readonly months: ReadonlySet<string>;
}

/** The columns and the partitions of a table; undefined if there is no table. */
export async function actualTable(
  session: Session,
  schema: string,
  table: string,
): Promise<ActualTable | undefined> {
  const name = `${quoteName(schema)}.${quoteName(table)}`;
  const [row] = await session.query(
    `SELECT c.oid,
       (SELECT coalesce(json_agg(a.attname), '[]') FROM pg_attribute a
         WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
       (SELECT coalesce(json_agg(p.relname), '[]') FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhrelid
         WHERE i.inhparent = c.oid) AS months
     FROM pg_class c WHERE c.oid = to_regclass($1)`,
    [name],
  );
  if (row === undefined) return undefined;
  return { columns: namesIn(row, 'columns'), months: namesIn(row, 'months') };
}

function namesIn(row: SqlRow, key: string): ReadonlySet<string> {
  return new Set(row[key] as readonly string[]);
}
