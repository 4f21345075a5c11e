import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emptyHome, gatectl, serveSandbox, startGatectl } from '../support/gatectl.ts';

const EXPORT = [
  ...['bda', 'query', '--data-set', 'bulk', '-d', 'row_id,page_url', '-m', 'visits,revenue'],
  ...['--from', '2026-03-01', '--to', '2026-03-04', '--all', '--page-size', '9000'],
];

describe('bda against an embedded gateway of its own', () => {
  let home: Awaited<ReturnType<typeof emptyHome>>;
  let server: Awaited<ReturnType<typeof serveSandbox>>['server'];
  let env: Record<string, string>;
  beforeAll(async () => {
    home = await emptyHome();
    const served = await serveSandbox(
      ['--clock', '2026-03-14T12:00:00Z', '--fault', 'delay=150ms,path=/query'],
      { env: home.env },
    );
    server = served.server;
    env = { ...home.env, GATECTL_BASE_URL: served.baseUrl, GATECTL_API_KEY: served.apiKey };
  });
  afterAll(async () => {
    server.kill('SIGTERM');
    await server;
    await home.remove();
  });

  const file = (name: string) => join(home.home, name);

  /** Starts the export and waits until pages of it are on the disk. */
  async function begun(name: string) {
    const running = startGatectl([...EXPORT, '--out', file(name)], { env });
    for (let turn = 0; turn < 500 && !readdirSync(home.home).includes(`${name}.part.json`); turn += 1)
      await pause(10);
    // In an object: a process can be awaited itself, which would wait for its end.
    return { running };
  }

  test.each<['SIGKILL' | 'SIGINT', number | undefined]>([
    ['SIGKILL', undefined],
    ['SIGINT', 130],
  ])('an export interrupted by %s resumes to the same file', async (signal, exitCode) => {
    const name = `${signal}.csv`;
    await gatectl([...EXPORT, '--out', file('complete.csv')], { env });
    const { running } = await begun(name);
    running.kill(signal);
    const stopped = await running;
    expect(stopped.exitCode).toBe(exitCode);
    expect(readdirSync(home.home)).not.toContain(name);
    const resumed = await gatectl([...EXPORT, '--out', file(name), '--resume'], { env });
    expect(resumed.exitCode, resumed.stderr).toBe(0);
    expect(resumed.stderr).toContain('resuming at row');
    const bytes = readFileSync(file(name));
    expect(bytes.equals(readFileSync(file('complete.csv')))).toBe(true);
    expect(bytes.toString().split('\n').length).toBe(100_002);
    expect(readdirSync(home.home).filter(found => found.startsWith(`${name}.`))).toEqual([]);
  });

  test('a reader of stdout that goes away ends the export quietly, with success', async () => {
    const running = startGatectl([...EXPORT, '-o', 'ndjson'], { env });
    for await (const chunk of running.stdout) {
      expect(String(chunk).startsWith('{"row_id":73250918')).toBe(true);
      break;
    }
    running.stdout.destroy();
    const { exitCode, stderr } = await running;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });
});
