import { existsSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emptyHome, gatectl, serveSandbox, startGatectl } from '../support/gatectl.ts';
import { rawServer } from '../support/raw-server.ts';
import { until } from '../support/wait.ts';

const BIN = fileURLToPath(new URL('../../bin/gatectl.js', import.meta.url));
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

let home: Awaited<ReturnType<typeof emptyHome>>;
beforeAll(async () => {
  home = await emptyHome();
});
afterAll(() => home.remove());

const serve = (...args: readonly string[]) => serveSandbox(args, { env: home.env });

describe('gatectl as a process', () => {
  test('--version prints only the version', async () => {
    expect(await gatectl(['--version'])).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
  });

  test('a request that the failure of another made pointless is aborted and not traced', async () => {
    const server = await rawServer(() => {}, {
      onData: (socket, chunk) => {
        if (String(chunk).includes('/getcustomreports/'))
          socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n{"Error":"forbidden"}');
      },
    });
    const args = ['bda', 'report', 'list', '-v', '--base-url', server.baseUrl];
    const { exitCode, stderr } = await gatectl(args, { env: { ...home.env, GATECTL_API_KEY: 'some-key' } });
    await server.close();
    expect(exitCode).toBe(4);
    expect(stderr.match(/^GET .*/gm)).toEqual([expect.stringMatching(/getcustomreports.* -> 403 /)]);
  });

  test.each(['', 'Nowhere/Atall'])('TZ=%j is UTC, with a note', async TZ => {
    const query = ['bda', 'query', '--data-set', 'pageview', '-m', 'visits', '--last', '7d', '--sandbox'];
    const { exitCode, stderr } = await gatectl(query, { env: { ...home.env, TZ } });
    expect(exitCode).toBe(0);
    expect(stderr).toContain(`note: TZ=${TZ || "''"} is not a time zone; using UTC\n`);
    expect(stderr).toMatch(/, 7 days \(UTC\)\n/);
  });

  test.runIf(existsSync('/dev/full')).each(['--version', '--help'])(
    '%s onto a full disk says so, exit 9',
    async word => {
      const line = ['-c', 'exec "$0" "$@" > /dev/full', process.execPath, BIN, word];
      const ran = await execa('sh', line, { reject: false });
      expect([ran.exitCode, ran.stderr]).toEqual([9, 'error: cannot write to stdout: the disk is full']);
    },
  );

  test('without a command it shows what there is', async () => {
    const { exitCode, stdout, stderr } = await gatectl([]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    for (const word of ['access', 'profile', 'sandbox', '--output', '--jq']) expect(stdout).toContain(word);
  });

  test('works without HOME, with a thin PATH, as under cron', async () => {
    const ran = await gatectl(['products', '--email', 'active@example.com', '--sandbox', '--quiet'], {
      env: { PATH: '/nowhere' },
    });
    expect(ran).toEqual({ exitCode: 0, stdout: 'PRODUCT\npremium\nsports\n', stderr: '' });
  });

  test('the embedded gateway responds over a real socket to another gatectl', async () => {
    const { server, baseUrl, apiKey } = await serve();
    const env = {
      ...home.env,
      GATECTL_BASE_URL: baseUrl,
      GATECTL_API_KEY: apiKey,
      GATECTL_DOMAIN: 'example.com',
    };
    const ran = await gatectl(['access', '--product', 'premium', '--email', 'active@example.com', '--json'], {
      env,
    });
    expect(JSON.parse(ran.stdout).allowed).toBe(true);
    server.kill('SIGINT');
    expect((await server).exitCode).toBe(0);
  });

  test('--fault simulates faults, which retries survive', async () => {
    const { server, baseUrl, apiKey } = await serve('--fault', 'status=503,path=/subscriptions/,count=2');
    const env = {
      ...home.env,
      GATECTL_BASE_URL: baseUrl,
      GATECTL_API_KEY: apiKey,
      GATECTL_DOMAIN: 'example.com',
    };
    const ran = await gatectl(['products', '--email', 'active@example.com', '--verbose'], { env });
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr.match(/-> (503|200)/g)).toEqual(['-> 503', '-> 503', '-> 200']);
    server.kill('SIGTERM');
    expect((await server).exitCode).toBe(0);
  });

  test('a taken port and a wrong fault are usage errors', async () => {
    const taken = createServer();
    await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as { port: number };
    expect((await gatectl(['sandbox', 'serve', '--port', String(port)])).stderr).toBe(
      `error: port ${port} cannot be used: it is in use\n  type another --port, or --port 0 for any free port\n`,
    );
    taken.close();
    expect((await gatectl(['sandbox', 'serve', '--port', '0', '--fault', 'stats=503'])).exitCode).toBe(2);
    expect((await gatectl(['sandbox', 'serve', '--host', '192.0.2.1'])).exitCode).toBe(2);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('%s ends the server of an assistant quietly', async signal => {
    const server = startGatectl(['mcp', '--sandbox'], { env: home.env, stdin: 'pipe' });
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    };
    server.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    await new Promise(resolve => server.stdout?.once('data', resolve));
    server.kill(signal);
    const { exitCode, stderr } = await server;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });

  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('%s during a request ends with %i', async (signal, code) => {
    let onRequest = (): void => {};
    const requested = new Promise<void>(resolve => {
      onRequest = resolve;
    });
    const server = await rawServer(() => onRequest());
    const env = {
      ...home.env,
      GATECTL_BASE_URL: server.baseUrl,
      GATECTL_API_KEY: 'some-key',
      GATECTL_DOMAIN: 'example.com',
    };
    const running = startGatectl(['products', '--email', 'active@example.com'], { env });
    await requested;
    running.kill(signal);
    const { exitCode, stdout } = await running;
    await server.close();
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' });
  });

  test.runIf(process.platform === 'linux')('Ctrl-C ends a jq filter that has no end', async () => {
    const ask = ['products', '--email', 'active@example.com', '--sandbox', '--jq', 'last(range(1e15))'];
    const asking = startGatectl(ask, { env: home.env });
    // A start takes a fraction of this.
    await until(() => processorSecondsOf(asking.pid) > 1.5);
    asking.kill('SIGINT');
    const { signal, exitCode } = await asking;
    // 130 where it came before the filter had begun.
    expect(['SIGINT', 130]).toContain(signal ?? exitCode);
  });

  test('a reader that closes the pipe ends the command quietly with 0', async () => {
    const many = Array.from({ length: 3000 }, (_, i) => `r${i}@example.com`).join('\n');
    const { stdout, stderr } = await execa(
      'bash',
      [
        '-c',
        `node ${BIN} access --product premium --from-file - --sandbox -o ndjson --quiet | head -1; echo "exit \${PIPESTATUS[0]}"`,
      ],
      {
        input: many,
        extendEnv: false,
        env: { ...home.env },
      },
    );
    expect(stdout.split('\n')).toHaveLength(2);
    expect({ last: stdout.split('\n')[1], stderr }).toEqual({ last: 'exit 0', stderr: '' });
  });

  test.runIf(process.platform === 'linux')('a full disk exits 9 and is named', async () => {
    const { exitCode, stderr } = await execa(
      'bash',
      ['-c', `node ${BIN} products --email active@example.com --sandbox > /dev/full`],
      {
        reject: false,
        extendEnv: false,
        env: { ...home.env },
      },
    );
    expect({ exitCode, stderr }).toEqual({
      exitCode: 9,
      stderr: 'error: cannot write to stdout: the disk is full',
    });
  });

  test('a profile is stored for its owner only and used from then on', async () => {
    const { server, baseUrl, apiKey } = await serve();
    const added = await gatectl(
      ['profile', 'add', 'local', '--base-url', baseUrl, '--domain', 'example.com', '--api-key-stdin'],
      {
        env: home.env,
        input: `${apiKey}\n`,
      },
    );
    expect(added.exitCode, added.stderr).toBe(0);
    const file = join(home.home, '.config/gatectl/config.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(file, '..'))).mode & 0o777).toBe(0o700);
    expect(
      (await gatectl(['products', '--email', 'active@example.com', '--json'], { env: home.env })).stdout,
    ).toBe('[\n  "premium",\n  "sports"\n]\n');
    const shown = await gatectl(['profile', 'show', '--json'], { env: home.env });
    expect(JSON.parse(shown.stdout)).toContainEqual({
      setting: 'base-url',
      value: baseUrl,
      origin: 'profile local',
    });
    expect(shown.stdout + shown.stderr + added.stderr).not.toContain(apiKey);
    server.kill('SIGINT');
    await server;
  });
});

/** The time that processors spent on a process of Linux, which counts it in hundredths. */
function processorSecondsOf(pid: number | undefined): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  return ((user ?? 0) + (system ?? 0)) / 100;
}
