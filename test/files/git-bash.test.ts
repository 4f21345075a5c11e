import { expect, test } from 'vitest';
import { FilterSyntax, parseFilter } from '../../src/apis/bda/filter-expression.ts';
import { cleanUrl } from '../../src/apis/cdn/clean-url.ts';
import { keyProblem } from '../../src/apis/cdn/surrogate-keys.ts';
import { checkPrefix } from '../../src/config/values.ts';
import { convertedByGitBash } from '../../src/files/git-bash.ts';

test.each([
  ['C:/Program Files/Git/gateway/cdnservices', '/gateway/cdnservices'],
  ['C:\\Program Files\\Git\\news', '/news'],
  ['D:/msys64/news', '/news'],
  ['C:/Users/ana/AppData/Local/Programs/Git/', '/'],
  ['C:/work/news', undefined],
])('%s was typed as %s', (text, typed) => {
  expect(convertedByGitBash(text)).toEqual({ typed });
});

test.each(['/news', 'news', 'https://example.com/C:/x', 'c:', ''])('%s was not touched', text => {
  expect(convertedByGitBash(text)).toBeUndefined();
});

test('a path that Git Bash converted is rejected in every argument that may start with a slash', () => {
  const word = 'C:/Program Files/Git/news';
  expect(() => parseFilter(`page_url=${word}`)).toThrow(
    new FilterSyntax(
      'contains a path that Git Bash made of /news',
      'put MSYS_NO_PATHCONV=1 in front of the command',
    ),
  );
  expect(parseFilter(`page_url="${word}"`).values).toEqual([{ text: word, quoted: true }]);
  expect(keyProblem(word)).toMatch(/^was converted to a Windows path by Git Bash/);
  expect(cleanUrl(word, undefined)).toEqual({
    problem: expect.stringMatching(/^was converted to a Windows path by Git Bash/),
  });
  expect(checkPrefix(word)).toMatchObject({
    problem: expect.stringMatching(/^was converted to a Windows path by Git Bash/),
  });
});
