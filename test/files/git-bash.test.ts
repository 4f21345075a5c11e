import { expect, test } from 'vitest';
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
