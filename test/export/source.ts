import { readError } from '../../src/apis/bda-v2/requests.ts';
import type { Page } from '../../src/export/plan.ts';
import type { RowSource } from '../../src/export/row-source.ts';
import type { Clock } from '../../src/http/clock.ts';

/** How one asking for a page goes; by default, well. */
export interface Turn {
  /** Thrown instead of an answer. */
  readonly refuse?: Error;
  /** Thrown after so many bytes of the body. */
  readonly breakAfter?: { readonly bytes: number; readonly error: Error };
  /** The body instead of rows. */
  readonly body?: string;
  readonly total?: number;
}

export interface FakeSource extends RowSource {
  /** The pages that were asked for, in order. */
  readonly asked: Page[];
  /** Answers that were asked for and neither read to their end nor dropped. */
  readonly unread: Set<Page>;
}

/** The row at an index: figures that no double holds, and texts that every format has to escape. */
export function rowText(index: number): string {
  return `{"id":9${index}2345678901234567890,"name":"row ${index}, \\"q\\"\\n\\u00e9","revenue":${index}.10000000000000000000001}`;
}

export const COLUMNS = ['id', 'name', 'revenue'];

/** Rows from memory, in chunks of 64 bytes, with misfortunes by the number of the asking. */
export function fakeSource(rows: number, turns: Readonly<Record<number, Turn>> = {}): FakeSource {
  const asked: Page[] = [];
  const unread = new Set<Page>();
  return {
    asked,
    unread,
    columns: COLUMNS,
    hasTotal: true,
    rowsName: 'rows',
    readError,
    total: metadata => {
      const text = metadata.get('total_rows');
      return text === undefined ? undefined : Number(text);
    },
    async open(page) {
      const turn = turns[asked.push(page) - 1] ?? {};
      if (turn.refuse) throw turn.refuse;
      unread.add(page);
      const end = Math.min(rows, page.offset + page.limit);
      const texts = Array.from({ length: Math.max(0, end - page.offset) }, (_, i) =>
        rowText(page.offset + i),
      );
      const body = turn.body ?? `{"rows":[${texts.join(',')}],"total_rows":${turn.total ?? rows}}`;
      const request = { method: 'POST', origin: 'https://gateway.example.com', path: '/query' };
      const ended = () => unread.delete(page);
      return { headers: {}, request, body: chunks(Buffer.from(body), turn, ended), drop: ended };
    },
  };
}

async function* chunks(body: Buffer, { breakAfter }: Turn, ended: () => void): AsyncGenerator<Uint8Array> {
  try {
    const end = Math.min(body.length, breakAfter?.bytes ?? body.length);
    for (let at = 0; at < end; at += 64) yield body.subarray(at, Math.min(end, at + 64));
    if (breakAfter) throw breakAfter.error;
  } finally {
    ended();
  }
}

/** A clock that stands still. It notes down the sleeps that were not ended before their time. */
export function stillClock(): Clock & { readonly slept: number[] } {
  const slept: number[] = [];
  return {
    slept,
    now: () => 1_000_000,
    random: () => 1,
    sleep: async (ms, signal) => {
      await new Promise(resolve => setImmediate(resolve));
      signal?.throwIfAborted();
      slept.push(ms);
    },
  };
}
