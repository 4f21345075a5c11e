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

/** The rows of a report, page by page, for an export. v1 reports no total. */
interface ReportRows {
  readonly columns: readonly string[];
  readonly readError: ErrorReader;
  readonly hasTotal: false;
  open(page: Page, ahead?: AheadOptions): Promise<RowStream>;
  total(): undefined;
  repeatsPage(): boolean;
}

interface ReportRowsOptions {
  readonly target: DataTarget;
  /** The data request without `StartItem` and `MaxItems`, which pages set. */
  readonly request: JsonRecord;
  /** The columns of csv, in order; empty to use those of the response. */
  readonly columns: readonly string[];
  /** Called for a page that is identical to the previous one, because the server ignores paging. Its rows are omitted. */
  readonly onRepeated: (page: Page) => void;
}

const NO_ROWS = new TextEncoder().encode('[]');

/** Fetches v1 rows in pages, with `StartItem` and `MaxItems` (spec, data request fields of v1). */
export function reportRows(sender: Sender, site: BdaV1Site, options: ReportRowsOptions): ReportRows {
  const seen = new SeenPages();
  let repeatsPage = false;
  return {
    columns: options.columns,
    readError: readV1Error,
    hasTotal: false,
    open: async ({ offset, limit }, ahead) => {
      const body = { ...options.request, StartItem: offset, MaxItems: limit };
      const response = await sender.stream(dataRequest(site, options.target, body), ahead);
      const onRepeated = () => {
        repeatsPage = true;
        options.onRepeated({ offset, limit });
      };
      const pages = { seen, offset, onRepeated };
      return { ...response, body: offset === 0 ? firstPage(response.body, seen) : nextPage(response, pages) };
    },
    total: () => undefined,
    repeatsPage: () => repeatsPage,
  };
}

/** If two pages have the same prefix of this length, the second is buffered until it is compared completely. */
const PREFIX_BYTES = 16 * 1024;
/** Maximum size of the buffer. */
const MAX_BUFFERED_BYTES = 64 * 1024 * 1024;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

interface SeenPage {
  readonly offset: number;
  /** The first bytes, up to `PREFIX_BYTES`. */
  readonly prefix: Buffer;
  /** Number of bytes up to the last `]`, which the digest covers. */
  readonly bytes: number;
  readonly digest: string;
}

/** The latest pages. */
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

/** Digest of the text from the first `[` to the last `]`; other fields may differ between responses. */
class RowsText {
  readonly #hash = createHash('sha256');
  #toLastBracket: Hash | undefined;
  #prefix = Buffer.alloc(0);
  #hasBegun = false;
  #bytes = 0;
  #bytesToLastBracket = 0;

  add(chunk: Uint8Array): void {
    const from = this.#hasBegun ? 0 : chunk.indexOf(OPEN_ARRAY);
    if (from < 0) return;
    this.#hasBegun = true;
    const text = chunk.subarray(from);
    if (this.#prefix.length < PREFIX_BYTES)
      this.#prefix = Buffer.concat([this.#prefix, text]).subarray(0, PREFIX_BYTES);
    const end = text.lastIndexOf(CLOSE_ARRAY) + 1;
    this.#hash.update(text.subarray(0, end));
    if (end > 0) {
      this.#toLastBracket = this.#hash.copy();
      this.#bytesToLastBracket = this.#bytes + end;
    }
    this.#hash.update(text.subarray(end));
    this.#bytes += text.length;
  }

  /** Whether the text definitely differs from the page. */
  differsFrom({ prefix, bytes }: SeenPage): boolean {
    const most = Math.min(this.#prefix.length, prefix.length, bytes);
    return !this.#prefix.subarray(0, most).equals(prefix.subarray(0, most));
  }

  /** Call once, at the end of the page. */
  seenAt(offset: number): SeenPage {
    const digest = (this.#toLastBracket ?? createHash('sha256')).digest('base64');
    return { offset, prefix: this.#prefix, bytes: this.#bytesToLastBracket, digest };
  }
}

async function* firstPage(body: AsyncIterable<Uint8Array>, seen: SeenPages): AsyncGenerator<Uint8Array> {
  const text = new RowsText();
  for await (const chunk of body) {
    text.add(chunk);
    yield chunk;
  }
  seen.add(text.seenAt(0));
}

/** Buffers a page until it differs from the previous one, because rows that are written cannot be withdrawn. */
async function* nextPage(
  { body, request, onRow }: RowStream,
  { seen, offset, onRepeated }: { seen: SeenPages; offset: number; onRepeated: () => void },
): AsyncGenerator<Uint8Array> {
  const before = seen.before(offset);
  const text = new RowsText();
  const buffer: Uint8Array[] = [];
  let bufferedBytes = 0;
  let isDifferent = before === undefined;
  for await (const chunk of body) {
    text.add(chunk);
    if (isDifferent) {
      yield chunk;
      continue;
    }
    // The memory of a chunk may be reused for the next one.
    buffer.push(Uint8Array.from(chunk));
    bufferedBytes += chunk.length;
    isDifferent = before === undefined || text.differsFrom(before);
    if (isDifferent) {
      yield* buffer.splice(0);
    } else if (bufferedBytes > MAX_BUFFERED_BYTES) {
      throw new InvalidResponseError('a page starts like the previous one and is too large to compare', {
        request,
        code: 'response_too_large',
      });
    } else onRow?.();
  }
  const page = text.seenAt(offset);
  if (!isDifferent && before?.digest === page.digest) {
    onRepeated();
    yield NO_ROWS;
    return;
  }
  seen.add(page);
  yield* buffer;
}
