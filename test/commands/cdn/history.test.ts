import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { run } from '../../support/run.ts';

test('cdn history has the start and the end of a purge by one clock, that of the sandbox', async () => {
  const options = { env: { GATECTL_CONFIG_DIR: temporaryFolder(), GATECTL_DOMAIN: 'example.com' } };
  const purged = await run(['cdn', 'purge', 'https://www.example.com/a', '--sandbox'], options);
  expect(purged.code).toBe(0);
  const [purge] = JSON.parse((await run(['cdn', 'history', '--json', '--sandbox'], options)).stdout);
  const ms = Date.parse(purge.finished_at) - Date.parse(purge.started_at);
  expect(ms).toBeGreaterThanOrEqual(0);
  expect(ms).toBeLessThan(3_600_000);
});
