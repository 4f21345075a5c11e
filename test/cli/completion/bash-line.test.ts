import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bashText, type Quoting, readBashLine } from '../../../src/cli/completion/bash-line.ts';

const OPENING: Record<Quoting, string> = { none: '', single: "'", double: '"', ansi: "$'" };
const CLOSING: Record<Quoting, string> = { none: '', single: "'", double: '"', ansi: "'" };
const QUOTINGS = ['none', 'single', 'double', 'ansi'] as const;

/** Names of what shells read as something else, and of letters. */
const name = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...' \'"\\$`!;|&<>(){}[]*?~#=^%@,:-+./',
        '$(touch PWNED)',
        '`touch PWNED`',
        "$'",
        '${HOME',
        '}',
        '!!',
        '\\\\',
      ),
      fc.constantFrom('a', 'b', 'é', '日', '\u00a0', '\u3000', '😀'),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map(parts => parts.join(''));

/** The words as bash itself reads them, several lines at once. */
function wordsOfBash(lines: readonly string[]): string[][] {
  const script = lines.map(line => `printf '%s\\0' ${line}; printf 'END\\0'`).join('\n');
  const out = execFileSync('bash', ['--norc', '-c', script], {
    encoding: 'utf8',
    env: { LANG: 'C.UTF-8', HOME: '/h' },
  });
  return out
    .split('END\0')
    .slice(0, -1)
    .map(text => text.split('\0').slice(0, -1));
}

describe('what is inserted into a bash line', () => {
  test('is read by bash as the name, in each quoting', () => {
    const names = fc.sample(name, { numRuns: 300, seed: 36 });
    for (const quoting of QUOTINGS) {
      const typed = names.flatMap(name => {
        const text = bashText(name, quoting);
        if (text === undefined) return [];
        // What readline adds.
        const closing = text.endsWith(CLOSING[quoting]) ? '' : CLOSING[quoting];
        return [{ name, line: `x ${OPENING[quoting]}${text}${closing}` }];
      });
      expect(typed.length).toBeGreaterThan(150);
      expect(wordsOfBash(typed.map(({ line }) => line))).toEqual(typed.map(({ name }) => ['x', name]));
    }
  });

  test('leaves no exclamation mark that bash would expand from its history', () => {
    fc.assert(
      fc.property(name, fc.constantFrom('none', 'double', 'ansi'), (name, quoting: Quoting) => {
        expect(bashText(name, quoting) ?? '').not.toMatch(/(?<!\\)!/);
        expect((bashText(name, 'double') ?? '').split('"\\!"').join('')).not.toContain('!');
      }),
    );
  });

  test('does not begin with the quote before it, which readline would drop', () => {
    fc.assert(
      fc.property(name, fc.constantFrom(...QUOTINGS), (name, quoting) => {
        const text = bashText(name, quoting);
        if (quoting !== 'none') expect(text?.startsWith(CLOSING[quoting]) ?? false).toBe(false);
      }),
    );
  });

  test('is read back from the line', () => {
    fc.assert(
      fc.property(name, name, fc.constantFrom(...QUOTINGS), (name, other, quoting) => {
        const text = bashText(name, quoting);
        fc.pre(text !== undefined);
        const line = `gatectl -d ${bashText(other, 'none')} ${OPENING[quoting]}${text}`;
        expect(readBashLine(line, text.length)).toEqual({
          words: ['gatectl', '-d', other],
          current: name,
          kept: '',
          quoting,
        });
      }),
    );
  });
});

describe('a bash line up to the cursor', () => {
  test.each<[string, string, string, ReturnType<typeof readBashLine>]>([
    ['a word', 'g a b', 'b', { words: ['g', 'a'], current: 'b', kept: '', quoting: 'none' }],
    ['no word yet', 'g a ', '', { words: ['g', 'a'], current: '', kept: '', quoting: 'none' }],
    [
      'what bash keeps before =',
      'g --x=a',
      'a',
      { words: ['g'], current: '--x=a', kept: '--x=', quoting: 'none' },
    ],
    [
      'a quote within a word',
      'g --x="a b',
      'a b',
      { words: ['g'], current: '--x=a b', kept: '--x=', quoting: 'double' },
    ],
    ['a closed quote', `g 'a'\\''b`, 'b', { words: ['g'], current: "a'b", kept: "a'", quoting: 'single' }],
    ['a backslash at the end', 'g a\\', 'a\\', { words: ['g'], current: 'a', kept: '', quoting: 'none' }],
    ['a cut escape', "g $'a\\04", 'a\\04', { words: ['g'], current: 'a', kept: '', quoting: 'ansi' }],
    [
      'a backslash in double quotes',
      'g "a\\b\\$',
      'a\\b\\$',
      { words: ['g'], current: 'a\\b$', kept: '', quoting: 'double' },
    ],
    [
      'a substitution before it',
      'g --from $(date +%F) a',
      'a',
      { words: ['g', '--from', '$(date +%F)'], current: 'a', kept: '', quoting: 'none' },
    ],
    [
      'redirections before it',
      'g a 2>&1 >out b',
      'b',
      { words: ['g', 'a'], current: 'b', kept: '', quoting: 'none' },
    ],
  ])('%s', (_, line, replaced, expected) => {
    expect(readBashLine(line, replaced.length)).toEqual(expected);
  });

  test.each([
    ['an open substitution', 'g $(g bda que', 'que'],
    ['a substitution with quotes', 'g "$(date "+%F', '"$(date "+%F'],
    ['an open backtick', 'g `ls a', 'a'],
    ['a second command', 'g a; g b', 'b'],
    ['a comment', 'g # a', 'a'],
    ['the file of a redirection', 'g a > fi', 'fi'],
    ['a quote that readline takes for the end', "g $'a\\'b", "$'a\\'b"],
    ['a replaced text of several words', 'g a b', 'a b'],
    ['a process substitution', 'g <(ls) a', 'a'],
  ])('%s: nothing can be said', (_, line, replaced) => {
    expect(readBashLine(line, replaced.length)).toBeUndefined();
  });

  test('any text is read without an error', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (line, replaced) => {
        readBashLine(line, Math.min(replaced, line.length));
      }),
    );
  });
});
