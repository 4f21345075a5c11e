import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LINE =
  /^\| `(src\/[^:]+): (\w+)` \| (.+?) \| (?:`(test\/[^`]+)`: (.+?)|none yet) \| (property|examples|\*\*none yet\*\*) \|$/;
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Listed {
  readonly source: string;
  readonly maker: string;
  readonly file: string | undefined;
  readonly title: string | undefined;
  readonly how: string;
}

const rows = read('test/conclusions/README.md')
  .split('\n')
  .filter(line => line.startsWith('| `'));
const listed = rows.flatMap((row): Listed[] => {
  const [found, source = '', maker = '', , file, title, how = ''] = LINE.exec(row) ?? [];
  return found === undefined ? [] : [{ source, maker, file, title, how }];
});

/** Words of a conclusion about figures. Help and hints ("did you mean") are none. */
const CLAIMS =
  /\b(?:(?:is|are|be) (?:unchanged|fresh|stale)|not comparable|no decision has changed|match(?:es)? the list|explains \$\{|(?:the \S+ |, )largest\b|lowest \$|highest \$|no total|, unchanged|no change|are not complete|known to be fresh|and v2 (?:agree|differ)|did not change|as expected again|rows are compared|looks like a page|has not bought|where it belongs)\b/;
/** Files with such words in help, options or errors about something else. */
const OTHERS = new Set([
  'src/errors/codes.ts',
  'src/commands/bda/listings.ts',
  'src/commands/bda/v1-listings.ts',
  'src/commands/bda/watch/holidays.ts',
  'src/commands/access/audit/audit.ts',
  'src/commands/reply/group.ts',
  'src/commands/profile/set-key.ts',
  'src/commands/framework/install-completions.ts',
  'src/commands/cdn/purge/flags.ts',
  'src/commands/bda/flags/why-flags.ts',
  'src/commands/bda/watch/watch.ts',
  'src/commands/bda/report/run.ts',
]);

test('each line of the list of conclusions names who makes it, what holds it, and how', () => {
  expect(rows.filter(row => !LINE.test(row))).toEqual([]);
  expect(listed.length).toBeGreaterThan(40);
});

test('each function that makes a conclusion exists', () => {
  const missing = listed.filter(
    ({ source, maker }) =>
      !new RegExp(
        `(?:function\\*?|const|class) ${maker}\\b|^  (?:async |static |get )*#?${maker}\\(`,
        'm',
      ).test(read(source)),
  );
  expect(missing.map(({ source, maker }) => `${source}: ${maker}`)).toEqual([]);
});

test('each test that holds a conclusion exists, by its title', () => {
  const missing = listed.filter(
    ({ file, title }) =>
      file !== undefined &&
      !read(file)
        .replaceAll('\\"', '"')
        .includes((title ?? '').replaceAll('\\"', '"')),
  );
  expect(missing.map(({ file, title }) => `${file}: ${title}`)).toEqual([]);
  expect(listed.filter(({ file, how }) => file === undefined && how !== '**none yet**')).toEqual([]);
});

test('each file that draws a conclusion in words is listed', async () => {
  const names = await readdir(join(ROOT, 'src'), { recursive: true });
  const known = new Set(listed.map(({ source }) => source));
  const unlisted = names
    .map(name => `src/${name}`)
    .filter(path => path.endsWith('.ts') && !path.startsWith('src/sandbox/') && !path.includes('/manual/'))
    .filter(path => !known.has(path) && !OTHERS.has(path))
    .filter(path => {
      const code = read(path).replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '');
      return (code.match(/`[^`]*`|'[^'\n]*'/g) ?? []).some(literal => CLAIMS.test(literal));
    });
  expect(unlisted).toEqual([]);
});
