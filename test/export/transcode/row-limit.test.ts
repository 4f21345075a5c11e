import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RowTranscoder } from '../../../src/export/transcode/transcoder.ts';
import { runs } from '../../support/runs.ts';
import { inChunks } from './transcode.ts';

const FORMATS = ['csv', 'tsv', 'json', 'ndjson'] as const;

function rowsAsJson(count: number): string[] {
  return Array.from({ length: count }, (_, id) => `{"id":${id},"name":"n${id % 7}"}`);
}

/** The first rows of each page, and how many came beyond them. */
function limited(format: (typeof FORMATS)[number], pages: readonly string[][], most: number, size: number) {
  const out: Uint8Array[] = [];
  const transcoder = new RowTranscoder({
    format,
    columns: ['id', 'name'],
    rowsName: 'rows',
    sink: chunk => out.push(Uint8Array.from(chunk)),
  });
  const surplus = pages.map(rows => {
    transcoder.limitRows(most);
    for (const chunk of inChunks(`{"rows":[${rows.join()}]}`, size)) transcoder.write(chunk);
    const end = transcoder.endPage();
    return end.found ? [end.rows, end.surplus] : expect.unreachable();
  });
  transcoder.end();
  return { text: Buffer.concat(out).toString(), surplus };
}

test('of each page exactly the rows requested are written, however it is cut into chunks', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...FORMATS),
      fc.array(fc.nat(60), { minLength: 1, maxLength: 3 }),
      fc.nat(60),
      fc.integer({ min: 1, max: 3000 }),
      (format, counts, most, size) => {
        const pages = counts.map(rowsAsJson);
        const found = limited(format, pages, most, size);
        const wanted = pages.map(rows => rows.slice(0, most));
        expect(found.text).toBe(limited(format, wanted, Number.POSITIVE_INFINITY, size).text);
        expect(found.surplus).toEqual(
          counts.map(count => [Math.min(count, most), Math.max(0, count - most)]),
        );
      },
    ),
    { numRuns: runs(200) },
  );
});
