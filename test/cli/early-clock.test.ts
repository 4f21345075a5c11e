import { expect, test } from 'vitest';
import { run } from '../support/run.ts';

// A clock that was never set, or whose battery is empty, shows a time before 1970: a negative number of milliseconds.

const BEFORE_1970 = Date.UTC(1969, 5, 15, 12);

test.each([
  ['a reader is checked', ['access', 'active@example.com', '--product', 'premium']],
  ['pages are purged', ['cdn', 'purge', 'https://www.example.com/a', 'https://www.example.com/b']],
  ['columns are listed', ['bda', 'columns']],
  [
    'rows are queried',
    ['bda', 'query', '--data-set', 'pageview', '-m', 'visits', '--from', '2026-01-01', '--to', '2026-01-03'],
  ],
])('before 1970 %s', async (_, args) => {
  const { code, stderr } = await run([...args, '--sandbox'], { now: BEFORE_1970 });
  expect({ code, errors: stderr.match(/^error.*/gm) }).toEqual({ code: 0, errors: null });
});
