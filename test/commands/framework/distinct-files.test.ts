import { once } from 'node:events';
import { createReadStream, linkSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { run } from '../../support/run.ts';

test('a query is not overwritten by its own rows', async () => {
  const file = join(temporaryFolder(), 'q.json');
  writeFileSync(file, '{"data_set":"pageview"}');
  expect(await run(['bda', 'query', file, '--last', '7d', '--sandbox', '--out', file])).toEqual({
    code: 2,
    stdout: '',
    stderr: `error: FILE and --out are the same file, ${file}\n  --out overwrites its file; give it another name\n`,
  });
  expect(readFileSync(file, 'utf8')).toBe('{"data_set":"pageview"}');
});

/** Command lines that read a list and write what failed of it. */
const LISTS = [
  ['cdn', 'purge', '--file'],
  ['cdn', 'purge', '--key-file'],
  ['access', '--product', 'premium', '--from-file'],
];

test.each(LISTS)(
  '%s %s %s: a list is never overwritten by its own failures, whatever leads to it',
  async (...args) => {
    const folder = temporaryFolder();
    const [list, symlink, hardLink] = ['list.txt', 'symlink.txt', 'hard-link.txt'].map(name =>
      join(folder, name),
    ) as [string, string, string];
    writeFileSync(list, 'a@example.com\n');
    symlinkSync(list, symlink);
    linkSync(list, hardLink);
    const flag = args.at(-1);
    for (const [input, output] of [
      [list, list],
      [list, symlink],
      [list, hardLink],
      [symlink, hardLink],
      ['-', list],
      ['-', symlink],
      ['-', hardLink],
    ] as const) {
      const stdin = createReadStream(list);
      await once(stdin, 'open');
      expect(await run([...args, input, '--failed-file', output, '--sandbox'], { stdin })).toEqual({
        code: 2,
        stdout: '',
        stderr: `error: ${flag} and --failed-file are the same file, ${output}\n  --failed-file overwrites its file; give it another name\n`,
      });
      stdin.destroy();
    }
    expect(readFileSync(list, 'utf8')).toBe('a@example.com\n');
  },
);

test('a list from a pipe may have any file for its failures', async () => {
  const failed = join(temporaryFolder(), 'failed.txt');
  writeFileSync(failed, 'https://example.com/old\n');
  const ran = await run(['cdn', 'purge', '--file', '-', '--failed-file', failed, '--sandbox', '--quiet'], {
    input: 'https://example.com/poisoned/1\nhttps://example.com/a\n',
  });
  expect([ran.code, readFileSync(failed, 'utf8')]).toEqual([7, 'https://example.com/poisoned/1\n']);
});
