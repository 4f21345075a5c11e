import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { run } from '../support/run.ts';
import { type Reply, wireServer } from '../support/wire-server.ts';

const KEY = 'a-very-secret-key-4711';
const EMAIL = 'vera.reader@example.com';

/** Runs commands with a log of their own, against a gateway that answers with this. */
async function logged(reply: Reply = { body: '{"Success":true}' }) {
  const server = await wireServer(() => reply);
  onTestFinished(() => server.close());
  const folder = temporaryFolder();
  const env = {
    ...{ GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: KEY, GATECTL_DOMAIN: 'example.com' },
    ...{ XDG_STATE_HOME: folder },
  };
  const gatectl = (...args: readonly string[]) => run(args, { env, cwd: folder, homedir: folder });
  const text = () => {
    const logs = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name =>
      /\d{4}-\d\d\.ndjson$/.test(name),
    );
    return {
      path: join(folder, logs[0] ?? ''),
      content: logs.map(name => readFileSync(join(folder, name), 'utf8')).join(''),
    };
  };
  return { server, gatectl, text };
}

test('each write is listed with its outcome, reads and what sends nothing are not', async () => {
  const { gatectl } = await logged();
  expect((await gatectl('log')).stdout).toBe('no changes yet\n');
  await gatectl('cdn', 'purge', 'https://example.com/a', 'https://example.com/b');
  await gatectl('cdn', 'purge', '--all', '--domain', 'example.com', '--yes');
  await gatectl('cdn', 'purge', '--key', 'news', '--domain', 'example.com', '--dry-run');
  await gatectl('cdn', 'ping');
  await gatectl('api', 'POST', '/somewhere/new', '-f', 'a=b');
  const { stdout } = await gatectl('log', '--json');
  expect(JSON.parse(stdout)).toMatchObject([
    {
      effect: 'write',
      request: 'POST /somewhere/new',
      outcome: 'ok',
      command: 'gatectl api POST /somewhere/new --raw-field a=b',
    },
    { effect: 'irreversible', request: 'POST /cdnservices/purgecache', listed: ['example.com'] },
    {
      effect: 'write',
      request: 'POST /cdnservices/bulkclearcache',
      targets: 2,
      listed: ['https://example.com/a', 'https://example.com/b'],
    },
  ]);
});

test('a failure is listed with its code', async () => {
  const { gatectl } = await logged({ status: 400, body: '{"Success":false,"Error":"no"}' });
  await gatectl('cdn', 'purge', '--key', 'news', '--domain', 'example.com');
  expect(JSON.parse((await gatectl('log', '--json')).stdout)).toMatchObject([
    { outcome: 'failed', error: 'rejected' },
  ]);
});

test('a request that was not answered may have been carried out: its outcome is unknown', async () => {
  const { gatectl } = await logged({ body: '{"Success":tr' });
  await gatectl('cdn', 'purge', '--key', 'news', '--domain', 'example.com', '--retries', '0');
  expect(JSON.parse((await gatectl('log', '--json')).stdout)).toMatchObject([{ outcome: 'unknown' }]);
  expect(JSON.parse((await gatectl('log', 'verify', '--json')).stdout)).toMatchObject({ unknown: 1 });
});

test('no reader and no key is in it', async () => {
  const { gatectl, text } = await logged({
    body: '{"success":true,"data":{"token":"a.b.c","expiresAt":"2026-01-01T00:00:00Z"}}',
  });
  await gatectl('token', EMAIL);
  await gatectl('token', '--email', EMAIL);
  const { content } = text();
  expect(content).toContain('POST /subscriptions/v1/identity-token');
  expect(content).not.toContain(EMAIL);
  expect(content).not.toContain('sha256');
  expect(content).not.toContain(KEY);
});

test('verify finds a changed entry, and an absent hash', async () => {
  const { gatectl, text } = await logged();
  await gatectl('cdn', 'purge', 'https://example.com/a');
  const whole = await gatectl('log', 'verify', '--json');
  const { entries, last } = JSON.parse(whole.stdout);
  // Before and after the request, and the end of the purge.
  expect([whole.code, entries]).toEqual([0, 3]);
  expect((await gatectl('log', 'verify', '--hash', last)).code).toBe(0);
  const { path, content } = text();
  expect((await gatectl('log', 'export')).stdout).toBe(content);
  writeFileSync(path, content.replace('example.com/a', 'example.com/b'));
  const changed = await gatectl('log', 'verify', '--json');
  expect(changed.code).toBe(7);
  expect(JSON.parse(changed.stdout).faults).toEqual([{ file: path, line: 1, fault: 'changed' }]);
  expect((await gatectl('log')).stderr).toContain('entries were changed or removed');
  writeFileSync(path, content.split('\n').slice(0, 1).join('\n'));
  expect((await gatectl('log', 'verify')).code).toBe(0);
  expect((await gatectl('log', 'verify', '--hash', last)).code).toBe(7);
});

test('a log that cannot be written is a warning, and the purge is sent', async () => {
  const { gatectl, server } = await logged();
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'gatectl'), 'a file');
  const { code, stderr } = await run(['cdn', 'purge', 'https://example.com/a'], {
    env: { GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: KEY, XDG_STATE_HOME: folder },
    homedir: folder,
  });
  expect(code).toBe(0);
  expect(stderr).toContain('warning: writes are not in the log: ');
  expect(server.received).toHaveLength(1);
  expect((await gatectl('log')).stdout).toBe('no changes yet\n');
});
