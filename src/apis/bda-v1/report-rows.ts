import { createHash, type Hash } from 'node:crypto';
import { InvalidResponseError } from '../../errors/index.ts';
import type { AheadOptions, RowStream } from '../../http/gateway.ts';
import type { ErrorReader } from '../../http/request.ts';
import type { Sender } from '../../http/sender.ts';
import type { JsonRecord } from '../../json/index.ts';
import { type BdaV1Site, type DataTarget, dataRequest, readV1Error } from './requests.ts';

interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** The rows of a report, to be asked for page by page; an export reads them. v1 tells no total. */
export interface ReportRows {
  readonly columns: readonly string[];
  readonly readError: ErrorReader;
  readonly hasTotal: false;
  open(page: Page, ahead?: AheadOptions): Promise<RowStream>;
  total(): undefined;
}

export interface ReportRowsOptions {
  readonly target: DataTarget;
  /** The data request without `StartItem` and `MaxItems`, which pages set. */
  readonly request: JsonRecord;
  /** The columns of csv, in order; empty where the answer is to name them. */
  readonly columns: readonly string[];
  /** A page with the rows of the one before once more, byte for byte: the server does not page. Its rows are left out. */
  readonly onRepeated: (page: Page) => void;
}

const NO_ROWS = new TextEncoder().encode('[]');

/** Rows of v1 by pages: `StartItem` and `MaxItems` (spec, v1's data request fields). */
export function reportRows(sender: Sender, site: BdaV1Site, options: ReportRowsOptions): ReportRows {
  const seen = new SeenPages();
  return {
    columns: options.columns,
    readError: readV1Error,
    hasTotal: false,
    open: async ({ offset, limit }, ahead) => {
      const body = { ...options.request, StartItem: offset, MaxItems: limit };
      const answer = await sender.stream(dataRequest(site, options.target, body), ahead);
      const pages = { seen, offset, onRepeated: () => options.onRepeated({ offset, limit }) };
      return { ...answer, body: offset === 0 ? first(answer.body, seen) : following(answer, pages) };
    },
    total: () => undefined,
  };
}

/** Where two pages begin with as much of the same, the second is held back until all of it was compared. */
const BEGINNING_BYTES = 16 * 1024;
/** What is held back at most. */
const MOST_HELD_BYTES = 64 * 1024 * 1024;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

interface SeenPage {
  readonly offset: number;
  /** The first bytes, at most as many as are compared at first. */
  readonly beginning: Buffer;
  /** How many bytes there are up to the last `]`, which the digest is of. */
  readonly bytes: number;
  readonly digest: string;
}

/** What the latest pages held. */
class SeenPages {
  #pages: readonly SeenPage[] = [];

  add(page: SeenPage): void {
    this.#pages = [...this.#pages.filter(({ offset }) => offset !== page.offset).slice(-1), page];
  }

  /** The page before the one at `offset`. */
  before(offset: number): SeenPage | undefined {
    return this.#pages.filter(known => known.offset < offset).at(-1);
  }
}

/** The text from the first `[` to the last `]`, as it passes: what stands around the rows may be new in each answer. */
class RowsText {
  readonly #hash = createHash('sha256');
  #toLastBracket: Hash | undefined;
  #beginning = Buffer.alloc(0);
  #hasBegun = false;
  #bytes = 0;
  #bytesToLastBracket = 0;

  add(chunk: Uint8Array): void {
    const from = this.#hasBegun ? 0 : chunk.indexOf(OPEN_ARRAY);
    if (from < 0) return;
    this.#hasBegun = true;
    const text = chunk.subarray(from);
    if (this.#beginning.length < BEGINNING_BYTES)
      this.#beginning = Buffer.concat([this.#beginning, text]).subarray(0, BEGINNING_BYTES);
    const end = text.lastIndexOf(CLOSE_ARRAY) + 1;
    this.#hash.update(text.subarray(0, end));
    if (end > 0) {
      this.#toLastBracket = this.#hash.copy();
      this.#bytesToLastBracket = this.#bytes + end;
    }
    this.#hash.update(text.subarray(end));
    this.#bytes += text.length;
  }

  /** Whether it is certain that the text is not that of the page. */
  differsFrom({ beginning, bytes }: SeenPage): boolean {
    const most = Math.min(this.#beginning.length, beginning.length, bytes);
    return !this.#beginning.subarray(0, most).equals(beginning.subarray(0, most));
  }

  /** At the end of the page; once. */
  seenAt(offset: number): SeenPage {
    const digest = (this.#toLastBracket ?? createHash('sha256')).digest('base64');
    return { offset, beginning: this.#beginning, bytes: this.#bytesToLastBracket, digest };
  }
}

async function* first(body: AsyncIterable<Uint8Array>, seen: SeenPages): AsyncGenerator<Uint8Array> {
  const text = new RowsText();
  for await (const chunk of body) {
    text.add(chunk);
    yield chunk;
  }
  seen.add(text.seenAt(0));
}

/** Holds a page back until it is known to be another one than the page before: rows that are out can't be taken back everywhere. */
async function* following(
  { body, request, onRow }: RowStream,
  { seen, offset, onRepeated }: { seen: SeenPages; offset: number; onRepeated: () => void },
): AsyncGenerator<Uint8Array> {
  const before = seen.before(offset);
  const text = new RowsText();
  const held: Uint8Array[] = [];
  let heldBytes = 0;
  let isAnother = before === undefined;
  for await (const chunk of body) {
    text.add(chunk);
    if (isAnother) {
      yield chunk;
      continue;
    }
    // A chunk's memory may be used again once the next one is asked for.
    held.push(Uint8Array.from(chunk));
    heldBytes += chunk.length;
    isAnother = before === undefined || text.differsFrom(before);
    if (isAnother) {
      yield* held.splice(0);
    } else if (heldBytes > MOST_HELD_BYTES) {
      throw new InvalidResponseError('a page begins like the page before and is too large to compare', {
        request,
        code: 'response_too_large',
      });
    } else onRow?.();
  }
  const page = text.seenAt(offset);
  if (!isAnother && before?.digest === page.digest) {
    onRepeated();
    yield NO_ROWS;
    return;
  }
  seen.add(page);
  yield* held;
}
