import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nothingFound } from '../../src/commands/bda/sync/verify.ts';

test('"all as at the gateway" is said only if every site and total was compared', () => {
  const sites = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 5 });
  fc.assert(
    fc.property(fc.nat(2), sites, fc.boolean(), (partitions, unsynced, isAllCompared) => {
      const text = nothingFound({
        partitions,
        unsynced: unsynced.map(domain => ({ table: 'pages', domain })),
        uncompared: isAllCompared ? [] : [{ table: 'pages', metrics: ['epmv'], isAll: false }],
      });
      const isWhole = partitions > 0 && isAllCompared && unsynced.length === 0;
      expect(text === 'all as at the gateway').toBe(isWhole);
      expect(text.startsWith('no partitions to compare')).toBe(partitions === 0);
      if (partitions === 0) return;
      expect(text.includes('totals not compared: epmv of pages')).toBe(!isAllCompared);
      const [, named = '', more = '0'] = /not synced yet: (.*?)(?: and (\d+) more)?$/.exec(text) ?? [];
      const count = named === '' ? 0 : named.split(', ').length;
      expect(count + Number(more)).toBe(unsynced.length);
    }),
  );
});
