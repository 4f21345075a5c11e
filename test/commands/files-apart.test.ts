import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { run } from '../support/run.ts';

test('a query is not overwritten by its own rows', async () => {
  const file = join(temporaryFolder(), 'q.json');
  writeFileSync(file, '{"data_set":"pageview"}');
  expect(await run(['bda', 'query', file, '--last', '7d', '--sandbox', '--out', file])).toEqual({
    code: 2,
    stdout: '',
    stderr: `error: FILE and --out name one file, ${file}\n  --out writes its file anew: give it a name of its own\n`,
  });
  expect(readFileSync(file, 'utf8')).toBe('{"data_set":"pageview"}');
});
