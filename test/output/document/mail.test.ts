import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { expect, test } from 'vitest';
import type { ReportDocument } from '../../../src/output/document/document.ts';
import { mailDocument } from '../../../src/output/document/mail.ts';
import { plainText } from '../../../src/output/document/plain-text.ts';
import { quotedPrintable } from '../../../src/text/mail.ts';
import { runs } from '../../support/runs.ts';
import { PIPE } from '../styles.ts';
import { section } from './section.ts';

const reportOf = (markdown: string): ReportDocument => ({
  title: 'T',
  subtitle: undefined,
  kpis: undefined,
  isComplete: true,
  sections: [{ kind: 'text', title: undefined, markdown }],
});

const mail = (markdown: string, subject: string, name: string) =>
  mailDocument(reportOf(markdown), {
    headers: {
      from: { name, address: 'a@example.com' },
      to: [{ name: undefined, address: 'b@example.com' }],
      cc: [],
      subject,
    },
    pictures: new Map(),
    style: PIPE,
    date: 0,
  });

const printed = fc.string({
  unit: fc.oneof(
    fc.constantFrom('ü', '漢', '😀', '.', '=', ' '),
    fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 }),
  ),
  maxLength: 200,
});

test('a mail of any text is ASCII in short lines, and another program reads the same text, subject and name', async () => {
  await fc.assert(
    fc.asyncProperty(printed, printed, printed, async (text, subject, name) => {
      const oneLine = (value: string) => `x${value.replace(/[\s"\\]+/g, ' ').trim()}`;
      const message = mail(`x\n${text}\n.\nFrom here`, oneLine(subject), oneLine(name));
      expect(message).toMatch(/^[\n\x20-\x7e]*$/);
      for (const line of message.split('\n')) {
        expect(line.length).toBeLessThanOrEqual(76);
        expect(line).not.toMatch(/^(?:\.|From )/);
      }
      const read = await PostalMime.parse(message);
      expect(read.subject).toBe(oneLine(subject));
      expect(read.from?.name).toBe(oneLine(name));
      expect(read.text?.trimEnd()).toBe(plainText(reportOf(`x\n${text}\n.\nFrom here`), PIPE).trimEnd());
    }),
    { numRuns: runs(60) },
  );
});

test('a readable encoding keeps lines that mail programs give a meaning apart', () => {
  expect(quotedPrintable('.\nFrom a\na=b \nü')).toBe('=2E\n=46rom a\na=3Db=20\n=C3=BC');
});

test('long words of a mail wrap in its column, and not within a table', async () => {
  const { html = '' } = await PostalMime.parse(mail('x', 'S', 'N'));
  expect(html).toMatch(/<td style="[^"]*overflow-wrap:anywhere">\n<h1>/);
  const table = section([], { columns: [{ key: 'country' }], shown: [{ country: 'DE' }], hasTable: true });
  const of = { ...reportOf('x'), sections: [table] };
  const headers = { from: { name: 'N', address: 'a@example.com' }, to: [], cc: [], subject: 'S' };
  const message = mailDocument(of, { headers, pictures: new Map(), style: PIPE, date: 0 });
  expect((await PostalMime.parse(message)).html).toMatch(
    /<div style="[^"]*overflow-wrap:normal[^"]*"><table/,
  );
});
