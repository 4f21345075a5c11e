import { vi } from 'vitest';

// For vitest's setupFiles: the embedded gateways of a process share the figures of a seed, sites and a day, which take up to a quarter
// of a second to generate. They are only read. Tests of the figures themselves do without.

const opened: Map<string, Promise<unknown>> = (() => {
  const shared = globalThis as { sharedFigures?: Map<string, Promise<unknown>> };
  shared.sharedFigures ??= new Map();
  return shared.sharedFigures;
})();

vi.mock('../../src/sandbox/bda/facts/open.ts', async importOriginal => {
  const original = await importOriginal<typeof import('../../src/sandbox/bda/facts/open.ts')>();
  const openFacts: typeof original.openFacts = (account, seed, today, restates) => {
    const key = JSON.stringify([account.domains, seed, today, restates === true]);
    const known = opened.get(key) ?? open();
    opened.set(key, known);
    return known as ReturnType<typeof original.openFacts>;

    async function open() {
      const facts = await original.openFacts(account, seed, today, restates);
      return Object.assign(facts, { close: () => {} });
    }
  };
  return { ...original, openFacts };
});
