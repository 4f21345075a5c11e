// Stands in for a gateway that costs next to nothing: node bench/server.js prints its address. It runs in a process of its own, so
// that it takes no time from those who ask it.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { makePages, page, pageHead, pageTail } from './rows.js';

/** What the server takes for a request to clear URLs, in milliseconds. */
const CLEAR_MS = 20;
/** Below /degrading, so many requests at a time take no longer than one alone. */
const BEARS = 8;

const PIECE_BYTES = 64 * 1024;

const access = JSON.stringify({ success: true, data: { decision: 'allowed', reasonCode: 'allowed' } });
const cleared = JSON.stringify({ Success: true, Error: '' });

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', chunk => chunks.push(chunk));
  request.on('end', () => {
    const { url = '' } = request;
    if (url.includes('/query')) rows(JSON.parse(Buffer.concat(chunks).toString()), response, true);
    else if (url.startsWith('/rows/')) {
      const [, , limit, offset] = url.split('/').map(Number);
      rows({ data_set: 'rows_0', limit, offset }, response, false);
    } else {
      const text = url.includes('/bulkclearcache') ? cleared : access;
      if (url.startsWith('/degrading/')) degrading(() => answer(response, text));
      else if (text === cleared || url.startsWith('/slow/'))
        setTimeout(() => answer(response, text), CLEAR_MS);
      else answer(response, text);
    }
  });
});
let inFlight = 0;
server.keepAliveTimeout = 60_000;
makePages();
server.listen(0, '127.0.0.1', () => process.send?.(server.address().port));
process.on('disconnect', () => process.exit());

/** More requests than the server bears wait for each other, and cost it more than they would one after the other. */
function degrading(respond) {
  inFlight += 1;
  const load = Math.max(1, inFlight / BEARS);
  setTimeout(
    () => {
      inFlight -= 1;
      respond();
    },
    CLEAR_MS * load ** 1.5,
  );
}

function answer(response, text) {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length });
  response.end(text);
}

/** The data set's name says how many rows there are: `rows_1000000`. Without an envelope, the bare array. */
async function rows({ data_set: name, limit, offset }, response, enveloped) {
  const total = Number(name.split('_')[1]) || offset + limit;
  const body = page(Math.min(limit, total - offset), offset);
  const head = enveloped ? pageHead : Buffer.from('[');
  const tail = enveloped ? pageTail(total) : Buffer.from(']\n');
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': head.length + body.length + tail.length,
  });
  response.write(head);
  await inPieces(response, body);
  response.end(tail);
}

/** As a server sends rows that it makes one by one: never more than the other side has taken. */
async function inPieces(response, body) {
  for (let at = 0; at < body.length; at += PIECE_BYTES) {
    if (!response.write(body.subarray(at, at + PIECE_BYTES))) await once(response, 'drain');
  }
}
