import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  redirectSentence,
  redirectState,
  redirectTarget,
  requestedUrl,
  summaryOf,
} from '../../../../src/operations/purge/verification.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { run } from '../../../support/run.ts';
import { type Reply, wireServer } from '../../../support/wire-server.ts';

const moved = (location: string, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status: 302,
  headers: { location, ...headers },
});

/** One server that is gateway and site, with these pages. */
async function site(pages: Readonly<Record<string, Reply | (() => Reply)>>) {
  const fetched: string[] = [];
  const server = await wireServer(({ target }) => {
    if (target.startsWith('/cdnservices')) return { body: '{"Success":true,"Error":""}' };
    fetched.push(target);
    const page = pages[target];
    return (typeof page === 'function' ? page() : page) ?? { status: 404 };
  });
  onTestFinished(() => server.close());
  const receipt = join(temporaryFolder(), 'receipt.json');
  return {
    origin: server.baseUrl,
    fetched,
    async verify(paths: readonly string[], ...args: readonly string[]) {
      const urls = paths.map(path => server.baseUrl + path);
      const env = {
        GATECTL_BASE_URL: server.baseUrl,
        GATECTL_API_KEY: 'some-key',
        GATECTL_CONFIG_DIR: temporaryFolder(),
      };
      const words = ['cdn', 'purge', ...urls, '--verify', '--receipt', receipt, '-o', 'json', ...args];
      const ran = await run(words, { env });
      return {
        ...ran,
        result: JSON.parse(ran.stdout || '{}'),
        receipt: JSON.parse(readFileSync(receipt, 'utf8')),
      };
    },
  };
}

const FRESH = { 'x-cache': 'MISS' };

describe('cdn purge --verify of a redirect', () => {
  test('is not followed: text, JSON and receipt name the target that was not purged', async () => {
    const { origin, fetched, verify } = await site({
      '/old': moved('/new?token=secret', FRESH),
      '/new?token=secret': { headers: { age: '900' }, body: 'old' },
    });
    const ran = await verify(['/old']);
    expect([ran.code, fetched]).toEqual([0, ['/old', '/old']]);
    const sentence = `${origin}/old redirects to ${origin}/new?…, which was not purged`;
    expect(ran.stderr).toBe(`note: fresh: ${origin}/old (the cache status is MISS)\nwarning: ${sentence}\n`);
    const pages = [{ url: `${origin}/old`, redirect: { to: `${origin}/new?…`, purged: false, sentence } }];
    expect(ran.result.verification).toMatchObject({ completeness: 'complete', fresh: 1, pages });
    expect(ran.receipt).toMatchObject({ completeness: 'complete', fresh: 1, pages });
    expect(JSON.stringify([ran.result, ran.receipt])).not.toContain('secret');
  });

  test('says so where the target was purged too, and verifies both', async () => {
    const { origin, verify } = await site({ '/old': moved('new#top', FRESH), '/new': { headers: FRESH } });
    const ran = await verify(['/old', '/new']);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain(`note: ${origin}/old redirects to ${origin}/new, which was purged too\n`);
    expect(ran.result.verification).toMatchObject({ checked: 2, fresh: 2 });
  });

  test('a stale redirect ends with 7', async () => {
    const { origin, verify } = await site({ '/old': moved('/new', { age: '900' }) });
    const ran = await verify(['/old']);
    expect([ran.code, ran.result.cleared]).toEqual([7, 1]);
    expect(ran.stderr).toContain(`warning: stale: ${origin}/old (Age is 900 s, older than the purge)\n`);
    expect(ran.stderr).toContain('"code":"stale_pages","message":"1 page was stale after the purge"');
  });

  test.each([
    ['/old', 'redirects to itself'],
    ['https://other.example.com/a', 'redirects to https://other.example.com/a, which was not purged'],
    ['file:///etc/passwd', 'redirects to a file: address, which is not requested'],
    ['javascript:alert(1)', 'redirects to a javascript: address, which is not requested'],
    ['http://[::1', 'redirects to an invalid URL, which is not requested'],
    [
      'https://user:secret@other.example.com/',
      'redirects to https://other.example.com/, which was not purged',
    ],
  ])('to %s is named, and not requested', async (location, sentence) => {
    const { origin, fetched, verify } = await site({ '/old': moved(location, FRESH) });
    const ran = await verify(['/old']);
    expect([ran.code, fetched]).toEqual([0, ['/old', '/old']]);
    expect(ran.stderr).toContain(`warning: ${origin}/old ${sentence}\n`);
  });

  test('two that redirect to each other are both named', async () => {
    const { fetched, verify } = await site({ '/a': moved('/b', FRESH), '/b': moved('/a', FRESH) });
    const ran = await verify(['/a', '/b']);
    expect([ran.code, fetched.length]).toEqual([0, 4]);
    expect(ran.stderr.match(/, which was purged too$/gm)).toHaveLength(2);
  });

  test('a redirect that the purge changed is fresh', async () => {
    let count = 0;
    const { verify } = await site({
      '/old': () => {
        count += 1;
        return moved(count === 1 ? '/new' : '/newer');
      },
    });
    expect((await verify(['/old'])).stderr).toContain('/old (the redirect changed)\n');
  });
});

test('a stale page ends with 7 and is named, after all were purged', async () => {
  const { verify } = await site({ '/a': { headers: { age: '900' } }, '/b': { headers: FRESH } });
  const ran = await verify(['/a', '/b', '/gone']);
  expect([ran.code, ran.result.cleared]).toEqual([7, 3]);
  expect(ran.result.verification).toMatchObject({
    completeness: 'incomplete',
    purged: 3,
    checked: 3,
    fresh: 1,
    stale: 1,
    unknown: 1,
  });
});

describe('the receipt', () => {
  const verdicts = fc.array(fc.constantFrom('fresh' as const, 'stale' as const, 'unknown' as const));

  test('counts its rows, and is complete only if every purged page is fresh or stale', () => {
    fc.assert(
      fc.property(verdicts, fc.nat(5), (rows, more) => {
        const purged = rows.length + more;
        const summary = summaryOf(
          rows.map(verdict => ({ verdict })),
          purged,
        );
        for (const verdict of ['fresh', 'stale', 'unknown'] as const)
          expect(summary[verdict]).toBe(rows.filter(row => row === verdict).length);
        expect(summary.checked).toBe(rows.length);
        const measured = rows.filter(row => row !== 'unknown').length;
        expect(summary.completeness === 'complete').toBe(measured > 0 && measured === purged);
        expect(summary.completeness === 'unmeasured').toBe(measured === 0);
      }),
    );
  });

  test('says that a target was purged only if the purge has it', () => {
    const location = fc.oneof(
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      fc.webPath(),
      fc.string(),
      fc.constantFrom('javascript:alert(1)', 'file:///etc/passwd', '//[', ''),
    );
    fc.assert(
      fc.property(
        fc.webUrl(),
        location,
        fc.array(fc.webUrl()),
        fc.boolean(),
        (page, to, others, isPurged) => {
          const target = redirectTarget(301, to, page);
          if (target === undefined) return expect.unreachable();
          const purged = new Set(others.map(requestedUrl));
          if (isPurged && 'url' in target) purged.add(requestedUrl(target.url));
          const state = redirectState(page, target, purged);
          const sentence = redirectSentence(page, target, state);
          const isSelf = 'url' in target && requestedUrl(target.url) === requestedUrl(page);
          const has = 'url' in target && purged.has(requestedUrl(target.url));
          expect(sentence.endsWith(', which was purged too')).toBe(has && !isSelf);
          expect(sentence.endsWith(' redirects to itself')).toBe(isSelf);
          if ('what' in target) expect(sentence).toMatch(/, which is not requested$/);
        },
      ),
    );
  });
});
