import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseFault, startSandbox } from '../../src/sandbox/index.ts';
import { emptyHome, gatectl, startGatectl } from '../support/gatectl.ts';
import { until } from '../support/wait.ts';

const EXPORT = [
  ...['bda', 'query', '--data-set', 'bulk', '-d', 'row_id,page_url', '-m', 'visits,revenue'],
  ...['--from', '2026-03-01', '--to', '2026-03-04', '--all', '--page-size', '9000'],
];

describe('bda against an embedded gateway of its own', () => {
  let home: Awaited<ReturnType<typeof emptyHome>>;
  let sandbox: Awaited<ReturnType<typeof startSandbox>>;
  let env: Record<string, string>;
  /** How many more queries are answered; the others wait. */
  let answered = Number.POSITIVE_INFINITY;
  beforeAll(async () => {
    home = await emptyHome();
    sandbox = await startSandbox({
      now: () => Date.UTC(2026, 2, 14, 12),
      faults: [parseFault('delay=1h,path=/query')],
      sleep: async (_, signal) => {
        answered -= 1;
        if (answered < 0) await once(signal, 'abort');
      },
    });
    env = { ...home.env, GATECTL_BASE_URL: sandbox.baseUrl, GATECTL_API_KEY: sandbox.apiKey };
  });
  afterAll(async () => {
    await sandbox.close();
    await home.remove();
  });

  const file = (name: string) => join(home.home, name);

  /** Interrupts the export when the first pages of it are on the disk, and the gateway answers no more. */
  async function interrupted(name: string, signal: NodeJS.Signals) {
    answered = 4;
    const running = startGatectl([...EXPORT, '--out', file(name)], { env });
    await until(() => existsSync(file(`${name}.part.json`)));
    running.kill(signal);
    const stopped = await running;
    answered = Number.POSITIVE_INFINITY;
    return stopped;
  }

  test.each<['SIGKILL' | 'SIGINT', number | undefined]>([
    ['SIGKILL', undefined],
    ['SIGINT', 130],
  ])('an export interrupted by %s resumes to the same file', async (signal, exitCode) => {
    const name = `${signal}.csv`;
    await gatectl([...EXPORT, '--out', file('complete.csv')], { env });
    const stopped = await interrupted(name, signal);
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
