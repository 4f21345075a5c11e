import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AuditReport } from '../../../src/apis/subscriptions/audit/report.ts';
import { auditSections, summaryOf } from '../../../src/commands/access/audit/audit-output.ts';
import { isRecord } from '../../../src/json/index.ts';
import type { Decision } from '../../../src/wire/subscriptions.ts';

const decision = fc.constantFrom<Decision | undefined>('allowed', 'denied', 'expired', undefined);
const reader = fc.record({ isPaid: fc.boolean(), now: decision, before: decision });
type Reader = typeof reader extends fc.Arbitrary<infer Value> ? Value : never;

const outcomeOf = (word: Decision | undefined) => word && { decision: word, reasonCode: undefined };

/** An audit of these readers, compared with an earlier one. */
function audited(readers: readonly Reader[]) {
  const list = {
    size: readers.length,
    indexes: () => readers.keys(),
    at: (index: number) => ({
      place: `line ${index}`,
      email: String(index),
      product: 'gold',
      isPaid: readers[index]?.isPaid,
    }),
  };
  const results = {
    at: (index: number) => {
      const outcome = outcomeOf(readers[index]?.now);
      return outcome === undefined ? { error: 'failed' } : { outcome };
    },
  };
  const run = {
    head: { startedAt: '2026-03-13' },
    outcomeOf: (hash: string) => outcomeOf(readers[Number(hash)]?.before),
  };
  const report = new AuditReport(
    list as never,
    results as never,
    { run, hash: (email: string) => email } as never,
  );
  const subject = {
    list: 'stdin',
    domain: 'example.com',
    startedAt: '2026-03-14',
    finishedAt: '2026-03-14',
    against: run as never,
    isFirst: false,
    masked: <T>(data: T) => data,
  };
  const sections = auditSections(report, subject, undefined);
  const said = sections.slice(0, 1).flatMap(({ data }) => data as string[]);
  return { sections, text: said.join(' '), summary: summaryOf(report, subject) };
}

test('the sentences of an audit hold of its readers, and of no reader nothing is said', () => {
  fc.assert(
    fc.property(fc.array(reader, { minLength: 1, maxLength: 12 }), readers => {
      const { sections, text, summary } = audited(readers);
      const checked = readers.filter(({ now }) => now !== undefined);
      const matching = checked.filter(({ isPaid, now }) => isPaid === (now === 'allowed'));
      const compared = checked.filter(({ before }) => before !== undefined);
      const changed = compared.filter(({ now, before }) => now !== before);
      expect(/^No reader was checked/.test(text)).toBe(checked.length === 0);
      expect(/^(?:All|The) .* match/.test(text)).toBe(
        checked.length > 0 && matching.length === checked.length,
      );
      const [, differing = '0', of = ''] = /^(\d+) of (\d+) readers?/.exec(text) ?? [];
      expect(Number(differing)).toBe(checked.length - matching.length);
      if (of !== '') expect(Number(of)).toBe(checked.length);
      expect(/(\d+) readers? could not be checked/.exec(text)?.[1] ?? '0').toBe(
        String(readers.length - checked.length),
      );
      expect(summary.drift === null).toBe(checked.length === 0);
      expect(text.includes('Changes are unknown')).toBe(compared.length === 0);
      expect(summary.changes === null).toBe(compared.length === 0);
      expect(sections.some(({ title }) => title === 'Changes')).toBe(compared.length > 0);
      if (compared.length === 0) return;
      expect(/(\d+) decisions? changed/.exec(text)?.[1]).toBe(String(changed.length));
      const rows = Array.isArray(summary.changes) ? summary.changes.filter(isRecord) : [];
      expect(rows.reduce((sum, { readers: count }) => sum + Number(count), 0)).toBe(changed.length);
    }),
  );
});

test('a share of some readers is never shown as none or all of them', () => {
  const size = 20_001;
  const of = (differing: number) =>
    audited(
      Array.from({ length: size }, (_, at) => ({ isPaid: at < differing, now: 'denied', before: undefined })),
    ).summary.drift;
  expect([of(0), of(1), of(size - 1), of(size)]).toEqual(['0.00%', '< 0.01%', '> 99.99%', '100.00%']);
});
