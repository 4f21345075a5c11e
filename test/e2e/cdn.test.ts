import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { emptyHome, gatectl, startGatectl } from '../support/gatectl.ts';
import { until } from '../support/wait.ts';
import { type WireServer, wireServer } from '../support/wire-server.ts';

let home: Awaited<ReturnType<typeof emptyHome>>;
let server: WireServer;
let isHeld = false;
beforeEach(async () => {
  home = await emptyHome();
  isHeld = false;
  server = await wireServer(async (_, index) => {
    if (isHeld && index >= 40) await new Promise(() => {});
    return { body: '{"Success":true,"Error":""}' };
  });
});
afterEach(async () => {
  await server.close();
  await home.remove();
});

const cleared = () => server.received.flatMap(({ body }) => JSON.parse(body).urls as string[]);

test('kill -9 in the middle of 10,000 URLs; --resume clears the rest, and none twice but the batches in flight', async () => {
  const file = join(home.home, 'urls.txt');
  const urls = Array.from({ length: 10_000 }, (_, i) => `https://example.com/${i}`);
  await writeFile(file, urls.join('\n'));
  const env = { ...home.env, GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: 'some-key' };
  isHeld = true;
  const purging = startGatectl(['cdn', 'purge', '--file', file, '--concurrency', '4'], { env });
  await until(() => server.received.length >= 40);
  purging.kill('SIGKILL');
  expect((await purging).signal).toBe('SIGKILL');
  expect(server.received.length).toBeLessThanOrEqual(40 + 4);

  isHeld = false;
  const resumed = await gatectl(['cdn', 'purge', '--resume', '--json'], { env });
  expect(resumed.exitCode, resumed.stderr).toBe(0);
  const sent = cleared();
  expect(new Set(sent)).toEqual(new Set(urls));
  expect(sent.length - urls.length).toBeLessThanOrEqual(4 * 100);
  expect(JSON.parse(resumed.stdout)).toMatchObject({ failed: 0 });
  expect((await gatectl(['cdn', 'purge', '--resume'], { env })).exitCode).toBe(2);
});

test('a purge of the embedded cache ends with a list that can be fed straight back', async () => {
  const list = join(home.home, 'urls.txt');
  const failed = join(home.home, 'failed.txt');
  await writeFile(
    list,
    'https://example.com/news\nhttps://example.com/poisoned/1\nhttps://example.com/about\n',
  );
  const ran = await gatectl(['cdn', 'purge', '--file', list, '--failed-file', failed, '--sandbox'], {
    env: home.env,
  });
  expect(ran.exitCode).toBe(7);
  expect(await readFile(failed, 'utf8')).toBe('https://example.com/poisoned/1\n');
  expect((await gatectl(['cdn', 'purge', '--file', failed, '--sandbox'], { env: home.env })).exitCode).toBe(
    5,
  );
});
