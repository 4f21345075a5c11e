import type { Globals } from '../commands/framework/context.ts';
import type { Clock } from '../http/clock.ts';
import type { Exchange } from '../http/gateway.ts';
import { hasUnicode } from '../terminal/colour.ts';
import { fold, stderrWidth } from '../terminal/fold.ts';
import type { Io } from '../terminal/io.ts';
import { printable } from '../terminal/printable.ts';
import { type Progress, progressOn } from '../terminal/progress.ts';

/** All that goes to stderr while a command runs: a line each, secrets replaced, around a line that shows progress. */
export class Logger {
  readonly #parts: { readonly io: Io; readonly globals: Globals; readonly clock: Clock };
  readonly #redact: (text: string) => string;
  #progress: Progress | undefined;

  constructor(
    parts: { readonly io: Io; readonly globals: Globals; readonly clock: Clock },
    redact: (text: string) => string,
  ) {
    this.#parts = parts;
    this.#redact = redact;
  }

  note(text: string): void {
    this.remark(`note: ${text}`);
  }

  remark(text: string): void {
    if (!this.#parts.globals.quiet) this.#say(text);
  }

  /** Not silenced by `--quiet`. Details get a line each. */
  warn(text: string, details: readonly string[] = []): void {
    this.#say(`warning: ${text}`);
    for (const detail of details) this.#say(`  ${detail}`);
  }

  /** One attempt at a request, for `--verbose`. */
  trace({ request, attempt, elapsedMs, problem }: Exchange): void {
    const outcome = request.status === undefined ? `failed: ${problem}` : String(request.status);
    const again = attempt === 1 ? '' : `, attempt ${attempt}`;
    this.#say(`${request.method} ${request.origin}${request.path} -> ${outcome} (${elapsedMs} ms${again})`);
  }

  /** Shows how far a long job is, in the place of one before it. */
  progress(total: number | undefined, unit: string): Progress {
    const { io, globals, clock } = this.#parts;
    this.endProgress();
    this.#progress = progressOn(globals.quiet ? undefined : io.stderr, {
      total,
      unit,
      now: clock.now,
      unicode: hasUnicode(io.env, io.platform),
      bar: io.env.TERM !== 'dumb',
    });
    return this.#progress;
  }

  endProgress(): void {
    this.#progress?.finish();
  }

  #say(text: string): void {
    this.#progress?.hide();
    const { io } = this.#parts;
    io.stderr.write(`${fold(printable(this.#redact(text)), stderrWidth(io))}\n`);
  }
}
