import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Part, Parts } from '../../../src/sync/rows/parts.ts';
import { tableOf } from '../tables.ts';

test('partitions of several units take turns with the same memory', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const memory = new Set<ArrayBufferLike>();
  for (const unit of ['2026-01', '2026-02']) {
    const parts = new Parts({ form: 'csv', folder, table: tableOf({ dimensions: [], metrics: [] }) });
    for (const day of ['01', '02', '03']) {
      parts.begin(`${unit}-${day}`);
      const { file } = parts.current as Part;
      file.pending.append(Buffer.from(`${unit}-${day}\n`));
      memory.add(file.pending.view.buffer);
      await parts.drain();
    }
    await parts.endPage();
    for (const [key, { path, bytes }] of await parts.finish()) {
      expect(readFileSync(path, 'utf8')).toBe(`${key}\n`);
      expect(bytes).toBe(11);
    }
  }
  // While one waits for the next, that one has its own.
  expect(memory.size).toBe(2);
});

test('a partition that ended continues after a page was given up', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const parts = new Parts({ form: 'csv', folder, table: tableOf({ dimensions: [], metrics: [] }) });
  const put = (text: string) => (parts.current as Part).file.pending.append(Buffer.from(text));
  parts.begin('a');
  put('1\n');
  (parts.current as Part).page.rows += 1;
  await parts.endPage();
  put('2\n');
  parts.begin('b');
  put('3\n');
  await parts.drain();
  await parts.rollback();
  put('4\n');
  parts.begin('c');
  put('5\n');
  await parts.drain();
  for (const part of [(await parts.finish()).get('a'), (await parts.finish()).get('c')])
    expect(readFileSync(part?.path ?? '', 'utf8')).toBe(part?.key === 'a' ? '1\n4\n' : '5\n');
});
