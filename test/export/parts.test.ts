import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InterruptedError, InvalidResponseError, NetworkError } from '../../src/errors/index.ts';
import { type ExportOptions, exportRows, type Progress } from '../../src/export/export-rows.ts';
import type { RowFormat } from '../../src/export/transcode/formats.ts';
import { withField } from '../../src/export/with-field.ts';
import { runs } from '../support/runs.ts';
import { COLUMNS, fakeSource, rowText, stillClock, type Turn } from './source.ts';

/** A sink in memory that can be truncated, as a file can. */
class Memory {
  content = Buffer.alloc(0);
  readonly canTruncate = true;
  readonly releasesChunks = false;

  async write(chunk: Uint8Array): Promise<void> {
    this.content = Buffer.concat([this.content, chunk]);
  }

  async rollback(bytes: number): Promise<void> {
    this.content = this.content.subarray(0, bytes);
  }

  async endPage(): Promise<number> {
    return this.content.length;
  }
}

const taken = () => new Error('taken');
const site = (name: string, rows: number, turns: Readonly<Record<number, Turn>> = {}) => ({
  source: withField(fakeSource(rows, turns), { name: 'domain', value: name, taken }),
  plan: { start: 0, pageSize: 3, pagesInFlight: 1 },
});

async function exportSites(
  sites: readonly ReturnType<typeof site>[],
  sink: Memory,
  changes: Partial<ExportOptions> = {},
  format: RowFormat = 'csv',
) {
  const [first, ...otherParts] = sites;
  if (first === undefined) throw new Error('no sites');
  return await exportRows({
    ...first,
    otherParts,
    encoding: { format, dialect: 'rfc4180' },
    openSink: async () => sink,
    clock: stillClock(),
    signal: new AbortController().signal,
    retries: 0,
    onRows: () => {},
    onPage: async () => {},
    ...changes,
  });
}

describe('several sources in one document', () => {
  test('follow each other below one header, each row with the name of its source', async () => {
    const sink = new Memory();
    const { stats, partStats } = await exportSites(
      [site('a.example', 1), site('b.example', 0), site('c', 2)],
      sink,
    );
    const lines = sink.content.toString().split('"\n');
    expect(sink.content.toString().split('\n')[0]).toBe(`domain,${COLUMNS.join(',')}`);
    expect(lines.length).toBeGreaterThan(1);
    expect(stats.rows).toBe(3);
    expect(partStats.map(part => part?.rows)).toEqual([1, 0, 2]);
  });

  test.each<[RowFormat, string]>([
    ['json', `[\n{"domain":"a",${rowText(0).slice(1)},\n{"domain":"b",${rowText(0).slice(1)}\n]\n`],
    ['ndjson', `{"domain":"a",${rowText(0).slice(1)}\n{"domain":"b",${rowText(0).slice(1)}\n`],
  ])('are one document of %s, with every digit', async (format, text) => {
    const sink = new Memory();
    await exportSites([site('a', 1), site('b', 1)], sink, {}, format);
    expect(sink.content.toString()).toBe(text);
  });

  test('resumed after any page, end in the same bytes, and no complete page is requested again', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(10), { minLength: 1, maxLength: 4 }),
        fc.constantFrom<RowFormat>('csv', 'tsv', 'json', 'ndjson'),
        fc.nat(12),
        async (counts, format, stopAfter) => {
          const sites = () => counts.map((rows, index) => site(`site${index}`, rows));
          const whole = new Memory();
          const counted: string[] = [];
          await exportSites(
            sites(),
            whole,
            {
              onPage: async () => {
                counted.push('whole');
              },
            },
            format,
          );

          const sink = new Memory();
          let kept: Progress | undefined;
          let pagesKept = 0;
          const stop = new AbortController();
          const interrupted = exportSites(
            sites(),
            sink,
            {
              signal: stop.signal,
              onPage: async progress => {
                if (pagesKept > stopAfter) return;
                kept = JSON.parse(JSON.stringify(progress));
                pagesKept += 1;
                if (pagesKept > stopAfter) stop.abort(new InterruptedError('SIGINT'));
              },
            },
            format,
          );
          await interrupted.catch(() => undefined);
          await sink.rollback(kept?.written.sinkBytes ?? 0);
          const resumed = await exportSites(
            sites(),
            sink,
            {
              resume: kept,
              onPage: async () => {
                counted.push('resumed');
              },
            },
            format,
          );
          expect(sink.content.toString()).toBe(whole.content.toString());
          expect(resumed.stats.rows).toBe(counts.reduce((sum, rows) => sum + rows, 0));
          const pages = (run: string) => counted.filter(each => each === run).length;
          expect(pagesKept + pages('resumed')).toBe(pages('whole'));
        },
      ),
      { numRuns: runs(80) },
    );
  });
});

describe('a field that each row gets', () => {
  const read = async (body: string, chunk: number, columns: readonly string[] = ['id']) => {
    const source = withField(
      {
        columns,
        hasTotal: true,
        readError: () => undefined,
        total: () => undefined,
        open: async () => ({
          headers: { 'content-type': 'application/json' },
          request: { method: 'GET', origin: '', path: '' },
          body: (async function* () {
            const bytes = Buffer.from(body);
            for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
          })(),
        }),
      },
      { name: 'domain', value: 'bücher.example', taken },
    );
    const chunks: Uint8Array[] = [];
    for await (const each of (await source.open({ offset: 0, limit: 10 })).body) chunks.push(each);
    return Buffer.concat(chunks).toString();
  };

  test('is first, whatever the row and wherever its bytes are split', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.dictionary(
            fc.string().filter(name => name !== 'domain'),
            fc.jsonValue(),
            { maxKeys: 3 },
          ),
          { minLength: 1 },
        ),
        fc.dictionary(
          fc.string().filter(name => name !== 'rows' && name !== '__proto__'),
          fc.integer(),
          { maxKeys: 2 },
        ),
        fc.integer({ min: 1, max: 40 }),
        fc.boolean(),
        async (rows, others, chunk, isPretty) => {
          const text = JSON.stringify({ rows, ...others }, undefined, isPretty ? 2 : 0);
          const written = JSON.parse(text);
          const expected = {
            ...written,
            rows: written.rows.map((row: object) => ({ domain: 'bücher.example', ...row })),
          };
          expect(JSON.parse(await read(text, chunk))).toEqual(expected);
        },
      ),
      { numRuns: runs(200) },
    );
  });

  test.each([
    ['no rows', '{"rows":[],"total_rows":0}', '{"rows":[],"total_rows":0}'],
    ['a root array', '[{"id":1.50}]', '{"rows":[{"domain":"bücher.example","id":1.50}]}'],
    ['rows that are arrays', '[[1.50,2]]', '{"rows":[{"domain":"bücher.example","id":1.50,"2":2}]}'],
    ['an error', '{"error":{"code":"upstream_error"}}', '{"error":{"code":"upstream_error"}}'],
  ])('of a response with %s', async (_, body, text) => {
    expect(await read(body, 7)).toBe(text);
  });

  test('of rows without names has the positions as names', async () => {
    expect(await read('[[1.50,"x"]]', 5, [])).toBe('{"rows":[{"domain":"bücher.example","1":1.50,"2":"x"}]}');
  });

  test('is rejected where the rows have one of that name', async () => {
    await expect(read('[{"domain":"x"}]', 4)).rejects.toThrow('taken');
  });

  test('does not hide a web page', async () => {
    await expect(read('<!doctype html><title>Login</title>', 100)).rejects.toThrow(InvalidResponseError);
  });

  test('leaves errors of the connection as they are', async () => {
    const reset = new NetworkError('the connection broke', { code: 'connection_reset' });
    const broken = site('a', 5, { 0: { breakAfter: { bytes: 100, error: reset } } });
    await expect(exportSites([broken], new Memory())).rejects.toBe(reset);
  });
});
