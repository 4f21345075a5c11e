import { openFacts as openOwnFacts } from '../../src/sandbox/bda/facts/open.ts';

// In place of src/sandbox/bda/facts/open.ts (vitest.config.ts): the embedded gateways of a process share the figures of a seed, sites and
// a day, which take up to a quarter of a second to generate. They are only read. Tests of the figures themselves do without.

export * from '../../src/sandbox/bda/facts/open.ts';

const opened = new Map<string, ReturnType<typeof openOwnFacts>>();

export const openFacts: typeof openOwnFacts = (account, seed, today, restates) => {
  const key = JSON.stringify([account.domains, seed, today, restates === true]);
  const known = opened.get(key) ?? open();
  opened.set(key, known);
  return known;

  async function open() {
    const facts = await openOwnFacts(account, seed, today, restates);
    return Object.assign(facts, { close: () => {} });
  }
};
