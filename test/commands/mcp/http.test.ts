import { Writable } from 'node:stream';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Signal } from '../../../src/errors/index.ts';
import { run } from '../../support/run.ts';

let url: URL;
let token: string;
let stop: (signal: Signal) => void;
let ended: Promise<{ code: number }>;

beforeAll(async () => {
  const printed = await new Promise<string>(resolve => {
    let text = '';
    const stdout = new Writable({
      write(chunk, _encoding, done) {
        text += chunk;
        if (text.includes('Bearer')) resolve(text);
        done();
      },
    });
    ended = run(['mcp', '--http', '0', '--sandbox'], {
      stdout,
      onSignals(send) {
        stop = send;
      },
    });
  });
  url = new URL(/http:\S+\/mcp/.exec(printed)?.[0] ?? '');
  token = /Bearer (\S+)/.exec(printed)?.[1] ?? '';
});

afterAll(async () => {
  stop('SIGTERM');
  await ended;
});

const post = (headers: Record<string, string>) =>
  fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}',
  });

test('a client of the protocol with the token lists and calls tools', async () => {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(url, {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  );
  expect((await client.listTools()).tools.length).toBe(14);
  const { content } = await client.callTool({
    name: 'access',
    arguments: { email: 'active@example.com', product: 'premium' },
  });
  expect(JSON.stringify(content)).toContain(String.raw`\"allowed\":true`);
  await client.close();
});

test.each([
  ['without the token', {}, 401],
  ['with another token', { authorization: 'Bearer x' }, 401],
  ['from a page of another origin', { origin: 'https://evil.example.com' }, 403],
])('requests %s are rejected', async (_, headers, status) => {
  expect((await post(headers)).status).toBe(status);
});

test('requests for another path are not found, with the token', async () => {
  const { status } = await fetch(new URL('/', url), { headers: { authorization: `Bearer ${token}` } });
  expect(status).toBe(404);
});
