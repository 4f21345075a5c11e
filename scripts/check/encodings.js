// Checks compressed responses on the Node that runs this: node scripts/check/encodings.js BIN. gatectl must request zstd where Node can
// decode it and nowhere else, and must read it whole, cut and damaged. Prints the encodings that it accepts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { gzipSync } from 'node:zlib';
import { listen } from './listen.js';

const QUERY = [
  'bda',
  'query',
  '--data-set',
  'pageview',
  '-d',
  'id',
  '--from',
  '2026-03-01',
  '--to',
  '2026-03-02',
];
const IDS = Array.from({ length: 5000 }, (_, id) => id * 7919);
const PAGE = JSON.stringify({ rows: IDS.map(id => ({ id })), total_rows: IDS.length });
const CSV = `id\n${IDS.join('\n')}\n`;

const bin = process.argv[2];
// The types are those of Node 20, which has no zstd.
/** @type {any} */
const { zstdCompressSync, constants } = await import('node:zlib');
const hasZstd = zstdCompressSync !== undefined;
const encoding = hasZstd ? 'zstd' : 'gzip';
// A checksum is optional in zstd, and part of gzip.
const compress = hasZstd
  ? bytes => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag]: 1 } })
  : gzipSync;
const compressed = compress(PAGE);
const flipped = Buffer.from(compressed);
flipped[flipped.length >> 1] ^= 0x55;

/** Bodies of the responses in order, and whether rows come in the end. */
const CASES = {
  whole: { bodies: [compressed], exit: 0 },
  'cut once': { bodies: [compressed.subarray(0, -9), compressed], exit: 0 },
  'damaged once': { bodies: [flipped, compressed], exit: 0 },
  'compressed twice, once': {
    bodies: [compress(compressed), compressed],
    exit: 0,
  },
  'cut each time': { bodies: [compressed.subarray(0, -9)], exit: 6 },
};

const home = mkdtempSync(join(tmpdir(), 'gatectl-encodings-'));
try {
  const accepted = new Set();
  for (const [name, { bodies, exit }] of Object.entries(CASES)) {
    const { code, stdout, stderr, accepts } = await queried(
      bodies,
      name === 'cut each time' ? ['--retries', '0'] : [],
    );
    for (const each of accepts) accepted.add(each);
    if (code !== exit) throw new Error(`${encoding}, ${name}: exit ${code} instead of ${exit}\n${stderr}`);
    if (exit === 0 && stdout !== CSV) throw new Error(`${encoding}, ${name}: other rows than were sent`);
  }
  const expected = hasZstd ? 'zstd, gzip' : 'gzip';
  if ([...accepted].join() !== expected)
    throw new Error(`Accept-Encoding is ${[...accepted].join(' and ')} instead of ${expected}`);
  process.stdout.write(`${expected}\n`);
} finally {
  rmSync(home, { recursive: true });
}

/** Runs a query against a server that sends these bodies, the last of them again and again. */
async function queried(bodies, flags) {
  const accepts = [];
  const server = createServer((request, response) => {
    request.resume();
    const body = bodies[Math.min(accepts.push(request.headers['accept-encoding']), bodies.length) - 1];
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding }).end(body);
  });
  const port = await listen(server);
  const child = spawn(process.execPath, [bin, ...QUERY, '--all', '--csv', ...flags], {
    env: {
      PATH: process.env.PATH,
      HOME: home,
      GATECTL_BASE_URL: `http://127.0.0.1:${port}`,
      GATECTL_API_KEY: 'a-key',
    },
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  server.close();
  server.closeAllConnections();
  return { code, stdout, stderr, accepts };
}

async function text(stream) {
  let all = '';
  for await (const chunk of stream.setEncoding('utf8')) all += chunk;
  return all;
}
