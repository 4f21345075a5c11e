import { createHash } from 'node:crypto';
import type { StreamedAnswer } from '../../../gateway/gateway.ts';
import type { FaultReader } from '../../../gateway/request.ts';
import type { Sender } from '../../../gateway/sender.ts';
import type { JsonRecord } from '../../../json/index.ts';
import { type BdaV1Site, type DataTarget, dataRequest, readFaultV1 } from './requests.ts';

interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** The rows of a report, to be asked for page by page; an export reads them. v1 tells no total. */
export interface ReportRows {
  readonly columns: readonly string[];
  readonly readFault: FaultReader;
  open(page: Page): Promise<StreamedAnswer>;
  total(): undefined;
}

export interface ReportRowsOptions {
  readonly target: DataTarget;
  /** The data request without `StartItem` and `MaxItems`, which pages set. */
  readonly request: JsonRecord;
  /** The columns of csv, in order; empty where the answer is to name them. */
  readonly columns: readonly string[];
  /** A page with the rows of the one before once more, byte for byte: the server does not page. Its rows are left out. */
  readonly onRepeated: () => void;
}

const NO_ROWS = new TextEncoder().encode('[]');

/** Rows of v1 by pages: `StartItem` and `MaxItems` (spec, v1's data request fields). */
export function reportRows(sender: Sender, site: BdaV1Site, options: ReportRowsOptions): ReportRows {
  const seen = new SeenPages();
  return {
    columns: options.columns,
    readFault: readFaultV1,
    open: async ({ offset, limit }) => {
      const body = { ...options.request, StartItem: offset, MaxItems: limit };
      const answer = await sender.stream(dataRequest(site, options.target, body));
      const pages = { seen, offset, onRepeated: options.onRepeated };
      return { ...answer, body: offset === 0 ? first(answer.body, seen) : following(answer.body, pages) };
    },
    total: () => undefined,
  };
}

/** What the pages held, as digests by offset. */
class SeenPages {
  #digests: readonly (readonly [offset: number, digest: string])[] = [];

  add(offset: number, digest: string): void {
    this.#digests = [...this.#digests.filter(([known]) => known !== offset).slice(-1), [offset, digest]];
  }

  /** Whether the page before this one held the same bytes. */
  isRepeated(offset: number, digest: string): boolean {
    const before = this.#digests.filter(([known]) => known < offset).at(-1);
    return before?.[1] === digest;
  }
}

async function* first(body: AsyncIterable<Uint8Array>, seen: SeenPages): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) {
    // A chunk's memory may be used again once the next one is asked for.
    chunks.push(Uint8Array.from(chunk));
    yield chunk;
  }
  seen.add(0, digestOf(chunks));
}

/** Holds a page back until it is known to be another one: rows that are out can't be taken back everywhere. */
async function* following(
  body: AsyncIterable<Uint8Array>,
  { seen, offset, onRepeated }: { seen: SeenPages; offset: number; onRepeated: () => void },
): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(Uint8Array.from(chunk));
  const digest = digestOf(chunks);
  if (seen.isRepeated(offset, digest)) {
    onRepeated();
    yield NO_ROWS;
    return;
  }
  seen.add(offset, digest);
  yield* chunks;
}

/** The digest of the text from the first `[` to the last `]`: what stands around the rows may be new in each answer. */
function digestOf(chunks: readonly Uint8Array[]): string {
  const text = Buffer.concat(chunks);
  return createHash('sha256')
    .update(text.subarray(text.indexOf('['), text.lastIndexOf(']') + 1))
    .digest('base64');
}
