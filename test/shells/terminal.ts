import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';

const LIMIT_MS = 20_000;

/** What typing came to: the command line as it stands then, and what the terminal showed meanwhile. */
export interface Typed {
  readonly line: string;
  readonly screen: string;
}

/**
 * A shell in a terminal of its own, which `script` makes. `setup` has to bind Ctrl-T to printing `LINE<…>EOL` with the command line in
 * it and emptying it; the shell says `READY` after that.
 */
export class Terminal {
  readonly #child: ChildProcessWithoutNullStreams;
  #shown = '';

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    child.stdout.on('data', chunk => {
      this.#shown += chunk;
    });
  }

  static async start(
    command: string,
    setup: string,
    options: { readonly env: Record<string, string>; readonly cwd: string },
  ): Promise<Terminal> {
    const terminal = new Terminal(spawn('script', ['-qfc', command, '/dev/null'], options));
    // In two pieces, so that the echo of it is not taken for it.
    terminal.#child.stdin.write(`${setup}; echo REA''DY\n`);
    await terminal.#until(/READY\r?\n/);
    return terminal;
  }

  /** Types keys (`\t` completes) and reads the command line back. */
  async type(keys: string): Promise<Typed> {
    this.#child.stdin.write(`${keys}\x14`);
    const { before, found } = await this.#until(/LINE<(.*?)>EOL\r?\n/s);
    return { line: found, screen: before.replaceAll('\r', '') };
  }

  /** Types keys and Enter, and waits for what the command prints. Returns what the terminal showed before that. */
  async enter(keys: string, printed: RegExp): Promise<string> {
    this.#child.stdin.write(`${keys}\r`);
    return (await this.#until(printed)).before;
  }

  async close(): Promise<void> {
    // First out of an open quote.
    this.#child.stdin.end('\x03 exit\n');
    await new Promise(resolve => this.#child.once('close', resolve));
  }

  async #until(pattern: RegExp): Promise<{ before: string; found: string }> {
    const end = performance.now() + LIMIT_MS;
    for (;;) {
      const match = pattern.exec(this.#shown);
      if (match !== null) {
        const before = this.#shown.slice(0, match.index);
        this.#shown = this.#shown.slice(match.index + match[0].length);
        return { before, found: match[1] ?? '' };
      }
      if (performance.now() > end) throw new Error(`the shell shows no ${pattern}: ${this.#shown}`);
      await new Promise(resolve => setTimeout(resolve, 5));
    }
  }
}
