import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Signal } from '../../../src/errors/index.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { wireServer } from '../../support/wire-server.ts';
import type { FaultCase, FaultGroup } from '../fault-case.ts';
import { ASKING, ask, goodAnswer, type Tried, tryAnswer } from '../trial.ts';

const EXPORT = [...ASKING.query, '--to', '2026-03-10', '--all', '--page-size', '1'];
const ROWS = [1, 2, 3, 4, 5, 6].map(id => `{"id":${id},"visits":${id}}`);

function rows(body: string): string {
  const { limit = 100, offset = 0 } = JSON.parse(body || '{}') as { limit?: number; offset?: number };
  return `{"rows":[${ROWS.slice(offset, offset + limit)}],"total_rows":${ROWS.length}}`;
}

/** Sends a signal as the request of this number (from 0) arrives. */
async function interrupted(
  args: readonly string[],
  signal: Signal,
  request: number,
  reply: (body: string) => string,
  input?: string,
): Promise<Tried> {
  let send: (signal: Signal) => void = () => {};
  return await tryAnswer(
    args,
    ({ body }, index) => {
      if (index === request) send(signal);
      return { body: reply(body) };
    },
    {
      onSignals(given) {
        send = given;
      },
      ...(input !== undefined && { input }),
    },
  );
}

function inAnExport(signal: Signal, fault: string, exit: number): FaultCase {
  return {
    fault,
    does: 'keeps the complete pages and prints the command that resumes; the resumed file equals an uninterrupted one',
    exit,
    async attempt() {
      const folder = temporaryFolder();
      const out = join(folder, 'rows.csv');
      const ran = await interrupted([...EXPORT, '--out', out], signal, 3, rows);
      expect(ran.stderr).toMatch(
        /\d rows in \d pages are kept in .*rows\.csv\.part; to resume, run: gatectl bda query /,
      );
      expect(readdirSync(folder).sort()).toEqual(['rows.csv.part', 'rows.csv.part.json']);
      return ran;
    },
  };
}

export const signals: FaultGroup = {
  title: 'Signals and other processes',
  cases: [
    {
      fault: 'Ctrl-C during a request',
      does: 'exits; a second Ctrl-C ends the process immediately',
      exit: 130,
      attempt: () => interrupted(ASKING.access, 'SIGINT', 0, () => goodAnswer('access')),
    },
    {
      fault: 'SIGTERM during a request',
      does: 'exits',
      exit: 143,
      attempt: () => interrupted(ASKING.access, 'SIGTERM', 0, () => goodAnswer('access')),
    },
    inAnExport('SIGINT', 'Ctrl-C during an export', 130),
    inAnExport('SIGTERM', 'SIGTERM during an export', 143),
    {
      fault: 'Ctrl-C during a purge of many URLs',
      does: 'prints how much was purged; the same command, or --resume, purges the rest, even after kill -9 or a power cut',
      exit: 130,
      async attempt() {
        const urls = Array.from({ length: 900 }, (_, i) => `https://example.com/${i}`).join('\n');
        const purge = ['cdn', 'purge', '--file', '-', '--concurrency', '1'];
        const ran = await interrupted(purge, 'SIGINT', 3, () => goodAnswer('purge'), urls);
        expect(ran.requests).toBe(4);
        expect(ran.stderr).toContain(
          'cleared 300 of 900 URLs; to resume, run: gatectl cdn purge --concurrency 1 --resume',
        );
        return ran;
      },
    },
    {
      fault: 'another process writes the same file',
      does: 'names the process and how to release its lock; changes nothing',
      exit: 2,
      async attempt() {
        const folder = temporaryFolder();
        const out = join(folder, 'rows.csv');
        writeFileSync(`${out}.part`, 'rows of the other');
        writeFileSync(`${out}.part.lock`, '{"pid":4711,"host":"elsewhere"}');
        const ran = await tryAnswer([...EXPORT, '--out', out], ({ body }) => ({ body: rows(body) }));
        expect(ran.stderr).toContain(`rows.csv is locked by pid 4711 on elsewhere since `);
        expect(readFileSync(`${out}.part`, 'utf8')).toBe('rows of the other');
        expect(ran.requests).toBe(0);
        return ran;
      },
    },
    {
      fault:
        'the lock of a process that was killed: it has ended, is a zombie, or its id belongs to another process',
      does: 'replaces the lock (`npm run check:isolation` tests it across containers)',
      exit: 0,
      async attempt() {
        const out = join(temporaryFolder(), 'rows.csv');
        mkdirSync(`${out}.part.lock`);
        const holder = {
          id: '0123456789ab',
          pid: process.pid,
          host: 'test',
          boot: 'this boot',
          startTime: '0',
        };
        const since = '2026-03-14T09:00:00.000Z';
        writeFileSync(join(`${out}.part.lock`, 'holder.json'), JSON.stringify({ ...holder, since }));
        const ran = await tryAnswer([...EXPORT, '--out', out], ({ body }) => ({ body: rows(body) }));
        expect(ran.stderr).not.toContain('held');
        expect(existsSync(out)).toBe(true);
        return ran;
      },
    },
    {
      fault: 'another process changes the profiles',
      does: 'waits ten seconds, then names the process; does not change the file',
      exit: 2,
      async attempt() {
        const folder = temporaryFolder();
        writeFileSync(join(folder, 'config.json.lock'), '{"pid":4711,"host":"elsewhere"}');
        let now = 0;
        const ran = await ask('', ['profile', 'add', 'p', '--base-url', 'https://gateway.example.com'], {
          env: { GATECTL_CONFIG_DIR: folder },
          clock: () => {
            now += 1000;
            return now;
          },
        });
        expect(ran.stderr).toContain('is locked by pid 4711 on elsewhere since ');
        expect(readdirSync(folder)).toEqual(['config.json.lock']);
        return ran;
      },
    },
    {
      fault: '--resume of a purge that is running in another process',
      does: 'rejects it',
      exit: 2,
      async attempt() {
        const home = temporaryFolder();
        const env = { GATECTL_CONFIG_DIR: home };
        const server = await wireServer(() => ({ status: 401, body: '{}' }));
        onTestFinished(() => server.close());
        const left = await ask(
          server.baseUrl,
          ['cdn', 'purge', 'https://example.com/a', 'https://example.com/b'],
          { env },
        );
        expect(left.code).toBe(4);
        const [journal = ''] = readdirSync(join(home, 'state/purges'));
        writeFileSync(join(home, `state/purges/${journal}.lock`), '{"pid":4711,"host":"elsewhere"}');
        const asked = server.received.length;
        const ran = await ask(server.baseUrl, ['cdn', 'purge', '--resume'], { env });
        expect(server.received.length).toBe(asked);
        expect(readdirSync(join(home, 'state/purges', journal)).sort()).toEqual(['head', 'urls']);
        return ran;
      },
    },
  ],
};
