import { expect, test } from 'vitest';
import { FilterSyntax, parseFilter } from '../../src/apis/bda/filter-expression.ts';
import { cleanUrl } from '../../src/apis/cdn/clean-url.ts';
import { keyProblem } from '../../src/apis/cdn/names.ts';
import { checkPrefix } from '../../src/config/values.ts';
import { mangledByGitBash } from '../../src/files/git-bash.ts';

test.each([
  ['C:/Program Files/Git/gateway/cdnservices', '/gateway/cdnservices'],
  ['C:\\Program Files\\Git\\news', '/news'],
  ['D:/msys64/news', '/news'],
  ['C:/Users/ana/AppData/Local/Programs/Git/', '/'],
  ['C:/work/news', undefined],
])('%s was typed as %s', (text, typed) => {
  expect(mangledByGitBash(text)).toEqual({ typed });
});

test.each(['/news', 'news', 'https://example.com/C:/x', 'c:', ''])('%s was not touched', text => {
  expect(mangledByGitBash(text)).toBeUndefined();
});

test('a mangled word is told as such wherever a slash may begin one', () => {
  const word = 'C:/Program Files/Git/news';
  expect(() => parseFilter(`page_url=${word}`)).toThrow(
    new FilterSyntax(
      'asks for a path that Git Bash made of /news',
      'put MSYS_NO_PATHCONV=1 in front of the command',
    ),
  );
  expect(parseFilter(`page_url="${word}"`).values).toEqual([{ text: word, quoted: true }]);
  expect(keyProblem(word)).toMatch(/^is a path that Git Bash made/);
  expect(cleanUrl(word, undefined)).toEqual({
    problem: expect.stringMatching(/^is a path that Git Bash made/),
  });
  expect(checkPrefix(word)).toMatchObject({
    problem: expect.stringMatching(/^is a path that Git Bash made/),
  });
});
