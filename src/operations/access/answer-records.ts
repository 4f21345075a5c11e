import type { Json, JsonRecord } from '../../json/index.ts';
import { nextSteps, type ReaderAnswer } from './answer-reader.ts';
import { meaningText, nextText, type Speech } from './decision-words.ts';
import { changeText } from './explain-reader.ts';
import type { SupportView } from './look-up-reader.ts';

/** What is known of a reader as data; `reader` is how output names the reader. */
export function supportRecord(
  view: SupportView,
  { reader, domain }: { readonly reader: string; readonly domain: string },
  speech: Speech,
) {
  const { products, purchases } = view;
  return { reader, domain, products, purchases, decisions: productRecords(view, speech) };
}

/** The decisions as data, a record each. */
export function productRecords(
  { decisions }: SupportView,
  speech: Speech,
  withNearest = false,
): readonly JsonRecord[] {
  return decisions.map(decision => {
    const { product, isItem, nearest, access } = decision;
    return {
      ...(isItem ? { item: product } : { product }),
      ...access.data,
      allowed: access.allowed,
      meaning: meaningText(decision, speech),
      next: nextText(decision, speech),
      ...(access.boughtAs !== undefined && { boughtAs: access.boughtAs }),
      ...(withNearest && { nearest: nearest ?? null }),
    };
  });
}

/** An answer as data; `shown` is how output names the reader. */
export function answerRecord(answer: ReaderAnswer, shown: string, speech: Speech): JsonRecord {
  const { view, domain, changes, reply } = answer;
  // An empty list would say that nothing has changed.
  const isCompared = changes.since !== undefined;
  const changed = changes.changes.map(change => {
    const { product, from, to } = change;
    return { product, change: changeText(change, speech.words), from, to };
  });
  return {
    ...supportRecord(view, { reader: shown, domain }, speech),
    known: view.isKnown,
    decisions: productRecords(view, speech, true),
    since: changes.since ?? null,
    changes: isCompared ? changed : null,
    added: isCompared ? [...changes.added] : null,
    next: nextSteps(answer, speech),
    reply: reply as unknown as Json,
  };
}
