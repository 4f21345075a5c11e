// How fast rows go through the transcoder, without network and disk: node bench/transcode/transcode.js [MEGABYTES]
// JSON.parse over the same bytes, which rounds numbers and holds a page, is the yardstick.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const CHUNK_BYTES = 64 * 1024;
const ROWS_A_PAGE = 20_000;
const ROUNDS = 5;
const FORMATS = ['csv', 'tsv', 'ndjson', 'json'];
const COLUMNS = ['report_day', 'url', 'country', 'device', 'pageviews', 'visits', 'revenue', 'rpm'];

const megabytes = Number(process.argv[2] ?? 200);

/** The same rows in every run: a linear congruential generator. */
function rowValues(index) {
  const number = ((index + 1) * 1_103_515_245 + 12_345) % 2_147_483_648;
  return [
    `"2026-0${1 + (index % 9)}-1${index % 10}"`,
    `"https://www.example.com/news/2026/article-${number}-a-title-of-some-words${index % 50 === 0 ? ', with a comma' : ''}"`,
    `"${['US', 'DE', 'IL', 'FR'][index % 4]}"`,
    `"${['desktop', 'mobile', 'tablet'][index % 3]}"`,
    String(number % 100_000),
    String(number % 9973),
    (number / 7919).toFixed(8),
    (number / 268_435_456).toFixed(6),
  ];
}

function page(writeRow, separator = '') {
  const rows = Array.from({ length: ROWS_A_PAGE }, (_, index) => writeRow(rowValues(index), index));
  return Buffer.from(`{"rows":[${rows.join(`,${separator}`)}],"total_rows":${ROWS_A_PAGE}}`);
}

function object(values, separator = '', keeps = () => true) {
  const members = values
    .map((value, column) => `"${COLUMNS[column]}":${separator}${value}`)
    .filter((_, column) => keeps(column));
  return `{${members.join(`,${separator}`)}}`;
}

const pages = {
  'rows alike': page(values => object(values)),
  'with blanks': page(values => object(values, ' '), ' '),
  'empty fields left out': page((values, index) =>
    object(values, '', column => column !== 6 || index % 3 > 0),
  ),
  'with a nested value': page(values => object(values.with(2, `{"code":${values[2]}}`))),
};

/** Megabytes a second: the best of some rounds. */
function speed(bytes, run) {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    run();
    best = Math.min(best, performance.now() - start);
  }
  return bytes / best / 1000;
}

const folder = await mkdtemp(join(tmpdir(), 'gatectl-bench-'));
const outfile = join(folder, 'transcoder.mjs');
await build({
  entryPoints: [new URL('../../src/export/transcode/transcoder.ts', import.meta.url).pathname],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
});
const { RowTranscoder } = await import(pathToFileURL(outfile).href);
await rm(folder, { recursive: true });

process.stdout.write(
  `${'MB/s'.padEnd(24)}${[...FORMATS, 'JSON.parse'].map(name => name.padStart(12)).join('')}\n`,
);
for (const [name, body] of Object.entries(pages)) {
  const chunks = [];
  for (let at = 0; at < body.length; at += CHUNK_BYTES) chunks.push(body.subarray(at, at + CHUNK_BYTES));
  const repeats = Math.max(1, Math.round((megabytes * 1e6) / body.length / ROUNDS));
  const bytes = repeats * body.length;
  const speeds = FORMATS.map(format =>
    speed(bytes, () => {
      const transcoder = new RowTranscoder({ format, columns: COLUMNS, rowsName: 'rows', sink: () => {} });
      for (let repeat = 0; repeat < repeats; repeat++) {
        for (const chunk of chunks) transcoder.write(chunk);
        transcoder.endPage();
      }
      transcoder.end();
    }),
  );
  speeds.push(
    speed(bytes, () => {
      for (let repeat = 0; repeat < repeats; repeat++) JSON.parse(body.toString());
    }),
  );
  process.stdout.write(`${name.padEnd(24)}${speeds.map(value => value.toFixed(0).padStart(12)).join('')}\n`);
}
const peak = process.resourceUsage().maxRSS / 1024;
process.stdout.write(`peak memory, JSON.parse and all pages included: ${peak.toFixed(0)} MB\n`);
