import { describe, expect, test } from 'vitest';
import { figuresOf, SYNC_FILE, type SyncRuns, syncing } from '../sync/source.ts';
import { program as clickHouse, clickHouseServers, PASSWORD, USER } from './servers/clickhouse.ts';
import { PostgresServer, program as postgres } from './servers/postgres.ts';

const FILE = SYNC_FILE.replace('[visits, revenue]', '[visits, revenue, epmv, bounce_rate]');

/** What bda sync ddl prints for a destination, after a run, and what a later run requires. */
async function ddlAfterRun(destination: string, engine: string) {
  const figures = figuresOf([7, 8], '2026-03-01', 13);
  const { sync }: SyncRuns = await syncing(
    figures,
    SYNC_FILE.replace('destination: lake', `destination: ${destination}`),
  );
  const options = { env: { CLICKHOUSE_USER: USER, CLICKHOUSE_PASSWORD: PASSWORD } };
  expect(await sync(['run', '--quiet'], options)).toMatchObject({ code: 0, stderr: '' });
  const ran = await sync(['ddl', '--for', engine], options);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  return { ddl: ran.stdout, figures, sync };
}

/** What it prints before any run, with a ratio that is divided again and one that is weighted. */
async function ddlBeforeRun(engine: string): Promise<string> {
  const { sync } = await syncing(figuresOf([7], '2026-03-01', 13), FILE);
  return (await sync(['ddl', '--for', engine])).stdout;
}

describe.skipIf(postgres.find() === undefined)('bda sync ddl --for postgres', () => {
  test('creates the view on the tables of a sync, and tables in an empty database', async () => {
    const server = await PostgresServer.create();
    try {
      const url = await server.database('synced');
      const client = await server.connect('synced');
      const { ddl, figures, sync } = await ddlAfterRun(url, 'postgres');
      expect(ddl.split('\n')[0]).toBe('SET search_path TO "gatectl";');
      // Twice: the statements change nothing the second time.
      for (let time = 0; time < 2; time++) await client.query(ddl);
      // They leave room for the month that a later run adds.
      figures.get(7)?.set('2026-02-10', [{ page: '"/new"', visits: '1', revenue: '1' }]);
      expect(await sync(['run', '--quiet', '--refetch', '2026-02'])).toMatchObject({ code: 0, stderr: '' });
      const { rows } = await client.query(
        'SELECT report_day::text, domain_id, visits, revenue FROM gatectl.pages_by_day ORDER BY 1, 2 LIMIT 3',
      );
      expect(rows).toEqual([
        { report_day: '2026-02-10', domain_id: '7', visits: '1', revenue: '1' },
        { report_day: '2026-03-01', domain_id: '7', visits: '24', revenue: '4.50' },
        { report_day: '2026-03-01', domain_id: '8', visits: '27', revenue: '4.50' },
      ]);
      await client.end();
      await server.database('empty');
      const empty = await server.connect('empty');
      await empty.query(await ddlBeforeRun('postgres'));
      // The rows of any month have a partition.
      await empty.query(`INSERT INTO pages (domain_id, domain, report_day, visits, revenue, epmv, bounce_rate)
        VALUES (7, 'a', '2026-03-01', 2, 0.5, 250, 20), (7, 'a', '2026-03-01', 3, 0.25, null, null)`);
      const totals = await empty.query('SELECT visits, revenue, epmv, bounce_rate FROM pages_by_day');
      expect(totals.rows).toEqual([{ visits: '5', revenue: '0.75', epmv: 150, bounce_rate: 20 }]);
      await empty.end();
    } finally {
      await server.remove();
    }
  });
});

describe.skipIf(clickHouse.find() === undefined)('bda sync ddl --for clickhouse', () => {
  test('creates the view on the tables of a sync, and tables in an empty database', async () => {
    const [server] = await clickHouseServers(1);
    if (server === undefined) throw new Error('no server');
    try {
      await server.start();
      await server.query('CREATE DATABASE synced');
      const inDatabase = async (database: string, ddl: string) => {
        for (const statement of ddl.split(/;\s*\n/).filter(text => text.trim() !== ''))
          await server.query(statement.replaceAll('`pages', `${database}.\`pages`));
      };
      const { ddl } = await ddlAfterRun(`clickhouse://127.0.0.1:${server.http}/synced`, 'clickhouse');
      for (let time = 0; time < 2; time++) await inDatabase('synced', ddl);
      expect(
        await server.query(
          'SELECT report_day, domain_id, visits, revenue FROM synced.pages_by_day ORDER BY report_day, domain_id LIMIT 2',
        ),
      ).toEqual(['2026-03-01\t7\t24\t4.50', '2026-03-01\t8\t27\t4.50']);
      await server.query('CREATE DATABASE empty');
      await inDatabase('empty', await ddlBeforeRun('clickhouse'));
      await server.query(
        `INSERT INTO empty.pages (domain_id, domain, report_day, visits, revenue, epmv, bounce_rate)
         VALUES (7, 'a', '2026-03-01', 2, 0.5, 250, 20), (7, 'a', '2026-03-01', 3, 0.25, NULL, NULL)`,
      );
      expect(await server.query('SELECT visits, revenue, epmv, bounce_rate FROM empty.pages_by_day')).toEqual(
        ['5.00\t0.75\t150\t20'],
      );
    } finally {
      await server.remove();
    }
  });
});
