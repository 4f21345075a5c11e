import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ConfirmedState,
  formatState,
  parseState,
} from '../../../../src/apis/cdn/changes/confirmed-state.ts';
import { type Evidence, type PurgePlan, planPurge } from '../../../../src/apis/cdn/changes/plan.ts';
import type { Snapshot } from '../../../../src/apis/cdn/changes/snapshot.ts';

type Pages = Readonly<Record<string, string>>;

const snapshot = (pages: Pages, keys: Pages = {}): Snapshot => ({
  urls: new Map(Object.entries(pages)),
  keys: new Map(Object.entries(keys)),
  redirects: new Map(),
  files: 0,
  unmapped: 0,
  unused: [],
});
const state = (pages: Pages, more: Partial<ConfirmedState> = {}): ConfirmedState => ({
  id: '20260314-1',
  at: '2026-03-14T12:00:00.000Z',
  machine: 'here',
  urls: new Map(Object.entries(pages)),
  keys: new Map(),
  ...more,
});
const HERE: Evidence = { machine: 'here', deploy: undefined, history: undefined };
const plan = (confirmed: ConfirmedState | undefined, now: Pages, evidence = HERE, mayPurgeAll = false) =>
  planPurge(confirmed, snapshot(now), evidence, mayPurgeAll);
const urls = (planned: PurgePlan | undefined) => [...(planned?.urls ?? [])].sort();

describe('a proven chain purges what changed', () => {
  test('changed, added, removed and renamed pages', () => {
    const planned = plan(state({ a: '1', b: '2', c: '3', d: '4' }), { a: '1', b: '9', e: '3', f: '7' });
    expect(urls(planned)).toEqual(['b', 'c', 'd', 'e', 'f']);
    expect(planned).toMatchObject({ scope: 'changes', changed: 1, added: 2, removed: 2, renamed: 1 });
  });

  test('nothing, where nothing changed', () => expect(urls(plan(state({ a: '1' }), { a: '1' }))).toEqual([]));

  test('a changed redirect and its target', () => {
    const now = { ...snapshot({ a: 'to b', b: '1' }), redirects: new Map([['a', 'b']]) };
    expect(urls(planPurge(state({ b: '1' }), now, HERE, false))).toEqual(['a', 'b']);
  });
});

describe('a chain that is not proven', () => {
  test('without a confirmed purge, only the domain can be purged', () => {
    expect(plan(undefined, { a: '1' })).toBeUndefined();
    expect(plan(undefined, { a: '1' }, HERE, true)?.scope).toBe('everything');
  });

  test('a purge that failed adds its targets', () => {
    const unconfirmed = { at: 'then', everything: false, urls: ['b'], keys: ['k'] };
    const planned = plan(state({ a: '1', b: '2' }, { unconfirmed }), { a: '1', b: '2' });
    expect(planned).toMatchObject({
      scope: 'widened',
      urls: ['b'],
      keys: ['k'],
      reasons: ['the purge of then was not confirmed'],
    });
  });

  test('a missing deploy purges everything, or all known pages', () => {
    const confirmed = state({ a: '1', b: '2' }, { deploy: 4 });
    const evidence = { ...HERE, deploy: 7 };
    expect(plan(confirmed, { b: '2', c: '3' }, evidence, true)?.scope).toBe('everything');
    const planned = plan(confirmed, { b: '2', c: '3' }, evidence);
    expect(planned).toMatchObject({ scope: 'known', reasons: ['deploys 5 to 6 were not confirmed here'] });
    expect(urls(planned)).toEqual(['a', 'b', 'c']);
  });

  test('another machine, unless the numbers of the deploys prove the chain', () => {
    const confirmed = state({ a: '1' }, { deploy: 4 });
    expect(plan(confirmed, { a: '1' }, { ...HERE, machine: 'there' })?.reasons).toEqual([
      'the purge of 2026-03-14T12:00:00.000Z was confirmed on another machine',
    ]);
    expect(plan(confirmed, { a: '1' }, { ...HERE, machine: 'there', deploy: 5 })?.scope).toBe('changes');
  });

  test('commits in between add what they changed', () => {
    const history = { relation: 'rollback', touched: { urls: ['b'], keys: [] } } as const;
    expect(plan(state({ a: '1', b: '2' }), { a: '3', b: '2' }, { ...HERE, history })).toMatchObject({
      scope: 'widened',
      urls: ['a', 'b'],
      reasons: ['this commit is older than the confirmed one, and commits in between may have been deployed'],
    });
  });
});

test('a state survives being stored, and damage is detected', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.webUrl(), fc.base64String({ minLength: 4, maxLength: 16 })),
      fc.array(fc.webUrl()),
      fc.nat(),
      (pages, unconfirmedUrls, position) => {
        const stored = state(pages, {
          deploy: 3,
          unconfirmed: { at: 'then', everything: false, urls: unconfirmedUrls, keys: ['a'] },
        });
        const text = formatState(stored);
        expect(parseState(text)).toEqual(stored);
        const at = position % text.length;
        const damaged = text.slice(0, at) + (text[at] === 'x' ? 'y' : 'x') + text.slice(at + 1);
        expect(parseState(damaged)).toBeUndefined();
      },
    ),
  );
});

/** What may be cached at each URL: every version that was served since it was purged; '' is a page that is missing. */
class Cache {
  readonly #versions = new Map<string, Set<string>>();
  readonly #all: readonly string[];

  constructor(all: readonly string[]) {
    this.#all = all;
  }

  view(pages: Pages): void {
    for (const url of this.#all) {
      const versions = this.#versions.get(url) ?? new Set();
      this.#versions.set(url, versions.add(pages[url] ?? ''));
    }
  }

  clear(targets: Iterable<string>): void {
    for (const url of targets) this.#versions.delete(url);
  }

  stale(pages: Pages): string[] {
    return this.#all.filter(url =>
      [...(this.#versions.get(url) ?? [])].some(each => each !== (pages[url] ?? '')),
    );
  }
}

const URLS = ['/a', '/b', '/c', '/d'];
const deploy = fc.record({
  pages: fc.dictionary(fc.constantFrom(...URLS), fc.constantFrom('1', '2', '3')),
  run: fc.constantFrom('confirmed', 'confirmed', 'lost', 'failed', 'half'),
  machine: fc.constantFrom('here', 'there'),
});

test('whatever is deployed, lost and fails: no page is stale after a confirmed purge, and a proven one sends no more than it must', () => {
  fc.assert(
    fc.property(fc.array(deploy, { maxLength: 12 }), deploys => {
      const cache = new Cache(URLS);
      let confirmed: ConfirmedState | undefined;
      for (const [index, { pages, run, machine }] of deploys.entries()) {
        cache.view(pages);
        if (run === 'lost') continue;
        const number = index + 1;
        const planned = planPurge(
          confirmed,
          snapshot(pages),
          { machine, deploy: number, history: undefined },
          true,
        );
        if (planned === undefined) return expect.unreachable();
        const isAll = planned.scope === 'everything';
        const least = cache.stale(pages);
        if (planned.scope === 'changes') expect([...planned.urls].sort()).toEqual(least.sort());
        const targets = isAll ? URLS : planned.urls;
        if (run === 'confirmed') {
          cache.clear(targets);
          expect(cache.stale(pages)).toEqual([]);
          confirmed = state(pages, { deploy: number, machine });
        } else if (confirmed !== undefined) {
          const cleared = run === 'half' && !isAll ? targets.slice(0, 1) : [];
          cache.clear(cleared);
          const left = planned.urls.filter(url => !cleared.includes(url));
          const before = new Map(confirmed.urls);
          for (const url of cleared) {
            if (pages[url] === undefined) before.delete(url);
            else before.set(url, pages[url]);
          }
          const unconfirmed = { at: 'then', deploy: number, everything: isAll, urls: left, keys: [] };
          confirmed = { ...confirmed, urls: before, unconfirmed };
        }
        cache.view(pages);
      }
    }),
    { numRuns: 1000 },
  );
});
