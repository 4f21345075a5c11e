import { type GatectlError, InvalidResponseError, NetworkError, type RequestInfo } from '../errors/index.ts';
import { classify, type Verdict } from '../http/classify.ts';
import { BROKEN_ENCODING, HEADER_MISSING, looksCompressed } from '../http/content-encoding.ts';
import { saidIn } from '../http/error-body.ts';
import type { RowStream } from '../http/gateway.ts';
import { isWebPage, pageTitle } from '../http/html-response.ts';
import type { ErrorReader } from '../http/request.ts';
import type { CsvDialect } from '../output/view.ts';
import type { RowSource } from './row-source.ts';
import {
  type ChunkQueue,
  drainOf,
  type ReceivingSink,
  type RowSink,
  receivesRows,
  SinkQueue,
} from './sink.ts';
import type { RowFormat } from './transcode/formats.ts';
import { MalformedResponseError } from './transcode/json-scanner.ts';
import { type PageEnd, type PageOfRows, type Position, RowTranscoder } from './transcode/transcoder.ts';

export interface Encoding {
  readonly format: RowFormat;
  readonly dialect: CsvDialect;
}

/** Receives the progress: rows and bytes written, and bytes received over the network for them. */
export type OnRows = (rows: number, bytes: number, received: number) => void;

/** What a sink holds after complete pages: rows and bytes before compression, and the position of the sink. */
export interface Written {
  readonly position: Position;
  readonly sinkBytes: number;
}

/**
 * Writes pages from responses to a sink. `rollback` rolls back a page that broke off; for output that cannot be rolled back, the
 * rows already written are skipped when the page is received again.
 */
export class PageRun {
  readonly #source: RowSource;
  readonly #encoding: Encoding;
  readonly #sink: RowSink | ReceivingSink;
  readonly #queue: ChunkQueue;
  readonly #onRows: OnRows;
  /** Bytes received over the network for earlier pages. */
  #received = 0;
  #written: Written;
  #transcoder: RowTranscoder;

  constructor(
    source: RowSource,
    encoding: Encoding,
    sink: RowSink | ReceivingSink,
    resume: Written | undefined,
    onRows: OnRows,
  ) {
    this.#source = source;
    this.#encoding = encoding;
    this.#sink = sink;
    this.#queue = receivesRows(sink)
      ? drainOf(sink)
      : new SinkQueue(sink, chunk => this.#transcoder.reuse(chunk));
    this.#onRows = onRows;
    this.#written = resume ?? {
      position: { bytes: 0, rows: 0, columns: source.columns },
      sinkBytes: 0,
    };
    this.#transcoder = this.#newTranscoder(this.#written.position, 0);
  }

  /** What complete pages have written. */
  get written(): Written {
    return this.#written;
  }

  /**
   * Writes a page, at most `most` rows of it. Surplus rows are dropped, and reading stops soon after. Throws the errors of
   * reading and writing, and the API's own error envelope; then call `rollback` or stop.
   */
  async write(response: RowStream, most: number): Promise<PageOfRows> {
    const transcoder = this.#transcoder;
    transcoder.limitRows(most);
    let rowsSeen = 0;
    try {
      let isFirst = true;
      for await (const chunk of response.body) {
        if (isFirst) rejectOthers(chunk, response);
        isFirst = false;
        transcoder.write(chunk);
        await this.#queue.startWriting();
        const { rows, bytes } = transcoder.position;
        this.#onRows(rows, bytes, this.#received + (response.transfer?.wireBytes ?? 0));
        if (transcoder.rowsOfPage > rowsSeen) response.onRow?.();
        rowsSeen = transcoder.rowsOfPage;
        if (transcoder.isPageComplete) response.onComplete?.();
        if (transcoder.surplus > SURPLUS_READ) break;
      }
      const end = transcoder.surplus > SURPLUS_READ ? transcoder.cutPage() : transcoder.endPage();
      this.#assertNoError(end, response);
      await this.#queue.flush();
      this.#written = { position: end.position, sinkBytes: await this.#sink.endPage() };
      return end;
    } catch (error) {
      if (error instanceof MalformedResponseError) throw withPlace(error, response);
      throw error;
    } finally {
      this.#received += response.transfer?.wireBytes ?? 0;
    }
  }

  /** Rolls back what was written of an incomplete page. */
  async rollback(): Promise<void> {
    const whole = this.#written.position;
    if (this.#sink.canTruncate) {
      await this.#queue.flush();
      await this.#sink.rollback(this.#written.sinkBytes);
      this.#transcoder = this.#newTranscoder(whole, 0);
      return;
    }
    this.#transcoder.flush();
    await this.#queue.flush();
    const out = this.#transcoder.position;
    this.#transcoder = this.#newTranscoder(out, out.rows - whole.rows);
  }

  /** Ends the document. */
  async end(): Promise<void> {
    this.#transcoder.end();
    await this.#queue.flush();
    this.#written = { position: this.#transcoder.position, sinkBytes: await this.#sink.endPage() };
  }

  /** A response with status 200 may contain the API's own error, even with an empty list of rows. */
  #assertNoError(end: PageEnd, { request }: RowStream): asserts end is PageOfRows {
    const { readError } = this.#source;
    const fault = end.found
      ? faultBesideRows(end.metadata, request, readError)
      : responseErrorWithoutRows(end.body, request, readError);
    if (fault !== undefined) throw fault;
  }

  #newTranscoder(resume: Position, skipRows: number): RowTranscoder {
    const { rowsName, columns } = this.#source;
    return new RowTranscoder({
      ...this.#encoding,
      columns,
      ...(rowsName !== undefined && { rowsName }),
      sink: this.#queue.add,
      receiver: receivesRows(this.#sink) ? this.#sink : undefined,
      resume,
      skipRows,
    });
  }
}

/** Whether requesting the same page again may succeed. */
export function isRefetchable(error: unknown): boolean {
  if (error instanceof InvalidResponseError)
    return error.cause instanceof MalformedResponseError || error.code === BROKEN_ENCODING;
  return error instanceof NetworkError;
}

/** Maximum surplus rows to read in order to reach a total after them. */
const SURPLUS_READ = 1_000;

/** The start of an HTML page, which contains its title. */
const PAGE_HEAD_BYTES = 8192;

/** Throws InvalidResponseError for the first chunk of a response that is compressed or a web page, although its content type is JSON. */
export function rejectOthers(chunk: Uint8Array, { headers, request }: RowStream): void {
  if (looksCompressed(chunk))
    throw new InvalidResponseError(HEADER_MISSING, { request, code: BROKEN_ENCODING });
  const text = new TextDecoder().decode(chunk.subarray(0, PAGE_HEAD_BYTES));
  if (!isWebPage(text, headers['content-type'])) return;
  const title = pageTitle(text);
  const shown = title === undefined ? '' : `: ${title}`;
  throw new InvalidResponseError(`the response is a web page instead of rows${shown}`, {
    request: { ...request, isWebPage: true },
    code: 'html_response',
  });
}

function withPlace(error: MalformedResponseError, { request }: RowStream): InvalidResponseError {
  const near = error.near.trim();
  return new InvalidResponseError(`${error.message}${near === '' ? '' : `: ${near}`}`, {
    request,
    code: error.code,
    cause: error,
  });
}

/** The error for a response with status 200 but no rows: the API's own error if it has one. */
function responseErrorWithoutRows(body: string, request: RequestInfo, readError: ErrorReader): GatectlError {
  const verdict = classifyJson(body, request, readError);
  if (verdict.kind !== 'success') return verdict.error;
  return new InvalidResponseError(`no rows in the response${saidIn(verdict.body)}`, {
    request,
    code: 'unexpected_shape',
  });
}

/** The API's own error in a response with rows; undefined if there is none. `members` are its other members as JSON text. */
function faultBesideRows(
  members: ReadonlyMap<string, string>,
  request: RequestInfo,
  readError: ErrorReader,
): GatectlError | undefined {
  if (members.size === 0) return undefined;
  const body = [...members].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join();
  const verdict = classifyJson(`{${body}}`, request, readError);
  return verdict.kind !== 'success' ? verdict.error : undefined;
}

function classifyJson(text: string, request: RequestInfo, readError: ErrorReader): Verdict {
  const response = { status: 200, headers: { 'content-type': 'application/json' }, text };
  return classify(response, request, readError, shown => shown);
}
