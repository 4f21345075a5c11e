import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Signal } from '../../src/errors/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type InProcess, run } from '../support/run.ts';
import { runs } from '../support/runs.ts';
import { type Received, type Reply, wireServer } from '../support/wire-server.ts';
import { expectSober } from './sober.ts';
import { KEY } from './trial.ts';

/** How a server treats one request: well, or not. */
type Fortune = 'well' | 'unavailable' | 'limited' | 'cut';
/** When a signal comes in a run: as the request of this number arrives, or so many turns of the loop later. */
interface Moment {
  readonly request: number;
  readonly turns: number;
  readonly signal: Signal;
}

const moment: fc.Arbitrary<Moment> = fc.record({
  request: fc.nat(9),
  turns: fc.nat(30),
  signal: fc.constantFrom<Signal>('SIGINT', 'SIGTERM'),
});
const fortune = fc.constantFrom<Fortune>('well', 'well', 'well', 'unavailable', 'limited', 'cut');
const EXIT: Readonly<Record<Signal, number>> = { SIGINT: 130, SIGTERM: 143 };

/** Runs command lines against one gateway, each interrupted at a moment of its own; the fortunes are those of all requests in turn. */
async function stage(fortunes: readonly Fortune[], good: (request: Received) => Reply, home: string) {
  let interrupt: () => void = () => {};
  let asked = 0;
  let current: Moment | undefined;
  const server = await wireServer(async (request, index) => {
    if (current !== undefined && asked === current.request) {
      const send = interrupt;
      const wait = (turns: number) => (turns === 0 ? send() : setImmediate(wait, turns - 1));
      wait(current.turns);
    }
    asked += 1;
    switch (fortunes[index]) {
      case 'unavailable':
        return { status: 503, body: '{}' };
      case 'limited':
        return { status: 429, body: '{}' };
      case 'cut': {
        const { body = '' } = good(request);
        return { body: String(body).slice(0, -7) };
      }
      default:
        return good(request);
    }
  });
  return {
    server,
    async run(args: readonly string[], at: Moment | undefined, input?: string): Promise<InProcess> {
      current = at;
      asked = 0;
      const ran = await run(args, {
        env: { GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: KEY, GATECTL_CONFIG_DIR: home },
        onSignals(send) {
          interrupt = () => at !== undefined && send(at.signal);
        },
        ...(input !== undefined && { input }),
      });
      expectSober(ran);
      expect([0, 6, 7, 8, at === undefined ? 0 : EXIT[at.signal]], ran.stderr).toContain(ran.code);
      return ran;
    },
  };
}

const ROWS = Array.from({ length: 20 }, (_, i) => `{"id":${i},"text":"row ${i} é"}`);
const QUERY = ['bda', 'query', '--data-set', 'pageview', '-d', 'id,text', '--from', '2026-02-01'];
const EXPORT = [...QUERY, '--to', '2026-02-28', '--all', '--page-size', '3'];

function page({ body }: Received): Reply {
  const { limit = 100, offset = 0 } = JSON.parse(body || '{}') as { limit?: number; offset?: number };
  return { body: `{"rows":[${ROWS.slice(offset, offset + limit).join(',')}],"total_rows":${ROWS.length}}` };
}

const WHOLE: Readonly<Record<string, string>> = {
  'rows.csv': `id,text\n${ROWS.map((_, i) => `${i},row ${i} é\n`).join('')}`,
  'rows.csv.gz': `id,text\n${ROWS.map((_, i) => `${i},row ${i} é\n`).join('')}`,
  'rows.ndjson': ROWS.map(row => `${row}\n`).join(''),
  'rows.json': `[\n${ROWS.join(',\n')}\n]\n`,
};

function contentOf(path: string): string {
  const bytes = readFileSync(path);
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return (isPacked ? gunzipSync(bytes) : bytes).toString();
}

test('an export interrupted at any moment, by signals and faults, resumes to the complete file', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(WHOLE)),
      fc.array(moment, { maxLength: 4 }),
      fc.array(fortune, { maxLength: 30 }),
      async (name, moments, fortunes) => {
        const folder = temporaryFolder();
        const out = join(folder, name);
        writeFileSync(out, 'the old file');
        const { server, run: start } = await stage(fortunes, page, temporaryFolder());
        try {
          let ran = await start([...EXPORT, '--out', out], moments[0]);
          for (let turn = 1; ran.code !== 0; turn += 1) {
            expect(turn).toBeLessThan(40);
            // Interrupted while the days with data are requested, the file is complete already.
            expect(['the old file', WHOLE[name]]).toContain(contentOf(out));
            const resume = existsSync(`${out}.part.json`) ? ['--resume'] : [];
            ran = await start([...EXPORT, '--out', out, ...resume], moments[turn]);
          }
          expect(contentOf(out)).toBe(WHOLE[name]);
          expect(readdirSync(folder)).toEqual([name]);
        } finally {
          await server.close();
        }
      },
    ),
    { numRuns: runs(25) },
  );
});

test('a purge interrupted at any moment, by signals and faults, purges all requested URLs and no others', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 2, max: 900 }),
      fc.integer({ min: 1, max: 4 }),
      fc.array(moment, { maxLength: 4 }),
      fc.array(fortune, { maxLength: 30 }),
      async (count, concurrency, moments, fortunes) => {
        const home = temporaryFolder();
        const urls = Array.from({ length: count }, (_, i) => `https://example.com/${i}`);
        const file = join(home, 'urls.txt');
        writeFileSync(file, urls.join('\n'));
        const cleared = new Map<string, number>();
        const clear = ({ body }: Received): Reply => {
          const { urls: some = [], url } = JSON.parse(body || '{}') as { urls?: string[]; url?: string };
          for (const each of url === undefined ? some : [url])
            cleared.set(each, (cleared.get(each) ?? 0) + 1);
          return { body: '{"Success":true,"Error":""}' };
        };
        const { server, run: start } = await stage(fortunes, clear, home);
        try {
          const flags = ['--concurrency', String(concurrency), '--failed-file', join(home, 'failed.txt')];
          let ran = await start(['cdn', 'purge', '--file', file, ...flags], moments[0]);
          for (let turn = 1; ran.code !== 0; turn += 1) {
            expect(turn).toBeLessThan(40);
            const waits =
              existsSync(join(home, 'state/purges')) && readdirSync(join(home, 'state/purges')).length > 0;
            const failed = join(home, 'failed.txt');
            const list = join(home, 'again.txt');
            if (!waits) copyFileSync(existsSync(failed) ? failed : file, list);
            // What was tried and failed is in the list; what was not tried waits in the journal; or nothing was begun.
            const again = waits
              ? ['cdn', 'purge', '--resume', ...flags]
              : ['cdn', 'purge', '--file', list, ...flags];
            ran = await start(again, moments[turn]);
          }
          expect(new Set(cleared.keys())).toEqual(new Set(urls));
          // Only what was in flight when it was stopped may be cleared again.
          const stops = moments.length + fortunes.filter(each => each !== 'well').length;
          const extra = [...cleared.values()].reduce((sum, each) => sum + each - 1, 0);
          expect(extra).toBeLessThanOrEqual(stops * concurrency * 100);
          expect(readdirSync(join(home, 'state/purges'))).toEqual([]);
        } finally {
          await server.close();
        }
      },
    ),
    { numRuns: runs(50) },
  );
});
