import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CANARY, leaks } from '../secrets/canaries.ts';
import { emptyHome, gatectl, startGatectl } from '../support/gatectl.ts';
import { type WireServer, wireServer } from '../support/wire-server.ts';

let home: Awaited<ReturnType<typeof emptyHome>>;
let server: WireServer;
let onRequest: () => void | Promise<void> = () => {};
beforeAll(async () => {
  home = await emptyHome();
  server = await wireServer(async () => {
    await onRequest();
    return { body: '{"success":true,"data":[],"rows":[],"total_rows":0}' };
  });
});
afterAll(async () => {
  await server.close();
  await home.remove();
});

test.each([
  [['bda', 'report', 'list']],
  [['bda', 'domains', '--json']],
  [['products', '--email', CANARY.email, '--domain', 'example.com']],
])('the output of Node and libraries with NODE_DEBUG contains no secret: %j', async args => {
  const env = { ...home.env, GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: CANARY.key, NODE_DEBUG: '*' };
  const ran = await gatectl(args, { env });
  expect(ran.exitCode, ran.stderr.slice(-500)).toBe(0);
  expect(ran.stderr).toContain('MODULE ');
  expect(leaks(ran.stdout + ran.stderr)).toEqual([]);
});

test.runIf(process.platform === 'linux')(
  'no process shows a key or a token among its arguments',
  async () => {
    const helper = join(home.home, 'helper.sh');
    const seen = join(home.home, 'seen');
    // The helper looks at all processes while it runs, before it gives the key.
    writeFileSync(
      helper,
      `#!/bin/sh\ncat /proc/[0-9]*/cmdline > ${seen} 2>/dev/null\ncat ${home.home}/key\n`,
    );
    writeFileSync(join(home.home, 'key'), `${CANARY.key}\n`);
    chmodSync(helper, 0o700);
    const add = [
      'profile',
      'add',
      'p',
      '--base-url',
      server.baseUrl,
      '--domain',
      'example.com',
      '--key-command',
      helper,
    ];
    expect((await gatectl(add, { env: home.env })).exitCode).toBe(0);
    let during = '';
    onRequest = () => {
      for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
        try {
          during += readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        } catch {
          // It has ended meanwhile.
        }
      }
    };
    const ran = await gatectl(['products', '--reader-token-stdin'], { env: home.env, input: CANARY.token });
    onRequest = () => {};
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(server.received.at(-1)?.headers['x-api-key']).toBe(CANARY.key);
    expect(during).toContain('--reader-token-stdin');
    expect(readFileSync(seen, 'utf8')).toContain('helper.sh');
    expect(leaks(during + readFileSync(seen, 'utf8'))).toEqual([]);
  },
);

test('a process that is interrupted shows no secret', async () => {
  const env = { ...home.env, GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: CANARY.key };
  const asking = startGatectl(['products', '--email', CANARY.email, '--domain', 'example.com', '-v'], {
    env,
  });
  onRequest = () => {
    asking.kill('SIGINT');
    return new Promise(() => {});
  };
  const { stdout, stderr, exitCode } = await asking;
  onRequest = () => {};
  expect(exitCode).toBe(130);
  expect(leaks(stdout + stderr)).toEqual([]);
});
