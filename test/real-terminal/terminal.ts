import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const BIN = fileURLToPath(new URL('../../bin/gatectl.js', import.meta.url));
const PATIENCE_MS = 20_000;

export interface TerminalOptions {
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** A terminal of its own with a shell in it, in an empty home; what is on its screen can be read. */
export class Terminal {
  readonly home: string;
  readonly #socket: string;

  private constructor({ columns = 80, env = {} }: TerminalOptions = {}) {
    this.home = mkdtempSync(join(tmpdir(), 'gatectl-terminal-'));
    this.#socket = join(this.home, 'tmux');
    const config = join(this.home, 'tmux.conf');
    writeFileSync(
      config,
      'set -g default-terminal "xterm-256color"\nset -g history-limit 10000\nset -g status off\nset -g set-clipboard on\n',
    );
    const variables = {
      ...{
        PATH: process.env.PATH ?? '',
        HOME: this.home,
        TERM: 'xterm-256color',
        LANG: 'C.UTF-8',
        TZ: 'UTC',
        PS1: '$ ',
      },
      ...env,
    };
    const given = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
    const shell = ['env', '-i', ...given, 'sh'];
    this.#tmux([
      '-f',
      config,
      'new-session',
      '-d',
      '-x',
      String(columns),
      '-y',
      '30',
      '-c',
      this.home,
      ...shell,
    ]);
    onTestFinished(() => {
      this.#tmux(['kill-server']);
      rmSync(this.home, { recursive: true, force: true });
    });
  }

  /** A terminal whose shell waits for a command. */
  static async open(options: TerminalOptions = {}): Promise<Terminal> {
    const terminal = new Terminal(options);
    await terminal.until(/^\$/m);
    return terminal;
  }

  /** Types a gatectl command, as a person would, on an empty screen; its exit code is shown after it. `settings` stand before it. */
  async gatectl(args: string, settings = ''): Promise<void> {
    await this.command(`${settings}${process.execPath} ${BIN} ${args}`);
  }

  /** The same for any command of the shell. */
  async command(text: string): Promise<void> {
    this.type('TERM=xterm clear');
    this.press('Enter');
    await this.until(/^\$$/);
    this.type(`TERM=xterm clear; ${text}; echo "[exit $?]"`);
    this.press('Enter');
  }

  type(text: string): void {
    this.#tmux(['send-keys', '-l', '--', text]);
  }

  /** Keys by tmux's names: `Enter`, `C-c`. */
  press(...keys: readonly string[]): void {
    this.#tmux(['send-keys', ...keys]);
  }

  /** Pastes as a terminal does: marked, if the program asked for it. */
  paste(text: string): void {
    this.#tmux(['set-buffer', '-b', 'pasted', '--', text]);
    this.#tmux(['paste-buffer', '-p', '-b', 'pasted']);
  }

  /** What programs copied to the clipboard. */
  clipboard(): string {
    return this.#tmux(['show-buffer']);
  }

  resize(columns: number): void {
    this.#tmux(['resize-window', '-x', String(columns), '-y', '30']);
  }

  /** The lines on the screen; with `colours` their escape sequences too, with `all` those that have scrolled away. */
  screen({ colours = false, all = false } = {}): string {
    const flags = [...(colours ? ['-e'] : []), ...(all ? ['-S', '-'] : [])];
    return this.#tmux(['capture-pane', '-p', ...flags]).trimEnd();
  }

  /** Waits until the screen shows something, and is not `before`; returns it. Throws with the screen when it does not in time. */
  async until(pattern: RegExp, before?: string): Promise<string> {
    for (let waited = 0; waited < PATIENCE_MS; waited += 20) {
      const screen = this.screen();
      if (pattern.test(screen) && screen !== before) return screen;
      await pause(20);
    }
    throw new Error(`${pattern} does not come up:\n${this.screen()}`);
  }

  /** Waits for the end of a command; returns its exit code and what stands on the screen. */
  async ended(): Promise<{ exit: number; screen: string }> {
    const screen = await this.until(/^\[exit \d+\]$/m);
    return { exit: Number(/^\[exit (\d+)\]$/m.exec(screen)?.[1]), screen };
  }

  #tmux(args: readonly string[]): string {
    return execFileSync('tmux', ['-u', '-S', this.#socket, ...args], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    });
  }
}
