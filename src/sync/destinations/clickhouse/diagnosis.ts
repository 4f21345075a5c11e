import { formatBytes } from '../../../terminal/numbers.ts';
import type { DestinationCheck } from '../checks.ts';
import { spaceCheck } from '../checks.ts';
import { rightMissing } from '../failures.ts';
import type { ClickHouseAddress } from './address.ts';
import type { Row, Server } from './server.ts';
import { RIGHTS_NEEDED, serverCode } from './server-failure.ts';
import { nameInSql, quoteName, quoteText } from './statements.ts';

/** With more parts, a server starts slowly; it rejects inserts beyond ten times as many. */
const MANY_PARTS = 10_000;

/** What a server reports of its version, the rights of the user, its space and its parts. Changes nothing. Throws DestinationError. */
export async function diagnoseServer(
  server: Server,
  { user, database }: Pick<ClickHouseAddress, 'user' | 'database'>,
): Promise<readonly DestinationCheck[]> {
  const checks: DestinationCheck[] = [
    { check: 'version', found: `ClickHouse ${await server.version()}` },
    await rightsOf(server, user, database),
  ];
  const [own] = await server.rows(
    `SELECT count() AS parts, sum(bytes_on_disk) AS bytes FROM system.parts WHERE active AND database = ${quoteText(database)}`,
  );
  const parts = Number(own?.parts ?? 0);
  checks.push({
    check: 'parts',
    found: `${parts} in the database ${database}`,
    ...(parts > MANY_PARTS && {
      advice: 'use partition: month, a cluster, or several tables: a server starts slowly with so many',
    }),
  });
  checks.push(await spaceOf(server, `the database has ${formatBytes(Number(own?.bytes ?? 0))}`));
  return checks;
}

async function rightsOf(server: Server, user: string, database: string): Promise<DestinationCheck> {
  const forbidden = (found: string, hint: string): DestinationCheck => ({
    check: 'rights',
    found,
    error: rightMissing(found, { hints: [hint] }),
  });
  const rows = await server.rows(
    "SELECT name, value FROM system.settings WHERE name IN ('readonly', 'allow_ddl')",
  );
  const settings = new Map(rows.map(({ name, value }) => [name, value]));
  if (settings.get('readonly') !== '0' || settings.get('allow_ddl') === '0')
    return forbidden(
      `the user ${user} may only read`,
      `give ${user} a settings profile with readonly = 0 and allow_ddl = 1`,
    );
  const missing: string[] = [];
  try {
    for (const right of RIGHTS_NEEDED)
      if ((await server.answer(`CHECK GRANT ${right} ON ${quoteName(database)}.*`)) !== '1')
        missing.push(right);
  } catch (error) {
    // Versions before 24 have no such statement; the oldest ones have no grants.
    if (serverCode(error) === undefined) throw error;
    return { check: 'rights', found: `the user ${user} may write; this version does not report its grants` };
  }
  if (missing.length > 0)
    return forbidden(
      `the user ${user} lacks ${missing.join(', ')} in the database ${database}`,
      `grant it: GRANT ${missing.join(', ')} ON ${nameInSql(database)}.* TO ${nameInSql(user)}`,
    );
  return { check: 'rights', found: `the user ${user} may write to the database ${database}` };
}

async function spaceOf(server: Server, used: string): Promise<DestinationCheck> {
  let disks: readonly Row[];
  try {
    disks = await server.rows('SELECT toString(sum(free_space)) AS free FROM system.disks');
  } catch (error) {
    // Versions before 19.15 have no such table.
    if (serverCode(error) === undefined) throw error;
    return { check: 'space', found: `${used}; this version of ClickHouse does not report free space` };
  }
  return spaceCheck(Number(disks[0]?.free ?? 0), `, ${used}`, 'free some space on the server');
}
