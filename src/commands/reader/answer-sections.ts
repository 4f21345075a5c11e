import type { JsonRecord } from '../../json/index.ts';
import { headline, nextSteps, type ReaderAnswer } from '../../operations/access/answer-reader.ts';
import { productRecords } from '../../operations/access/answer-records.ts';
import { momentText, type Speech } from '../../operations/access/decision-words.ts';
import { changeLines } from '../../operations/access/explain-reader.ts';
import { codeWord, statusWord, type Words } from '../../operations/access/words/words.ts';
import type { OutputSection } from '../framework/context.ts';
import { PURCHASE_COLUMNS } from '../framework/reader-flags.ts';

/** A section of an answer, and the language that it is in where that is not the language of the answer. */
export interface AnswerSection extends OutputSection {
  readonly language?: string;
}

/** An answer for people: what it comes to, each decision in words, what to do, the purchases, what has changed, and the reply. */
export function answerSections(answer: ReaderAnswer, shown: string, speech: Speech): AnswerSection[] {
  const { view, domain, changes, reply, isSession } = answer;
  const { words } = speech;
  const { labels } = words;
  const { columns } = labels;
  return [
    {
      title: labels.reader(isSession ? labels.session : shown, domain),
      data: headline(answer, speech),
      view: { prose: true, language: words.tag },
    },
    {
      title: labels.access,
      data: productRecords(view, speech, true).map(record => withWord(record, 'reasonCode', codeWord, words)),
      view: {
        columns: [
          { key: 'product', title: columns.product, kind: 'text', whenPresent: true },
          { key: 'item', title: columns.item, kind: 'text', whenPresent: true },
          { key: 'allowed', title: columns.allowed, kind: 'flag', flag: words },
          { key: 'reasonCode', title: columns.reason, kind: 'text' },
          { key: 'meaning', title: columns.meaning, kind: 'text' },
          { key: 'nearest', title: columns.nearest, kind: 'text', whenPresent: true },
        ],
        empty: labels.noProduct,
      },
    },
    { title: labels.next, data: nextSteps(answer, speech), view: { prose: true, empty: labels.nothing } },
    {
      title: labels.purchases,
      data: view.purchases.map(entry => withWord(entry, 'status', statusWord, words)),
      view: { columns: purchaseColumns(words), empty: labels.noPurchases },
    },
    {
      title:
        changes.since === undefined
          ? labels.sinceLastTime
          : labels.since(momentText(Date.parse(changes.since), speech)),
      data: changeLines(changes, words),
      view: { prose: true },
    },
    {
      title: labels.reply(
        view.isKnown || isSession
          ? codeWord(reply.about.replace(/_(?:item|session)$/, ''), words)
          : labels.unknownAddress,
        reply.language,
      ),
      data: reply.text.split(/\n{2,}/).map(paragraph => paragraph.replaceAll('\n', ' ')),
      view: { prose: true, paragraphs: true },
      language: reply.language,
    },
  ];
}

/** A record with a word in the place of a code. */
function withWord(
  record: JsonRecord,
  name: string,
  wordOf: (code: string, words: Words) => string,
  words: Words,
): JsonRecord {
  const code = record[name];
  return typeof code === 'string' ? { ...record, [name]: wordOf(code, words) } : record;
}

function purchaseColumns({ labels: { columns } }: Words) {
  const titles = new Map([
    ['productKey', columns.product],
    ['item', columns.item],
    ['status', columns.status],
    ['expiresAt', columns.ends],
  ]);
  return PURCHASE_COLUMNS.map(column => ({ ...column, title: titles.get(column.key) ?? column.key }));
}
