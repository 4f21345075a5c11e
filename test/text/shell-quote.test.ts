import { expect, test } from 'vitest';
import { quoterFor } from '../../src/text/shell-words.ts';

const WORDS = ['pages.csv', "it's", 'two words', 'visits>3', '$HOME', 'a,b'];

test.each<[NodeJS.Platform, Record<string, string>, string]>([
  ['linux', {}, `pages.csv 'it'\\''s' 'two words' 'visits>3' '$HOME' a,b`],
  ['win32', { MSYSTEM: 'MINGW64' }, `pages.csv 'it'\\''s' 'two words' 'visits>3' '$HOME' a,b`],
  ['win32', {}, `pages.csv "it's" "two words" "visits>3" '$HOME' "a,b"`],
])('a command to paste is quoted for the shell of %s %j', (platform, env, line) => {
  expect(WORDS.map(quoterFor({ platform, env })).join(' ')).toBe(line);
});
