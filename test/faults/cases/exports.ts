import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished } from 'vitest';
import { BUCKET, fakeS3, s3Failure } from '../../support/fake-s3.ts';
import { temporaryFolder } from '../../support/folder.ts';
import type { InProcess } from '../../support/run.ts';
import { positions } from '../../support/runs.ts';
import type { Received, Reply } from '../../support/wire-server.ts';
import type { FaultCase, FaultGroup } from '../fault-case.ts';
import { http, tryAnswer, tryBytes } from '../trial.ts';

const ROWS = Array.from({ length: 7 }, (_, i) => `{"id":${i},"text":"row ${i}, \\"q\\" \\u00e9"}`);
const WHOLE = `id,text\n${ROWS.map((_, i) => `${i},"row ${i}, ""q"" é"\n`).join('')}`;
const QUERY = ['bda', 'query', '--data-set', 'pageview', '-d', 'id,text', '--from', '2026-02-01'];
const PAGED = [...QUERY, '--to', '2026-02-28', '--all', '--page-size', '3'];

function asked({ body }: Pick<Received, 'body'>): { limit: number; offset: number } {
  const { limit = 100, offset = 0 } = JSON.parse(body || '{}') as { limit?: number; offset?: number };
  return { limit, offset };
}

function page(request: Pick<Received, 'body'>, rows = ROWS, total: unknown = rows.length): string {
  const { limit, offset } = asked(request);
  return `{"rows":[${rows.slice(offset, offset + limit).join(',')}],"total_rows":${total}}`;
}

const CUT_AT = page({ body: '{"limit":3,"offset":3}' }).length;

/** Tries an export to a file whose second page is cut at each of its bytes in turn: once, or for ever. */
function cut(times: number, told: Pick<FaultCase, 'fault' | 'does' | 'exit'>): FaultCase {
  return {
    ...told,
    async attempt() {
      let last: InProcess | undefined;
      for (const bytes of positions(CUT_AT)) {
        const folder = temporaryFolder();
        const out = join(folder, 'rows.csv');
        let left = times;
        const ran = await tryBytes(
          [...PAGED, '--out', out, '--quiet', ...(times === 1 ? [] : ['--retries', '0'])],
          (socket, _, request) => {
            const body = page({ body: request.slice(request.indexOf('\r\n\r\n') + 4) });
            const isSecond = asked({ body: request.slice(request.indexOf('\r\n\r\n') + 4) }).offset === 3;
            const whole = http(body);
            socket.end(isSecond && left-- > 0 ? whole.slice(0, whole.length - body.length + bytes) : whole);
          },
        );
        expect(ran.code, `cut at ${bytes}: ${ran.stderr}`).toBe(told.exit);
        if (told.exit === 0) expect(readFileSync(out, 'utf8')).toBe(WHOLE);
        else {
          expect(readdirSync(folder).sort()).toEqual(['rows.csv.part', 'rows.csv.part.json']);
          expect(WHOLE.startsWith(readFileSync(`${out}.part`, 'utf8'))).toBe(true);
          expect(ran.stderr).toContain('3 rows in 1 page are kept');
        }
        last = ran;
      }
      return last ?? expect.unreachable();
    },
  };
}

/** Rows to stdout, where what is out is out. */
function onStdout(
  told: Pick<FaultCase, 'fault' | 'does' | 'exit'>,
  says: string,
  reply: (request: Received, index: number) => Reply,
  flags: readonly string[] = [],
  stdout = WHOLE,
): FaultCase {
  return {
    ...told,
    async attempt() {
      const ran = await tryAnswer([...PAGED, '--csv', ...flags], reply);
      expect(ran.stdout).toBe(stdout);
      expect(ran.stderr).toContain(says);
      return ran;
    },
  };
}

const moved = (request: Received, index: number): Reply => ({
  body: page(request, ROWS, index === 0 ? 7 : 8),
});
/** As sorted anew between two pages: one row comes twice, another never. */
const shifted = (request: Received): Reply => ({
  body: page(request, [...ROWS.slice(0, 3), ...ROWS.slice(2, 6)]),
});
const REPEATED = '1 duplicate row; as many others may be missing';
const LINES = WHOLE.split('\n');
const TWICE = [...LINES.slice(0, 4), ...LINES.slice(3, 7), ''].join('\n');

const MOVED = 'the data changed during the export: 7 rows matched at first, 8 later';

export const exports: FaultGroup = {
  title: 'Exports of several pages',
  cases: [
    cut(1, {
      fault: 'a page is truncated, at any byte',
      does: 'requests that page again; the file is the same as without the fault',
      exit: 0,
    }),
    cut(Number.POSITIVE_INFINITY, {
      fault: 'a page is truncated each time',
      does: 'keeps the complete pages and prints how to resume; does not create the file',
      exit: 6,
    }),
    {
      fault: 'a page of several megabytes is truncated near its end, after much of it was written',
      does: 'removes its rows from the file and requests it again, compressed or not',
      exit: 0,
      async attempt() {
        const rows = Array.from({ length: 30_000 }, (_, i) => `{"id":${i},"text":"${'x'.repeat(100)}"}`);
        const whole = `id,text\n${rows.map((_, i) => `${i},${'x'.repeat(100)}\n`).join('')}`;
        const attempts = ['rows.csv', 'rows.csv.gz'].map(async name => {
          const out = join(temporaryFolder(), name);
          const ran = await tryAnswer(
            [...QUERY, '--to', '2026-02-28', '--all', '--out', out],
            (request, index) => {
              const body = page(request, rows);
              return { body: index === 0 ? `${body.slice(0, -500)}!` : body };
            },
          );
          expect(ran.requests).toBe(2);
          const bytes = readFileSync(out);
          expect((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString() === whole).toBe(true);
          return ran;
        });
        const [first] = await Promise.all(attempts);
        return first ?? expect.unreachable();
      },
    },
    onStdout(
      {
        fault: 'a page of rows for stdout is invalid JSON once',
        does: 'requests it again and skips the rows that were written',
        exit: 0,
      },
      '',
      (request, index) => ({ body: index === 1 ? `${page(request).slice(0, -30)}!` : page(request) }),
    ),
    onStdout(
      {
        fault: 'an error envelope with status 200 instead of the second page',
        does: 'keeps the rows before it; reports the error',
        exit: 5,
      },
      'error: no more',
      (request, index) => ({
        body: index === 0 ? page(request) : '{"error":{"code":"validation_error","message":"no more"}}',
      }),
      [],
      WHOLE.split('\n').slice(0, 4).join('\n').concat('\n'),
    ),
    onStdout(
      {
        fault: 'pages have fewer rows than requested',
        does: 'requests the rest from where they end, without a gap',
        exit: 0,
      },
      '',
      request => ({ body: page({ body: JSON.stringify({ ...asked(request), limit: 2 }) }) }),
    ),
    onStdout(
      {
        fault: 'the number of rows changes between pages',
        does: 'writes all rows and warns with both numbers',
        exit: 0,
      },
      MOVED,
      moved,
    ),
    onStdout(
      {
        fault: 'the same with --strict',
        does: 'writes all rows and exits 7',
        exit: 7,
      },
      MOVED,
      moved,
      ['--strict'],
    ),
    onStdout(
      {
        fault: 'a row is repeated on the next page while the number of rows stays the same',
        does: 'writes the rows as received and warns with the number of repeated rows',
        exit: 0,
      },
      REPEATED,
      shifted,
      [],
      TWICE,
    ),
    onStdout(
      {
        fault: 'the same with --strict, a repeated row',
        does: 'writes the rows as received and exits 7',
        exit: 7,
      },
      REPEATED,
      shifted,
      ['--strict'],
      TWICE,
    ),
    onStdout(
      {
        fault: 'rows lack a column',
        does: 'leaves the cell empty and warns with the number of rows',
        exit: 0,
      },
      'the column text is missing in 1 row',
      request => ({ body: page(request, [...ROWS.slice(0, 6), '{"id":6}']) }),
      [],
      WHOLE.replace(/6,".*\n$/, '6,\n'),
    ),
    onStdout(
      {
        fault: 'the number of rows is not a number',
        does: 'continues until a page is short, and warns that completeness is unknown',
        exit: 0,
      },
      'the response has no total, so rows may be missing',
      request => ({ body: page(request, ROWS, '"many"') }),
    ),
    onStdout(
      {
        fault: 'the number of rows is smaller than the rows received, or 0',
        does: 'writes all rows, until a page is short, and warns with both numbers',
        exit: 0,
      },
      'received 7 rows, expected 0',
      request => ({ body: page(request, ROWS, 0) }),
    ),
    onStdout(
      {
        fault: 'the server has more rows, but sends some of them and states their number as the total',
        does: 'writes these rows: the response is that of a server without more rows, so nothing shows it. Compare a sum, such as a metric without dimensions',
        exit: 0,
      },
      '',
      request => ({ body: page(request, ROWS.slice(0, 5)) }),
      ['--strict', '--quiet'],
      WHOLE.split('\n').slice(0, 6).join('\n').concat('\n'),
    ),
    onStdout(
      {
        fault: 'a text has half of a surrogate pair, such as \\ud800',
        does: 'writes U+FFFD in its place in csv and tsv, without a warning; json and ndjson keep it',
        exit: 0,
      },
      '',
      request => ({ body: page(request, [...ROWS.slice(0, 6), '{"id":6,"text":"a\\ud800b"}']) }),
      [],
      WHOLE.replace(/6,".*\n$/, '6,a\ufffdb\n'),
    ),
    onStdout({ fault: 'the number of rows is in quotes', does: 'reads it', exit: 0 }, '', request => ({
      body: page(request, ROWS, '"7"'),
    })),
    onStdout(
      {
        fault: 'no number of rows, with --strict',
        does: 'writes the rows and exits 7: some may be missing',
        exit: 7,
      },
      'the response has no total, so rows may be missing',
      request => ({ body: page(request).replace(/,"total_rows":7/, '') }),
      ['--strict'],
    ),
    {
      fault: 'every page has the rows of the first: the server ignores the offset',
      does: 'stops, and keeps no rows for --resume',
      exit: 7,
      async attempt() {
        const folder = temporaryFolder();
        const ran = await tryAnswer([...PAGED, '--out', join(folder, 'rows.csv')], request => ({
          body: page({ body: JSON.stringify({ ...asked(request), offset: 0 }) }),
        }));
        expect(ran.stderr).toBe(
          'error: the page of 3 rows from offset 3 repeats the page before it: the server ignores the offset\n' +
            '  request all rows in one page: --page-size 100000\n',
        );
        expect(readdirSync(folder)).toEqual([]);
        return ran;
      },
    },
    onStdout(
      { fault: 'no rows, although some are announced', does: 'warns with the number and exits 7', exit: 7 },
      'received 0 rows, expected 5\nerror: the rows are not complete\n',
      request => ({ body: page(request, [], 5) }),
      [],
      'id,text\n',
    ),
    onStdout(
      { fault: 'a requested column is missing from every row', does: 'warns, and fails', exit: 7 },
      'the column text is missing in every row\nerror: the rows are not complete\n',
      request => ({ body: page(request, ['{"id":0}', '{"id":1}']) }),
      [],
      'id,text\n0,\n1,\n',
    ),
    {
      fault: 'the same with --out: no rows, or none with a requested column',
      does: 'does not change the file',
      exit: 7,
      async attempt() {
        const attempts = [[], ['{"id":0}', '{"id":1}']].flatMap(rows =>
          ['rows.csv', 'rows.csv.gz', 'rows.parquet'].map(async name => {
            const folder = temporaryFolder();
            const out = join(folder, name);
            writeFileSync(out, 'old');
            const ran = await tryAnswer([...PAGED, '--manifest', '--out', out], request => ({
              body: page(request, rows, 2),
            }));
            expect(readFileSync(out, 'utf8')).toBe('old');
            expect(readdirSync(folder)).toEqual([name]);
            expect(ran.stderr).toContain(
              `nothing was written to ${out}, because the rows are not complete\n`,
            );
            expect(ran.code).toBe(7);
            return ran;
          }),
        );
        const [first] = await Promise.all(attempts);
        return first ?? expect.unreachable();
      },
    },
    onStdout(
      {
        fault: 'a row has the same key twice',
        does: 'rejects it like invalid JSON, because either value could be the correct one',
        exit: 6,
      },
      'a row has the key "text" twice',
      request => ({ body: page(request, ['{"id":0,"text":"US","text":"DE"}']) }),
      ['--retries', '0'],
      '',
    ),
    {
      fault: 'one page has no rows once, although more are announced',
      does: 'requests it again; the file is the same as without the fault',
      exit: 0,
      async attempt() {
        const attempts = ['rows.csv', 'rows.csv.gz'].map(async name => {
          const out = join(temporaryFolder(), name);
          let left = 1;
          const ran = await tryAnswer([...PAGED, '--out', out], request => ({
            body: page(request, asked(request).offset === 3 && left-- > 0 ? [] : ROWS, ROWS.length),
          }));
          expect(ran.requests).toBe(4);
          expect(ran.stderr).not.toContain('warning');
          const bytes = readFileSync(out);
          expect((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()).toBe(WHOLE);
          return ran;
        });
        const [first] = await Promise.all(attempts);
        return first ?? expect.unreachable();
      },
    },
    {
      fault: 'the upload to `--out s3://…` is rejected once all rows are received (403)',
      does: 'prints the command that uploads them without requesting them again',
      exit: 4,
      async attempt() {
        const store = await fakeS3();
        onTestFinished(() => store.close());
        store.intercept = ({ method }) => (method === 'PUT' ? s3Failure(403, 'AccessDenied') : undefined);
        const env = { ...store.env, XDG_STATE_HOME: temporaryFolder() };
        const ran = await tryAnswer(
          [...PAGED, '--out', `s3://${BUCKET}/rows.csv`],
          request => ({ body: page(request) }),
          { env },
        );
        expect(ran.stderr).toContain('to upload without requesting them again, run: gatectl bda query ');
        expect(store.objects.size).toBe(0);
        return ran;
      },
    },
    onStdout(
      {
        fault: 'fewer rows than announced',
        does: 'requests the rest once more, then stops and warns with both numbers',
        exit: 0,
      },
      'received 7 rows, expected 99',
      request => ({ body: page(request, ROWS, 99) }),
    ),
  ],
};
