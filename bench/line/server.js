// Stands in for a gateway at the far end of a line: node bench/line/server.js sends its port to its parent, and the bytes of each page
// as gzip. The first part of a path says how long the server thinks before a page, in milliseconds: /500/…
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { COLUMNS, rowValues } from '../rows.js';
import { LINE_PAGE_ROWS, LINE_PAGES } from './size.js';

const total = LINE_PAGES * LINE_PAGE_ROWS;
const pages = Array.from({ length: LINE_PAGES }, (_, number) => {
  const rows = Array.from({ length: LINE_PAGE_ROWS }, (_row, index) => {
    const members = rowValues(number * LINE_PAGE_ROWS + index).map(
      (value, column) => `"${COLUMNS[column]}":${value}`,
    );
    return `{${members.join(',')}}`;
  });
  const plain = Buffer.from(`{"rows":[${rows.join(',')}],"total_rows":${total}}`);
  return { plain, gzip: gzipSync(plain) };
});

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { limit, offset } = JSON.parse(Buffer.concat(chunks).toString());
  await sleep(Number(request.url.split('/')[1]));
  const page = pages[offset / LINE_PAGE_ROWS];
  const isGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  const body = limit !== LINE_PAGE_ROWS || page === undefined ? undefined : isGzip ? page.gzip : page.plain;
  response.writeHead(body === undefined ? 400 : 200, {
    'content-type': 'application/json',
    'content-length': body?.length ?? 0,
    ...(isGzip && { 'content-encoding': 'gzip' }),
  });
  response.end(body);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () =>
  process.send?.({ port: server.address().port, bytes: pages.map(({ gzip }) => gzip.length) }),
);
process.on('disconnect', () => process.exit());
