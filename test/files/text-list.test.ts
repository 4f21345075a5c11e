import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TextList } from '../../src/files/text-list.ts';

test('texts are returned once each, in the order in which they were added', () => {
  const address = fc.string({ unit: 'grapheme', maxLength: 20 }).filter(text => text.isWellFormed());
  fc.assert(
    fc.property(fc.array(address), addresses => {
      const list = new TextList();
      const known = new Set<string>();
      for (const each of addresses) {
        expect(list.add(each)).toBe(!known.has(each));
        known.add(each);
      }
      expect([...list]).toEqual([...known]);
      expect(list.size).toBe(known.size);
      for (const [index, each] of [...known].entries()) {
        expect([list.at(index), list.indexOf(each)]).toEqual([each, index]);
      }
      expect(list.indexOf('not in the list, as it is too long')).toBeUndefined();
    }),
  );
});

test('a list that fills several blocks finds repeats of each block', () => {
  const list = new TextList();
  const addresses = Array.from({ length: 20_000 }, (_, index) => `reader-${index}@example.com`);
  for (const each of addresses) list.add(each);
  expect(addresses.filter(each => list.add(each))).toEqual([]);
  expect([...list]).toEqual(addresses);
});
