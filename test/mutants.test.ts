import { expect, test } from 'vitest';
import { MUTANTS, whyNot } from '../scripts/mutants.js';

test.each(MUTANTS.map(mutant => [mutant[0], mutant] as const))(
  'the fault of the mutation check still finds its place: %s',
  (_, mutant) => {
    expect(whyNot(mutant)).toBeUndefined();
  },
);

test('a fault that finds no place, two places, or no tests is told', () => {
  const file = 'src/gateway/classify.ts';
  expect(whyNot(['a', file, 'what is nowhere', '', []])).toBe(`${file} holds "what is nowhere" 0 times`);
  expect(whyNot(['b', file, 'const ', '', []])).toMatch(/ holds "const " \d\d times$/);
  expect(whyNot(['c', 'src/gone.ts', '', '', []])).toBe('there is no src/gone.ts');
  expect(whyNot(['d', file, 'EXCERPT_LENGTH = 80', '', ['test/gone']])).toBe('there is no test/gone');
});
