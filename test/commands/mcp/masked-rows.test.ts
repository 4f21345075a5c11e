import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { maskAddresses } from '../../../src/apis/subscriptions/mask-addresses.ts';
import { writeMasked } from '../../../src/commands/mcp/masked-rows.ts';
import { csvEncoder } from '../../../src/output/csv.ts';
import type { Progress } from '../../../src/terminal/progress.ts';

const SILENT: Progress = {
  expect() {},
  resumeAt() {},
  advance() {},
  bytes() {},
  describe() {},
  hide() {},
  finish() {},
};

function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatectl-masked-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** The masked file, and the rows that its progress counts. */
async function maskedText(path: string) {
  let rows = 0;
  const advance = (more: number) => {
    rows += more;
  };
  const { signal } = new AbortController();
  const written: string[] = [];
  const write = async (text: string | Uint8Array) => void written.push(String(text));
  await writeMasked(path, { write }, { progress: () => ({ ...SILENT, advance }), signal });
  return { text: written.join(''), rows };
}

test('every cell is masked as in a result, and nothing else differs', async () => {
  const path = join(folderOfTest(), 'rows.csv');
  const cell = fc.oneof(
    fc.constantFrom(
      null,
      '',
      '1234',
      '0.10',
      'jane.doe@example.org',
      'https://example.com/?m=jane%40example.org',
    ),
    fc.string({ unit: fc.constantFrom('a', '@', '"', ',', '\n', ' ', '.', 'é', '%') }),
  );
  const rows = fc
    .integer({ min: 1, max: 4 })
    .chain(width =>
      fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 9 }),
    );
  await fc.assert(
    fc.asyncProperty(rows, async records => {
      const columns = (records[0] ?? []).map((_, index) => ({ key: `c${index}` }));
      const encoder = csvEncoder(columns, { csvDialect: 'rfc4180', width: undefined });
      const text = (change: (each: string) => string) =>
        encoder.header() +
        records
          .map(cells =>
            encoder.row(
              Object.fromEntries(
                cells.map((each, index) => [`c${index}`, each === null ? null : change(each)]),
              ),
            ),
          )
          .join('');
      writeFileSync(
        path,
        text(each => each),
      );
      expect(await maskedText(path)).toEqual({ text: text(maskAddresses), rows: records.length });
    }),
  );
});
