import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { run } from '../support/run.ts';
import { wireServer } from '../support/wire-server.ts';

const ROWS = `{"rows":[${Array.from({ length: 500 }, (_, i) => `{"id":${i}}`).join(',')}],"total_rows":500}`;
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

/** A gateway that compresses when asked, and the environment of who asks it. */
async function gateway() {
  const server = await wireServer(({ headers }) =>
    /gzip/.test(String(headers['accept-encoding']))
      ? { headers: { 'content-encoding': 'gzip' }, body: gzipSync(ROWS) }
      : { body: ROWS },
  );
  onTestFinished(() => server.close());
  const env = {
    GATECTL_BASE_URL: server.baseUrl,
    GATECTL_API_KEY: 'a-key',
    GATECTL_CONFIG_DIR: temporaryFolder(),
  };
  return { server, env };
}

test('compressed and uncompressed rows are the same, and --verbose shows the bytes of both', async () => {
  const { server, env } = await gateway();
  const small = await run([...QUERY, '--all', '--csv', '--verbose'], { env });
  const large = await run([...QUERY, '--all', '--csv', '--verbose', '--no-compression'], { env });
  expect(small.code).toBe(0);
  expect(small.stdout).toBe(large.stdout);
  expect(small.stderr).toMatch(/-> 200 \(\d+ ms, \d[.\d]* k?B gzip, [\d.]+ kB decoded\)/);
  expect(large.stderr).toMatch(/-> 200 \(\d+ ms, [\d.]+ kB\)/);
  expect(server.received.map(({ headers }) => headers['accept-encoding'])).toEqual([
    expect.stringMatching(/^(?:zstd, )?gzip$/),
    'identity',
  ]);
});

test('a profile turns compression off', async () => {
  const { server, env } = await gateway();
  const { GATECTL_BASE_URL: baseUrl, ...rest } = env;
  await run(['profile', 'add', 'a', '--base-url', baseUrl], { env: rest });
  const set = await run(['profile', 'set', 'compression', 'false'], { env: rest });
  expect(set.code, set.stderr).toBe(0);
  await run([...QUERY, '--all', '--csv'], { env: rest });
  expect(server.received.at(-1)?.headers['accept-encoding']).toBe('identity');
});

test('the embedded gateway compresses rows on request', async () => {
  const query = [
    'bda',
    'query',
    '--data-set',
    'pageview',
    '-d',
    'report_day,country',
    '-m',
    'visits',
    '--last',
    '14d',
  ];
  const asked = await run([...query, '--all', '--csv', '--verbose', '--sandbox']);
  const not = await run([...query, '--all', '--csv', '--verbose', '--sandbox', '--no-compression']);
  expect(asked.stderr).toMatch(/kB gzip, .* decoded/);
  expect(not.stderr).not.toContain('gzip');
  expect(asked.stdout).toBe(not.stdout);
});

test('--curl prints --compressed unless compression is turned off or the request names its encodings', async () => {
  const { env } = await gateway();
  const last = async (...args: string[]) =>
    (await run(args, { env })).stdout.trimEnd().split(' \\\n').at(-1)?.trim();
  expect(await last(...QUERY, '--curl')).toBe('--compressed');
  expect(await last('bda', 'domains', '--curl')).toBe('--compressed');
  expect(await last('api', '/x', '-H', 'Accept-Encoding: br', '--curl')).toBe("-H 'Accept-Encoding: br'");
  expect(await last(...QUERY, '--curl', '--no-compression')).toMatch(/^--data-binary /);
});

test('doctor shows whether the gateway compresses', async () => {
  const { server, env } = await gateway();
  const found = async (baseUrl: string, ...flags: string[]) => {
    const { stdout } = await run(['doctor', '--json', ...flags], {
      env: { ...env, GATECTL_BASE_URL: baseUrl },
    });
    const checks = JSON.parse(stdout) as { area: string; check: string; state: string; found: string }[];
    const compression = checks.find(({ area, check }) => area === 'network' && check === 'compression');
    return compression && `${compression.state}: ${compression.found}`;
  };
  expect(await found(server.baseUrl)).toMatch(/^ok: gzip: 1\.\d kB received for 5\.\d kB$/);
  expect(await found(server.baseUrl, '--no-compression')).toBe('ok: not requested (flag --no-compression)');
  const plain = await wireServer(() => ({ body: ROWS }));
  onTestFinished(() => plain.close());
  expect(await found(plain.baseUrl)).toMatch(/^ok: none: the largest response, 5\.\d kB, is not compressed$/);
});
