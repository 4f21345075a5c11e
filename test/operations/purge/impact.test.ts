import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exactFigure, plain } from '../../../src/analysis/exact-change.ts';
import { impactSentence } from '../../../src/commands/cdn/purge/traffic/impact.ts';
import {
  type Impact,
  impactVerdict,
  measureImpact,
  NO_TRAFFIC,
  pageKey,
  percentAbove,
  plus,
  type SiteTraffic,
  type Traffic,
} from '../../../src/operations/purge/impact.ts';
import { sentenceText } from '../../../src/output/sentence.ts';

const figure = (value: number) => exactFigure(String(value)) ?? expect.unreachable();
const days = { from: '2026-03-07', to: '2026-03-13' };

/** Ten pages: paths 0 to 9, each written in one of several ways. */
const page = fc.nat(9);
const spelling = fc.record({
  scheme: fc.constantFrom('http://', 'https://'),
  www: fc.boolean(),
  slash: fc.boolean(),
  fragment: fc.constantFrom('', '#top'),
});
const target = fc.tuple(page, spelling).map(([path, { scheme, www, slash, fragment }]) => ({
  path,
  url: `${scheme}${www ? 'www.' : ''}example.com/${path}${slash ? '/' : ''}${fragment}`,
}));
/** Views of some of the pages, as analytics spell them. */
const figures = fc.uniqueArray(fc.tuple(page, fc.nat(1000), fc.boolean(), fc.boolean()), {
  selector: ([path]) => path,
});

function siteOf(
  rows: readonly [number, number, boolean, boolean][],
  flaws: readonly string[] = [],
): SiteTraffic {
  const pages = new Map<string, Traffic & { url: string }>();
  let total = NO_TRAFFIC;
  for (const [path, views, www, slash] of rows) {
    const url = `https://${www ? 'www.' : ''}example.com/${path}${slash ? '/' : ''}`;
    const traffic = { pageviews: figure(views), visits: figure(views), revenue: figure(0) };
    pages.set(pageKey(url), { url, ...traffic });
    total = plus(total, traffic);
  }
  return { days, pages, total, flaws };
}

async function* block<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  yield items;
}

describe('--max-impact', () => {
  test('passes only if every target was found and their share is at most the limit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(target, { maxLength: 6 }),
        figures,
        fc.nat(2),
        fc.constantFrom([], ['rows are missing']),
        fc.integer({ min: 0, max: 10_000 }),
        async (targets, rows, keys, flaws, hundredths) => {
          const percent = String(hundredths / 100);
          const impact = await measureImpact(block(targets), keys, siteOf(rows, flaws));
          const views = new Map(rows.map(([path, count]) => [path, count]));
          const total = rows.reduce((sum, [, count]) => sum + count, 0);
          const own = [...new Set(targets.map(({ path }) => path))];
          const share = own.reduce((sum, path) => sum + (views.get(path) ?? 0), 0);
          const isKnown =
            targets.length + keys === 0 ||
            (targets.length > 0 &&
              keys === 0 &&
              flaws.length === 0 &&
              total > 0 &&
              own.every(path => views.has(path)));
          const isWithin = share * 10_000 <= total * hundredths;
          const verdict = impactVerdict(impact, percent);
          expect(verdict === 'passes').toBe(isKnown && isWithin);
          expect(impact.completeness === 'complete').toBe(isKnown);
          if (verdict === 'exceeded') {
            expect(isWithin).toBe(false);
            expect(Number(percentAbove(impact, percent))).toBeGreaterThan(Number(percent));
          }
        },
      ),
    );
  });

  test('nothing at all is known of a site without page views', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(target, { minLength: 1 }), fc.boolean(), async (targets, isAll) => {
        const rows = targets.map(({ path }) => [path, 0, true, false] as [number, number, boolean, boolean]);
        const impact = await measureImpact(isAll ? undefined : block(targets), 0, siteOf(rows));
        expect(impact.completeness).toBe('unmeasured');
        expect(impactVerdict(impact, '100')).toBe('unknown');
      }),
    );
  });
});

describe('the sentence about an impact', () => {
  const digits = (text: string) => Number(text.replaceAll(',', ''));

  test('states the sum of the rows of its pages, as a lower bound where some have none', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(target, { minLength: 1, maxLength: 6 }), figures, async (targets, rows) => {
        const impact: Impact = await measureImpact(block(targets), 0, siteOf(rows));
        const sentence = sentenceText(impactSentence(impact, 'example.com'));
        const known = new Map(rows.map(([path, count]) => [path, count]));
        const own = [...new Set(targets.map(({ path }) => path))];
        const sum = own.reduce((total, path) => total + (known.get(path) ?? 0), 0);
        const lost = targets.filter(({ path }) => !known.has(path)).length;
        const [, least, views] = /: (at least )?([\d,]+) page views?/.exec(sentence) ?? [];
        if (impact.completeness === 'unmeasured') {
          expect(sentence).toContain(' is not known: ');
          expect(views).toBeUndefined();
        } else {
          expect(digits(views ?? '')).toBe(sum);
          expect(/\(0(?:\.0+)? %/.test(sentence)).toBe(sum === 0);
          expect(plain(impact.traffic.pageviews)).toBe(String(sum));
          expect(least !== undefined).toBe(lost > 0);
        }
        const named = /(?:(\d+) of \d+ URLs? (?:is|are)|the URL is) not in the page views/.exec(sentence);
        const total = rows.reduce((all, [, count]) => all + count, 0);
        if (total > 0) expect(named === null ? 0 : Number(named[1] ?? 1)).toBe(lost);
      }),
    );
  });
});
