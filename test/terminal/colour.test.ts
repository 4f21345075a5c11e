import { describe, expect, test } from 'vitest';
import { hasColour, painter } from '../../src/terminal/colour.ts';

const terminal = { isTTY: true };
const pipe = { isTTY: false };

describe('colour is decided by flag, NO_COLOR, FORCE_COLOR, TERM and terminal, in this order', () => {
  test.each<[string, { isTTY: boolean }, boolean, Record<string, string>, boolean]>([
    ['a terminal has colour', terminal, false, {}, true],
    ['a pipe has none', pipe, false, {}, false],
    ['FORCE_COLOR colours a pipe', pipe, false, { FORCE_COLOR: '1' }, true],
    ['FORCE_COLOR=0 takes it from a terminal', terminal, false, { FORCE_COLOR: '0' }, false],
    ['NO_COLOR beats FORCE_COLOR', terminal, false, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
    ['an empty NO_COLOR counts as not set', terminal, false, { NO_COLOR: '' }, true],
    ['the flag beats all', terminal, true, { FORCE_COLOR: '1' }, false],
    ['a dumb terminal has none', terminal, false, { TERM: 'dumb' }, false],
  ])('%s', (_, stream, flag, env, expected) => {
    expect(hasColour(stream, flag, env)).toBe(expected);
  });
});

test('a painter uses only its first argument, even as a callback of map', async () => {
  const [coloured, plain] = [await painter(true), await painter(false)];
  expect(['a', 'b'].map(coloured.bold)).toEqual(['\u001b[1ma\u001b[22m', '\u001b[1mb\u001b[22m']);
  expect(['a', 'b'].map(plain.bold)).toEqual(['a', 'b']);
});
