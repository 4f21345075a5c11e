import { Worker } from 'node:worker_threads';
import { openAtomic } from '../../files/atomic-file.ts';
import type { WritableFile } from '../../files/writable-file.ts';
import type { EarlyResult, EarlyRows } from './early-conversion.ts';

/** What the thread is told. */
export type Order =
  /** The rows before this position of their file are complete; with `end`, it has all rows. */
  | { readonly kind: 'reach' | 'end'; readonly end: number }
  /** A piece was written, and is free again. */
  | { readonly kind: 'written'; readonly piece: ArrayBuffer };

/** What the thread tells. */
export type Answer =
  | Piece
  /** The file begins again. */
  | { readonly kind: 'restart' }
  | { readonly kind: 'done'; readonly result: EarlyResult }
  | { readonly kind: 'failed' };

/** The next bytes of the file: the first `length` of a piece. `rows` counts the rows in the bytes so far. */
interface Piece {
  readonly kind: 'bytes';
  readonly piece: ArrayBuffer;
  readonly length: number;
  readonly rows: number;
}

/** In MB. Little of what a thread creates is used for long. */
const YOUNG_GENERATION = 2;

/** A complete file, which is to be committed. */
interface EarlyParquet extends EarlyResult {
  readonly file: WritableFile;
}

/** An EarlyConversion in a thread of its own, to a temporary file. Any failure ends it, and nothing else. */
export class ConversionInThread {
  readonly #path: string;
  readonly #worker: Worker | undefined;
  readonly #result: Promise<EarlyResult | undefined>;
  #settle: (result?: EarlyResult) => void = () => {};
  #stopped: Promise<void> | undefined;
  #file: WritableFile | undefined;
  #writing: Promise<void> = Promise.resolve();
  #rows = 0;
  #onRows: (rows: number) => void = () => {};

  /** `script` is the code of the thread, `path` what the temporary file is going to replace. */
  constructor(script: string, path: string, rows: EarlyRows) {
    this.#path = path;
    this.#result = new Promise(resolve => {
      this.#settle = resolve;
    });
    this.#worker = this.#started(script, rows);
  }

  /** The rows in the first bytes of their file are complete. */
  reach(bytes: number): void {
    this.#send({ kind: 'reach', end: bytes });
  }

  /** Converts the rest of the rows. Undefined after a failure. Throws the signal's reason. */
  async finish(
    bytes: number,
    { signal, onRows }: { readonly signal: AbortSignal; readonly onRows: (rows: number) => void },
  ): Promise<EarlyParquet | undefined> {
    const onAbort = () => this.#fail();
    signal.addEventListener('abort', onAbort);
    try {
      signal.throwIfAborted();
      this.#onRows = onRows;
      onRows(this.#rows);
      this.#send({ kind: 'end', end: bytes });
      const result = await this.#result;
      await this.#writing;
      signal.throwIfAborted();
      const file = this.#file;
      if (this.#stopped !== undefined || result === undefined || file === undefined) return undefined;
      this.#file = undefined;
      return { ...result, file };
    } finally {
      signal.removeEventListener('abort', onAbort);
      await this.stop();
    }
  }

  /** Ends the thread, and removes the file unless `finish` returned it. */
  async stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    await this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#settle();
    await this.#worker?.terminate();
    await this.#writing;
    await this.#file?.discard();
  }

  #started(script: string, rows: EarlyRows): Worker | undefined {
    try {
      const worker = new Worker(script, {
        eval: true,
        workerData: rows,
        env: {},
        execArgv: [],
        resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION },
      });
      worker.on('message', (answer: Answer) => this.#take(answer));
      worker.on('error', () => this.#fail());
      worker.on('exit', () => this.#fail());
      return worker;
    } catch {
      this.#fail();
      return undefined;
    }
  }

  #send(order: Order, transferred: ArrayBuffer[] = []): void {
    this.#worker?.postMessage(order, transferred);
  }

  #take(answer: Answer): void {
    switch (answer.kind) {
      case 'bytes':
        this.#queue(() => this.#write(answer));
        break;
      case 'restart':
        this.#queue(async () => await this.#file?.truncate(0));
        break;
      case 'done':
        this.#settle(answer.result);
        break;
      case 'failed':
        this.#fail();
    }
  }

  /** Takes the steps one after the other. */
  #queue(step: () => Promise<void>): void {
    this.#writing = this.#writing
      .then(async () => {
        if (this.#stopped === undefined) await step();
      })
      .catch(() => this.#fail());
  }

  async #write({ piece, length, rows }: Piece): Promise<void> {
    this.#file ??= await openAtomic(this.#path);
    await this.#file.write(new Uint8Array(piece, 0, length));
    this.#rows = rows;
    this.#onRows(rows);
    this.#send({ kind: 'written', piece }, [piece]);
  }

  /** Returns nothing to wait for, because the export has nothing to do with it. */
  #fail(): void {
    this.stop().catch(() => {});
  }
}
