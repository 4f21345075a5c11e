import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { emptyHome, gatectl } from '../support/gatectl.ts';
import { answering } from '../support/server-failures.ts';

const PAGES = ['{"id":0}', '{"id":1}', '{"id":2}'];
const MOST_WAITING = 256 * 1024;

const page = (offset: number) => `{"rows":[${PAGES[offset]}],"total_rows":${PAGES.length}}`;

/** Answers pages of one row; the third is asked for while the second is on its way, and is cut, by `cut`, before that comes. */
async function stage(cut: (answer: ServerResponse) => void) {
  let cuts = 0;
  let goOn = () => {};
  const respond = async (request: IncomingMessage, answer: ServerResponse) => {
    const { offset = 0 } = JSON.parse((await text(request)) || '{"offset":0}') as { offset?: number };
    answer.setHeader('content-type', 'application/json');
    if (offset === 1) {
      goOn = () => answer.end(page(1).slice(5));
      answer.write(page(1).slice(0, 5));
    } else if (offset === 2 && cuts === 0) {
      cuts += 1;
      answer.setHeader('connection', 'close');
      answer.setHeader('content-length', 4 * MOST_WAITING);
      answer.socket?.on('close', () => goOn());
      answer.write(`{"rows":[`.padEnd(MOST_WAITING), () => cut(answer));
    } else answer.end(page(offset));
  };
  const server = createServer((request, answer) =>
    answering(
      () => respond(request, answer),
      () => answer.destroy(),
    ),
  );
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const home = await emptyHome();
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
    await home.remove();
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const out = join(home.home, 'rows.csv');
  const query = [
    'bda',
    'query',
    '--data-set',
    'pageview',
    '-d',
    'id',
    '--from',
    '2026-02-01',
    '--to',
    '2026-02-28',
  ];
  const ran = await gatectl([...query, '--all', '--page-size', '1', '--out', out, '--quiet'], {
    env: { ...home.env, GATECTL_BASE_URL: base, GATECTL_API_KEY: 'some-key' },
  });
  return { ...ran, cuts, rows: () => readFileSync(out, 'utf8') };
}

test.each([
  ['ends too early', (answer: ServerResponse) => answer.socket?.end()],
  ['is reset', (answer: ServerResponse) => answer.socket?.resetAndDestroy()],
])('a page that waits to be written and whose connection %s is requested again', async (_, cut) => {
  const { exitCode, stderr, cuts, rows } = await stage(cut);
  expect({ exitCode, stderr, cuts }).toEqual({ exitCode: 0, stderr: '', cuts: 1 });
  expect(rows()).toBe('id\n0\n1\n2\n');
});
