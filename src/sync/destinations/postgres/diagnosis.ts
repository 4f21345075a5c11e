import { formatBytes } from '../../../terminal/numbers.ts';
import { quoteName } from '../../../text/sql.ts';
import type { DestinationCheck } from '../checks.ts';
import { encryptionCheck } from '../checks.ts';
import { rightMissing } from '../failures.ts';
import { nameInSql, readOnly } from './failures.ts';
import type { Session, SqlRow } from './session.ts';
import type { PostgresSettings } from './settings.ts';

/** What is reported, in one row; $1 is the quoted schema. */
const DIAGNOSIS = `
  SELECT current_setting('server_version') AS version, inet_client_addr()::text AS address,
    (SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl) AS tls,
    pg_is_in_recovery() AS read_only,
    to_regnamespace($1) IS NOT NULL AS has_schema,
    CASE WHEN to_regnamespace($1) IS NULL THEN has_database_privilege(current_database(), 'CREATE')
      ELSE has_schema_privilege(to_regnamespace($1), 'CREATE') AND has_schema_privilege(to_regnamespace($1), 'USAGE')
    END AS may_create,
    (SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace($1) AND relname LIKE '\\_gatectl\\_%'
      AND relkind = 'r' AND NOT pg_has_role(relowner, 'USAGE')) AS foreign_tables,
    current_setting('max_connections') AS connections,
    current_setting('max_connections')::int - (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')
      AS connections_free,
    pg_database_size(current_database()) AS bytes`;

/**
 * What a server reports of its version, the encryption of the connection, the rights of the user, the free connections and the size of the
 * database. `sessions` is how many of them a run needs. Changes nothing. Throws DestinationError.
 */
export async function diagnoseDatabase(
  session: Session,
  settings: PostgresSettings,
  sessions: number,
): Promise<readonly DestinationCheck[]> {
  const [row = {}] = await session.query(DIAGNOSIS, [quoteName(settings.schema)]);
  const free = Number(row.connections_free);
  return [
    { check: 'version', found: `PostgreSQL ${row.version}` },
    encryptionOf(row),
    rightsOf(row, settings),
    {
      check: 'connections',
      found: `${free} of ${row.connections} are free`,
      ...(free <= sessions && { advice: 'raise max_connections, or lower --concurrency' }),
    },
    {
      check: 'space',
      found: `the database has ${formatBytes(Number(row.bytes))}; PostgreSQL does not report free space`,
    },
  ];
}

function encryptionOf({ tls, address }: SqlRow): DestinationCheck {
  const isLocal = address === null || /^(?:127\.|::1)/.test(String(address));
  const advice = 'add sslmode=verify-full to the URL, or set PGSSLMODE';
  return encryptionCheck(tls === null ? undefined : String(tls), isLocal, advice);
}

function rightsOf(row: SqlRow, settings: PostgresSettings): DestinationCheck {
  const { schema, user, database } = settings;
  if (row.read_only === true)
    return { check: 'rights', found: 'the server is read-only', error: readOnly(settings) };
  const mayCreate = row.may_create === true;
  if (mayCreate && Number(row.foreign_tables) === 0)
    return { check: 'rights', found: `the user ${user} may create tables in the schema ${schema}` };
  const found = mayCreate
    ? `the tables in the schema ${schema} belong to another user`
    : `the user ${user} may not create tables in the schema ${schema}`;
  const grant =
    row.has_schema === true
      ? `GRANT USAGE, CREATE ON SCHEMA ${nameInSql(schema)} TO ${nameInSql(user)}`
      : `GRANT CREATE ON DATABASE ${nameInSql(database)} TO ${nameInSql(user)}`;
  const hints = [`run as the owner: ${mayCreate ? `REASSIGN OWNED BY OWNER TO ${nameInSql(user)}` : grant}`];
  return { check: 'rights', found, error: rightMissing(found, { hints }) };
}
