import { Readable, Writable } from 'node:stream';
import type { Context, InnerRun } from '../commands/framework/context.ts';
import type { Io } from '../terminal/io.ts';

/** A command inside another one may print at most this much. */
const MAX_TEXT = 64_000_000;

class Collected extends Writable {
  readonly #chunks: Buffer[] = [];
  #length = 0;

  get text(): string {
    return Buffer.concat(this.#chunks).toString();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#length += chunk.length;
    if (this.#length <= MAX_TEXT) this.#chunks.push(chunk);
    done(this.#length <= MAX_TEXT ? null : new Error('the output is too large'));
  }
}

/** Runs a command line inside the process of another one: no terminal, `input` as stdin, and a signal in place of the process's. */
export async function runInside(
  argv: readonly string[],
  { env, input, signal }: Parameters<Context['runCommand']>[1],
  run: (argv: readonly string[], io: Io) => Promise<number>,
  io: Io,
): Promise<InnerRun> {
  const [stdout, stderr] = [new Collected(), new Collected()];
  const ended = new AbortController();
  const code = await run(argv, {
    ...io,
    env: { ...io.env, ...env },
    stdin: Readable.from(input === undefined ? [] : [Buffer.from(input)]),
    stdout,
    stderr,
    mayBeTerminal: false,
    writeSync: chunk => Buffer.from(chunk),
    openPager: async () => undefined,
    onSignal(listener) {
      const abort = (): void => listener('SIGTERM');
      if (signal.aborted) queueMicrotask(abort);
      signal.addEventListener('abort', abort, { once: true, signal: ended.signal });
      return () => signal.removeEventListener('abort', abort);
    },
    onUncaughtException: () => () => {},
  }).finally(() => ended.abort());
  return { code, stdout: stdout.text, stderr: stderr.text };
}
