import { afterEach, beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => {
  // As on a processor that lacks what the kernel needs.
  vi.spyOn(WebAssembly, 'Module').mockImplementation(function module() {
    throw new WebAssembly.CompileError('Wasm SIMD unsupported');
  });
  vi.resetModules();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.resetModules();
});

const rows = Array.from({ length: 50 }, (_, index) => `{"id":${index},"name":"n, ${index}"}`);
const body = `{"rows":[${rows.join(',')}],"total_rows":50}`;

test('rows are written without the kernel where the processor has no SIMD, and have no fingerprints', async () => {
  const { transcode } = await import('./transcode.ts');
  const whole = rows.map((_, index) => `${index},"n, ${index}"\n`).join('');
  for (const size of [7, 1000, 100_000]) {
    const { text, pages } = transcode([body, body], {}, size);
    expect(text).toBe(`id,name\n${whole}${whole}`);
    expect(pages).toMatchObject([
      { found: true, rows: 50, fingerprints: new Int32Array(0) },
      { found: true, rows: 50, fingerprints: new Int32Array(0) },
    ]);
  }
});

test('rows are read one by one without the kernel, too', async () => {
  const { RowReader } = await import('../../../src/export/transcode/row-reader.ts');
  let count = 0;
  const reader = new RowReader(['id', 'name'], () => {
    count += 1;
  });
  reader.write(Buffer.from(`[${rows.join(',')}`));
  reader.write(Buffer.from(']'));
  reader.end();
  expect(count).toBe(50);
});
