import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import type { Received, Reply } from '../../support/wire-server.ts';
import type { FaultCase, FaultGroup } from '../fault-case.ts';
import { type Tried, tryAnswer } from '../trial.ts';

const PAGE_ROWS = 3;
const DAYS = ['--from', '2026-02-01', '--to', '2026-02-28'];
const ALL = ['--all', '--page-size', String(PAGE_ROWS)];
const QUERY = ['bda', 'query', '--data-set', 'pageview', '-d', 'report_day', '-m', 'visits', ...DAYS, ...ALL];
const REPORT = ['bda', 'report', 'run', '-d', 'report_day', '-m', 'visits', ...DAYS, ...ALL];

const ROWS = Array.from({ length: 4 * PAGE_ROWS - 1 }, (_, i) => {
  const day = `2026-02-${String(i + 1).padStart(2, '0')}`;
  return `{"report_day":"${day}","visits":${i + 1}0}`;
});
/** The offset of the page that goes wrong: the third. */
const SPOILED = 2 * PAGE_ROWS;

/** Bytes that are sent instead of a page, with their Content-Encoding. */
interface Spoiled {
  readonly body: string | Uint8Array;
  readonly encoding: string | undefined;
}
type Spoil = (page: string) => Spoiled;

const plain = (body: string | Uint8Array): Spoiled => ({ body, encoding: undefined });
const gzip = (body: Uint8Array): Spoiled => ({ body, encoding: 'gzip' });

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.map((byte, index) => (index === at ? byte ^ 0x55 : byte));
}

/** A row of 5 MB, in gzip. */
const BOMB = gzipSync(
  `{"rows":[{"report_day":"${'x'.repeat(5 * 1024 * 1024)}"}],"total_rows":${ROWS.length}}`,
);

const SPOILS: Readonly<Record<string, Spoil>> = {
  truncated: page => plain(page.slice(0, -9)),
  'invalid JSON': page => plain(page.replace(/,"visits"/, ';"visits"')),
  'truncated gzip': page => gzip(gzipSync(page).subarray(0, -9)),
  'damaged gzip': page => gzip(flipped(gzipSync(page), 30)),
  'gzip within gzip': page => gzip(gzipSync(gzipSync(page))),
  'gzip without its header': page => plain(gzipSync(page)),
  'a row of 5 MB in gzip': () => gzip(BOMB),
  'an encoding that was not offered': page => ({ body: gzipSync(page), encoding: 'br' }),
};

/** Spoils that no retry is sent for. */
const FINAL = ['an encoding that was not offered'];

interface Server {
  readonly spoil: Spoil;
  /** How often the page goes wrong. */
  readonly times: number;
  readonly isCompressed: boolean;
  /** Whether the second page waits until the two after it were requested. */
  readonly holds: boolean;
}

/** Runs a command against a server whose third page goes wrong. */
async function against(server: Server, args: readonly string[]): Promise<Tried> {
  let left = server.times;
  const requested = new Set<number>();
  let onRequest = () => {};
  const reply = async (request: Received): Promise<Reply> => {
    // Names of columns, and the days with data.
    if (request.body === '') return { status: 404, body: '{}' };
    const isV2 = request.target.includes('/v2/');
    const { offset, limit } = pageOf(request);
    requested.add(offset);
    onRequest();
    // v1 sends no total: only after the second response begins, the third page is requested.
    const isAhead = () => !isV2 || [SPOILED, SPOILED + PAGE_ROWS].every(one => requested.has(one));
    if (server.holds && offset === PAGE_ROWS && !isAhead())
      await new Promise<void>(resolve => {
        onRequest = () => isAhead() && resolve();
      });
    const rows = ROWS.slice(offset, offset + limit).join(',');
    const page = isV2 ? `{"rows":[${rows}],"total_rows":${ROWS.length}}` : `[${rows}]`;
    const good = server.isCompressed ? gzip(gzipSync(page)) : plain(page);
    const isSpoiled = offset === SPOILED && left-- > 0;
    const { body, encoding } = isSpoiled ? server.spoil(page) : good;
    return { body, headers: encoding === undefined ? {} : { 'content-encoding': encoding } };
  };
  return await tryAnswer(args, reply);
}

function pageOf({ body }: Received): { offset: number; limit: number } {
  const { offset, limit, StartItem, MaxItems } = JSON.parse(body || '{}') as Record<
    string,
    number | undefined
  >;
  return { offset: offset ?? StartItem ?? 0, limit: limit ?? MaxItems ?? 0 };
}

interface Outcome {
  readonly tried: Tried;
  /** The texts of the files left behind, by name. */
  readonly files: Readonly<Record<string, string>>;
}

/** Runs the same with pages in flight and one at a time; the outcome must be the same. Returns the one with pages in flight. */
async function compared(
  server: Omit<Server, 'holds'>,
  argsFor: (folder: string) => readonly string[],
): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for (const concurrency of [1, 4]) {
    const folder = temporaryFolder();
    const args = [...argsFor(folder), '--concurrency', String(concurrency)];
    const tried = await against({ ...server, holds: concurrency > 1 }, args);
    const files = readdirSync(folder).filter(name => !name.endsWith('.part.json'));
    const texts = files.sort().map(name => [name, readFileSync(join(folder, name), 'utf8')] as const);
    const hidden = (text: string) => text.replaceAll(folder, 'FOLDER').replace(/127\.0\.0\.1:\d+/g, 'HOST');
    outcomes.push({
      tried: {
        ...tried,
        stdout: hidden(tried.stdout),
        stderr: hidden(tried.stderr).replace(` --concurrency ${concurrency}`, ''),
      },
      files: Object.fromEntries(texts),
    });
  }
  const [one, many] = outcomes;
  if (one === undefined || many === undefined) expect.unreachable();
  expect({ ...many, tried: { ...many.tried, requests: 0 } }).toEqual({
    ...one,
    tried: { ...one.tried, requests: 0 },
  });
  return many;
}

const toFile = (folder: string) => [...QUERY, '--out', join(folder, 'rows.csv')];
const CSV = `report_day,visits\n${ROWS.map(row => Object.values(JSON.parse(row) as object).join(',')).join('\n')}\n`;

function aheadCase(
  told: Pick<FaultCase, 'fault' | 'does' | 'exit'>,
  times: number,
  isCompressed: boolean,
  commands: readonly ((folder: string) => readonly string[])[],
  spoils: readonly string[],
): FaultCase {
  return {
    ...told,
    async attempt() {
      let last: Tried | undefined;
      for (const argsFor of commands)
        for (const name of spoils) {
          const spoil = SPOILS[name] ?? expect.unreachable();
          const { tried, files } = await compared({ spoil, times, isCompressed }, argsFor);
          last = tried;
          expect(last.code, `${name}: ${last.stderr}`).toBe(told.exit);
          if (told.exit === 0 && argsFor === toFile) expect(files).toEqual({ 'rows.csv': CSV });
        }
      return last ?? expect.unreachable();
    },
  };
}

const RETRIED = Object.keys(SPOILS).filter(name => !FINAL.includes(name));
const named = (names: readonly string[]) => names.join(', ');

export const ahead: FaultGroup = {
  title: 'Prefetched pages',
  cases: [
    ...[true, false].map(isCompressed =>
      aheadCase(
        {
          fault: `the third of four ${isCompressed ? 'compressed ' : ''}pages fails once, while gatectl waits for the second: ${named(RETRIED)}`,
          does: 'requests it again after the second page; the file is the same as with one page at a time',
          exit: 0,
        },
        1,
        isCompressed,
        [toFile],
        RETRIED,
      ),
    ),
    aheadCase(
      {
        fault: 'the same each time',
        does: 'fails after the second page, with the same rows and error as with one page at a time',
        exit: 6,
      },
      Number.POSITIVE_INFINITY,
      true,
      [folder => [...toFile(folder), '--retries', '1']],
      Object.keys(SPOILS),
    ),
    aheadCase(
      {
        fault: 'the same for rows on stdout, a report of v1, a comparison and a chart',
        does: 'prints the same as with one page at a time',
        exit: 0,
      },
      1,
      true,
      [
        () => [...QUERY, '--csv'],
        () => [...REPORT, '--csv'],
        () => [...QUERY, '--compare', 'previous', '--csv'],
        () => [...QUERY, '--chart'],
      ],
      ['truncated gzip', 'truncated'],
    ),
  ],
};
