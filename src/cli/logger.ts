import type { Globals, Log } from '../commands/framework/context.ts';
import type { Exchange } from '../http/attempt.ts';
import type { Clock } from '../http/clock.ts';
import { type Sentence, sentenceFor } from '../output/sentence.ts';
import { hasUnicode } from '../terminal/colour.ts';
import { fold, stderrWidth } from '../terminal/fold.ts';
import type { Io } from '../terminal/io.ts';
import { formatBytes } from '../terminal/numbers.ts';
import { type Progress, progressOn } from '../terminal/progress.ts';
import { printable } from '../text/printable.ts';

/** `1.2 kB`, or `340 B gzip, 1.2 kB decoded`. */
function bytesText({ encoding, wireBytes, bytes }: NonNullable<Exchange['transfer']>): string {
  if (encoding === undefined) return formatBytes(bytes);
  return `${formatBytes(wireBytes)} ${encoding}, ${formatBytes(bytes)} decoded`;
}

interface LoggerParts {
  readonly io: Io;
  readonly globals: Globals;
  readonly clock: Clock;
  readonly progress?: Log['progress'] | undefined;
}

/** Stderr of a command: notes, warnings and traces above a progress line, with secrets redacted. */
export class Logger implements Log {
  readonly #parts: LoggerParts;
  readonly #redact: (text: string) => string;
  #progress: Progress | undefined;
  #delayed: string[] | undefined;

  constructor(parts: LoggerParts, redact: (text: string) => string) {
    this.#parts = parts;
    this.#redact = redact;
  }

  note(text: Sentence, label = 'note'): void {
    this.info(`${label}: ${this.#text(text)}`);
  }

  info(text: Sentence): void {
    if (!this.#parts.globals.quiet) this.#print(this.#text(text));
  }

  warn(text: Sentence, details: readonly string[] = [], label = 'warning'): void {
    this.#print(`${label}: ${this.#text(text)}`);
    for (const detail of details) this.#print(`  ${detail}`);
  }

  /** Prints one attempt of a request, for `--verbose`. */
  trace({ request, attempt, elapsedMs, error, transfer }: Exchange): void {
    const outcome = request.status === undefined ? `failed: ${error?.message}` : String(request.status);
    const details = [
      `${elapsedMs} ms`,
      ...(transfer === undefined ? [] : [bytesText(transfer)]),
      ...(attempt === 1 ? [] : [`attempt ${attempt}`]),
    ];
    this.#print(`${request.method} ${request.origin}${request.path} -> ${outcome} (${details.join(', ')})`);
  }

  progress(total: number | undefined, unit: string): Progress {
    const { io, globals, clock } = this.#parts;
    this.endProgress();
    if (this.#parts.progress !== undefined) return this.#parts.progress(total, unit);
    this.#progress = progressOn(globals.quiet ? undefined : io.stderr, {
      total,
      unit,
      now: clock.now,
      unicode: hasUnicode(io.env, io.platform),
      bar: io.env.TERM !== 'dumb',
    });
    return this.#progress;
  }

  /** Ends the progress line and delays all output until the returned function is called. */
  hold(): () => void {
    this.endProgress();
    this.#delayed ??= [];
    return () => {
      const lines = this.#delayed ?? [];
      this.#delayed = undefined;
      for (const line of lines) this.#print(line);
    };
  }

  endProgress(): void {
    this.#progress?.finish();
  }

  #text(written: Sentence): string {
    const { globals, io } = this.#parts;
    return typeof written === 'string' ? written : sentenceFor(io.env, written, globals.locale);
  }

  #print(text: string): void {
    if (this.#delayed !== undefined) {
      this.#delayed.push(text);
      return;
    }
    this.#progress?.hide();
    const { io } = this.#parts;
    io.stderr.write(`${fold(printable(this.#redact(text)), stderrWidth(io))}\n`);
  }
}
