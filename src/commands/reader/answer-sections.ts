import type { Json, JsonRecord } from '../../json/index.ts';
import { headline, nextSteps, type ReaderAnswer } from '../../operations/access/answer-reader.ts';
import { type Dates, momentText } from '../../operations/access/decision-words.ts';
import { noChangesText } from '../../operations/access/explain-reader.ts';
import { productRecords, supportRecord } from '../../operations/access/look-up-reader.ts';
import type { OutputSection } from '../framework/context.ts';
import { PURCHASE_COLUMNS } from '../framework/reader-flags.ts';

/** An answer as data; `shown` is how output names the reader. */
export function answerRecord(answer: ReaderAnswer, shown: string): JsonRecord {
  const { view, domain, changes, reply } = answer;
  // An empty list would say that nothing has changed.
  const isCompared = changes.since !== undefined;
  return {
    ...supportRecord(view, { reader: shown, domain }),
    known: view.isKnown,
    decisions: productRecords(view, true),
    since: changes.since ?? null,
    changes: isCompared ? (changes.changes as unknown as Json) : null,
    added: isCompared ? [...changes.added] : null,
    next: nextSteps(answer),
    reply: reply as unknown as Json,
  };
}

/** An answer for people: what it comes to, each decision in words, what to do, the purchases, what has changed, and the reply. */
export function answerSections(answer: ReaderAnswer, shown: string, dates: Dates): OutputSection[] {
  const { view, domain, changes, reply } = answer;
  const { since } = changes;
  const changed = changes.changes.map(({ product, change }) => `${product ?? 'the reader'}: ${change}`);
  return [
    { title: `Reader ${shown} at ${domain}`, data: headline(answer), view: { prose: true } },
    {
      title: 'Access',
      data: productRecords(view, true),
      view: {
        columns: [
          { key: 'product', title: 'Product', kind: 'text', whenPresent: true },
          { key: 'item', title: 'Item', kind: 'text', whenPresent: true },
          { key: 'allowed', title: 'Access', kind: 'flag' },
          { key: 'reasonCode', title: 'Reason', kind: 'text' },
          { key: 'meaning', title: 'In words', kind: 'text' },
          { key: 'nearest', title: 'Nearest', kind: 'text', whenPresent: true },
        ],
        empty: 'No product to check.',
      },
    },
    { title: 'What to do', data: nextSteps(answer), view: { prose: true, empty: 'Nothing.' } },
    {
      title: 'Purchases',
      data: view.purchases,
      view: { columns: PURCHASE_COLUMNS, empty: 'No purchases.' },
    },
    {
      title: since === undefined ? 'Since last time' : `Since ${momentText(Date.parse(since), dates)}`,
      data: changed.length > 0 ? changed : [noChangesText(changes)],
      view: { prose: true },
    },
    {
      title: `Reply (${reply.about}, ${reply.language})`,
      data: reply.text.split(/\n{2,}/).map(paragraph => paragraph.replaceAll('\n', ' ')),
      view: { prose: true, paragraphs: true },
    },
  ];
}
