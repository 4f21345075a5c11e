import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { Signal } from '../../../src/errors/index.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { type InProcessOptions, run } from '../../support/run.ts';

function serve(fixtures: string) {
  const file = join(temporaryFolder(), 'readers.json');
  writeFileSync(file, fixtures);
  return run(['sandbox', 'serve', '--port', '0', '--fixtures', file]);
}

describe('sandbox serve starts nothing when it is requested something it cannot do', () => {
  test('each mistake in the fixtures is named by its line', async () => {
    const { code, stdout, stderr } = await serve('{"domains": [\n  {"domian": "example.com"}\n]}');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('  line 2, domains[0].domian: is unknown: did you mean domain?\n');
    expect(stderr).toContain('  line 2, domains[0]: domain is required\n');
  });

  test('fixtures that are not JSON', async () => {
    const { code, stderr } = await serve('{"domains": [\n}');
    expect(code).toBe(2);
    expect(stderr).toContain('  line 2: not JSON: unexpected "}" in column 1\n');
  });

  test('a fault that is misspelt', async () => {
    const { code, stderr } = await run(['sandbox', 'serve', '--port', '0', '--fault', 'staus=503']);
    expect(code).toBe(2);
    expect(stderr).toContain("unknown key 'staus' in a fault: did you mean status?");
  });

  test('an address that is not one of this machine', async () => {
    const { code, stderr } = await run(['sandbox', 'serve', '--port', '0', '--host', '192.0.2.1']);
    expect(code).toBe(2);
    expect(stderr).toContain('192.0.2.1 is not an address of this machine\n  type --host 127.0.0.1');
  });

  test('an invalid origin', async () => {
    const { code, stderr } = await run(['sandbox', 'serve', '--port', '0', '--cors', 'localhost:3000']);
    expect(code).toBe(2);
    expect(stderr).toContain(
      '--cors localhost:3000 is not an origin\n  type one such as http://localhost:3000',
    );
  });
});

/** Serves until `use` has the printed description, then stops. */
async function served(
  args: readonly string[],
  use: (printed: { baseUrl: string; apiKey: string }) => Promise<void>,
  options: InProcessOptions = {},
) {
  let send: (signal: Signal) => void = () => {};
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      done();
      use(JSON.parse(String(chunk))).finally(() => send('SIGINT'));
    },
  });
  const onSignals = (given: typeof send) => {
    send = given;
  };
  return await run(['sandbox', 'serve', '--port', '0', '--json', ...args], { ...options, stdout, onSignals });
}

test('the clock starts at the documented day, and the variables to copy make commands count from it', async () => {
  const now = Date.UTC(2027, 6, 1);
  const env = { GATECTL_SANDBOX_CLOCK: '' };
  const { date, stderr } = await dateServed([], { now, env });
  expect(date).toBe('Sat, 14 Mar 2026 12:00:00 GMT');
  expect(stderr).toContain(
    'note: in the sandbox it is 14 March 2026; --clock now uses the time of this machine\n',
  );
  expect(await printed([], 80, { now, env })).toContain(
    'export GATECTL_SANDBOX_CLOCK=2026-03-14T12:00:00Z\n',
  );
});

test('--clock now uses the clock of the machine', async () => {
  const options = { now: Date.UTC(2027, 6, 1), env: { GATECTL_SANDBOX_CLOCK: '' } };
  const { date, stderr } = await dateServed(['--clock', 'now'], options);
  expect(date).toBe('Thu, 01 Jul 2027 00:00:00 GMT');
  expect(stderr).not.toContain('in the sandbox it is');
  expect(await printed(['--clock', 'now'], 80, options)).not.toContain('GATECTL_SANDBOX_CLOCK');
});

/** The time that responses of a served gateway state. */
async function dateServed(args: readonly string[], options: InProcessOptions) {
  let date: string | null = null;
  const { stderr } = await served(
    args,
    async ({ baseUrl }) => {
      date = (await fetch(`${baseUrl}/openapi.json`)).headers.get('date');
    },
    options,
  );
  return { date, stderr };
}

test('an address that other machines can reach gives a warning and a generated key', async () => {
  const keys: string[] = [];
  const statuses: number[] = [];
  for (let time = 0; time < 2; time += 1) {
    const { stderr } = await served(['--host', '0.0.0.0'], async ({ baseUrl, apiKey }) => {
      keys.push(apiKey);
      const url = `${baseUrl.replace('127.0.0.1', '127.0.0.2')}/cdnservices/ping/`;
      for (const key of [apiKey, 'sandbox-key-0000-not-a-secret'])
        statuses.push((await fetch(url, { method: 'POST', headers: { 'x-api-key': key } })).status);
    });
    expect(stderr).toContain('warning: other machines can connect to 0.0.0.0, unencrypted');
  }
  expect(statuses).toEqual([200, 401, 200, 401]);
  expect(new Set(keys).size).toBe(2);
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
});

test('web pages of an origin that was named may read responses', async () => {
  const headers: (string | null)[] = [];
  await served(['--cors', 'http://localhost:3000/'], async ({ baseUrl }) => {
    for (const origin of ['http://localhost:3000', 'http://localhost:4000']) {
      const response = await fetch(`${baseUrl}/openapi.json`, { headers: { origin } });
      headers.push(response.headers.get('access-control-allow-origin'));
    }
  });
  expect(headers).toEqual(['http://localhost:3000', null]);
});

/** What is printed for people, in a terminal that is so wide. */
async function printed(
  args: readonly string[],
  columns: number,
  options: InProcessOptions = {},
): Promise<string> {
  let text = '';
  let send: (signal: Signal) => void = () => {};
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
      setImmediate(() => send('SIGINT'));
    },
  });
  const onSignals = (given: typeof send) => {
    send = given;
  };
  await run(['sandbox', 'serve', '--port', '0', ...args], {
    ...options,
    stdout: Object.assign(stdout, { isTTY: true, columns }),
    onSignals,
  });
  return text;
}

test('in a narrow terminal, text for people wraps; text to copy stays on one line', async () => {
  const text = await printed([], 60);
  const [, readers = ''] = /^Readers at .*:\n((?: {2}.*\n)+)/m.exec(text) ?? [];
  const lines = readers.trimEnd().split('\n');
  expect(lines.filter(line => line.length > 60)).toEqual([]);
  expect(lines.some(line => line.startsWith(' '.repeat(20)))).toBe(true);
  expect(text).toMatch(/^ {2}gatectl access --product premium --email \S+$/m);
});

test('fixtures without products and readers leave out the command that requires a product', async () => {
  const file = join(temporaryFolder(), 'readers.json');
  writeFileSync(file, '{"domains": [{"domain": "news.example.com"}]}');
  const text = await printed(['--fixtures', file], 80);
  expect(text.slice(text.indexOf('  gatectl'))).toBe(
    '  gatectl reader --email reader@example.com\n\nnews.example.com has no readers.\n',
  );
});

test.each([
  ['--brand', ['--brand', 'Acme'], {}],
  ['GATECTL_BRAND', [], { GATECTL_BRAND: 'Acme' }],
])('the brand of %s is in the headers that the served gateway reads', async (_, flags, env) => {
  let text = '';
  let send: (signal: Signal) => void = () => {};
  let begin = () => {};
  const started = new Promise<void>(resolve => {
    begin = resolve;
  });
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      if (text.includes('Readers at')) begin();
      done();
    },
  });
  const onSignals = (given: typeof send) => {
    send = given;
  };
  const serving = run(['sandbox', 'serve', '--port', '0', ...flags], { env, stdout, onSignals });
  await started;
  expect(text).toContain('export GATECTL_BRAND=Acme\n');
  const exports = [...text.matchAll(/export (\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]);
  const asking = ['access', '--product', 'premium', '--email', 'active@example.com', '--exit-code'];
  expect(await run(asking, { env: Object.fromEntries(exports) })).toMatchObject({ code: 0 });
  const others = Object.fromEntries(exports.filter(([name]) => name !== 'GATECTL_BRAND'));
  expect((await run(asking, { env: others })).code).not.toBe(0);
  send('SIGINT');
  await serving;
});

test('the embedded gateway of --sandbox has the brand of the environment', async () => {
  const asking = ['access', '--product', 'premium', '--email', 'active@example.com', '--sandbox', '--json'];
  expect((await run(asking, { env: { GATECTL_BRAND: 'acme' } })).code).toBe(0);
  expect((await run([...asking, '--curl'], { env: { GATECTL_BRAND: 'acme' } })).stdout).toContain(
    'X-Acme-Reader',
  );
});
