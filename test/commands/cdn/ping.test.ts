import { expect, test } from 'vitest';
import { run } from '../../support/run.ts';

test('an API that responds is reported in one line, and unchanged to programs', async () => {
  const ran = await run(['cdn', 'ping', '--sandbox']);
  expect([ran.code, ran.stdout]).toEqual([0, 'CDN\nRESPONDS  yes\n']);
  expect((await run(['cdn', 'ping', '--sandbox', '--json'])).stdout).toBe(
    '{\n  "Success": true,\n  "Error": ""\n}\n',
  );
  expect((await run(['cdn', 'ping', '--sandbox', '--csv'])).stdout).toBe('Success,Error\ntrue,""\n');
});
