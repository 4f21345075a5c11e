import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePorts, idsOf, type Program, spawnServer } from './program.ts';

const PATH = '/usr/sbin/pgbouncer';

export const program: Program = {
  name: 'PgBouncer',
  packages: ['pgbouncer'],
  find: () => (existsSync(PATH) ? PATH : undefined),
};

/** A pooler in front of a PostgreSQL server on loopback; resolves to its port. */
export async function startPgBouncer(
  server: number,
  mode: 'session' | 'transaction',
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
  const ids = idsOf('postgres', 'nobody');
  if (ids.uid !== undefined) chownSync(folder, ids.uid, ids.gid ?? 0);
  chmodSync(folder, 0o755);
  const [port = 0] = await freePorts(1);
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${server} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
`,
  );
  const child = spawnServer(PATH, [file], { ...ids, cwd: folder });
  const stop = async () => {
    const ended = new Promise(resolve => child.once('exit', resolve));
    if (child.exitCode === null && child.kill('SIGKILL')) await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  for (let attempt = 0; attempt < 600; attempt++) {
    const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' });
    client.on('error', () => {});
    const isUp = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => undefined);
    if (isUp) return { port, stop };
    await sleep(100);
  }
  await stop();
  throw new Error('PgBouncer did not start');
}
