// How fast single functions are, without start, network and disk. It runs in a process of its own: node bench/functions.js MS
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { Bench } from 'tinybench';
import { PACKAGES } from '../scripts/build/packages.js';
import { COLUMNS, rowValues } from './rows.js';

const CHUNK_BYTES = 64 * 1024;
const ROWS = 20_000;
const FORMATS = ['csv', 'tsv', 'ndjson', 'json'];

const { RowTranscoder, parseJson, render, printable, TextSet, cleanUrl } = await source(`
  export { RowTranscoder } from './src/export/transcode/transcoder.ts';
  export { parseJson } from './src/json/index.ts';
  export { render } from './src/output/render.ts';
  export { printable } from './src/text/printable.ts';
  export { TextSet } from './src/files/text-set.ts';
  export { cleanUrl } from './src/apis/cdn/clean-url.ts';
`);

const bench = new Bench({ time: Number(process.argv[2] ?? 500), warmupTime: 100 });
/** The amount that one call processes, and its unit per second. */
const work = new Map();
function add(name, unit, amount, run) {
  work.set(name, { unit, amount });
  bench.add(name, run);
}

for (const [kind, body] of Object.entries(pages())) {
  const chunks = [];
  for (let at = 0; at < body.length; at += CHUNK_BYTES) chunks.push(body.subarray(at, at + CHUNK_BYTES));
  for (const format of FORMATS) {
    add(`rows to ${format}, ${kind}`, 'MB/s', body.length / 1e6, () => transcode(format, chunks));
  }
  add(`JSON.parse, ${kind}`, 'MB/s', body.length / 1e6, () => JSON.parse(body.toString()));
}
const document = pages()
  ['rows alike'].toString()
  .slice(0, 1_000_000)
  .replace(/,\{[^}]*$/, ']}');
add('a response parsed with all digits', 'MB/s', document.length / 1e6, () => parseJson(document));
const records = Array.from({ length: 1000 }, (_, index) =>
  Object.fromEntries(rowValues(index).map((value, column) => [COLUMNS[column], JSON.parse(value)])),
);
const style = { width: 200, paint: { bold: t => t, dim: t => t, green: t => t, red: t => t }, unicode: true };
add('a table of 1,000 rows', 'rows/s', 1000, () =>
  render(records, {}, 'table', { ...style, timeZone: 'UTC' }),
);
const urls = Array.from(
  { length: 10_000 },
  (_, index) => `https://www.example.com/news/2026/article-${index}`,
);
add('URLs checked and deduplicated', 'URLs/s', urls.length, () => {
  const known = new TextSet((index, url) => urls[index] === url);
  for (const [index, url] of urls.entries()) known.add(cleanUrl(url).url ?? url, index);
});
add('strings escaped for a terminal', 'texts/s', urls.length, () => urls.map(printable));

await bench.run();
process.stdout.write(
  JSON.stringify(
    bench.tasks.map(({ name, result }) => {
      const { unit, amount } = work.get(name);
      const { p50, p75, p99 } = result.latency;
      return { name, unit, perSecond: amount / (p50 / 1000), spread: (p75 - p50) / p50, slowest: p99 / p50 };
    }),
  ),
);

function transcode(format, chunks) {
  const transcoder = new RowTranscoder({ format, columns: COLUMNS, rowsName: 'rows', sink: () => {} });
  for (const chunk of chunks) transcoder.write(chunk);
  transcoder.endPage();
  transcoder.end();
}

/** The same rows in the shapes in which they may come. */
function pages() {
  const object = (values, separator = '', keeps = () => true) => {
    const members = values.map((value, column) => `"${COLUMNS[column]}":${separator}${value}`);
    return `{${members.filter((_, column) => keeps(column)).join(`,${separator}`)}}`;
  };
  const page = (write, separator = '') => {
    const rows = Array.from({ length: ROWS }, (_, index) => write(rowValues(index), index));
    return Buffer.from(`{"rows":[${rows.join(`,${separator}`)}],"total_rows":${ROWS}}`);
  };
  return {
    'rows alike': page(values => object(values)),
    'with blanks': page(values => object(values, ' '), ' '),
    'empty fields omitted': page((values, index) =>
      object(values, '', column => column !== 6 || index % 3 > 0),
    ),
    'with a nested value': page(values => object(values.with(2, `{"code":${values[2]}}`))),
  };
}

/** What the modules export, bundled from their TypeScript. */
async function source(contents) {
  const folder = await mkdtemp(join(tmpdir(), 'gatectl-functions-'));
  const outfile = join(folder, 'functions.mjs');
  try {
    await build({
      stdin: { contents, resolveDir: new URL('..', import.meta.url).pathname, loader: 'ts' },
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      external: PACKAGES,
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    await rm(folder, { recursive: true });
  }
}
