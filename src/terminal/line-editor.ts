import { emitKeypressEvents } from 'node:readline';
import { InterruptedError } from '../errors/index.ts';
import { printable } from '../text/printable.ts';
import { columnsOf, DEFAULT_COLUMNS, type Io } from './io.ts';
import { displayWidth } from './width.ts';

/** A key as Node's readline reports it. */
interface Key {
  readonly ctrl?: boolean;
  readonly meta?: boolean;
  readonly name?: string;
  readonly sequence?: string;
}

/** The terminal marks what is pasted, so that line breaks in it end nothing. */
const MARK_PASTES = '\u001b[?2004h';
const DO_NOT_MARK = '\u001b[?2004l';

/**
 * Reads one line after the other on a terminal, drawn on stderr. A pasted text may have several lines. Earlier lines are recalled with the
 * arrow keys; they are in memory only.
 */
export class LineEditor {
  readonly #io: Pick<Io, 'stdin' | 'stderr'>;
  readonly #signal: AbortSignal;
  readonly #history: string[] = [];
  #text: string[] = [];
  #cursor = 0;
  #recalled = 0;
  #isPasting = false;

  constructor(io: Pick<Io, 'stdin' | 'stderr'>, signal: AbortSignal) {
    this.#io = io;
    this.#signal = signal;
    emitKeypressEvents(io.stdin);
  }

  /** Undefined after Ctrl-D in an empty line. `isHidden` shows dots. Throws InterruptedError after Ctrl-C, and the reason of the signal. */
  async read(prompt: string, isHidden: boolean): Promise<string | undefined> {
    const { stdin, stderr } = this.#io;
    this.#replace('');
    this.#recalled = this.#history.length;
    const raw = (isRaw: boolean) => (stdin as Partial<NodeJS.ReadStream>).setRawMode?.(isRaw);
    raw(true);
    stderr.write(MARK_PASTES);
    this.#draw(prompt, isHidden);
    try {
      return await new Promise<string | undefined>((resolve, reject) => {
        let isFirst = true;
        const end = (settle: () => void) => {
          stdin.removeListener('keypress', onKey);
          stdin.removeListener('end', onEnd);
          this.#signal.removeEventListener('abort', onAbort);
          settle();
        };
        const onEnd = () => end(() => resolve(undefined));
        const onAbort = () => end(() => reject(this.#signal.reason));
        const onKey = (typed: string | undefined, key: Key = {}) => {
          // The system turns a Ctrl-D that was typed before the prompt into NUL.
          const isEnd = (key.ctrl && key.name === 'd') || (isFirst && key.sequence === '\0');
          isFirst = false;
          if (key.ctrl && key.name === 'c') return end(() => reject(new InterruptedError('SIGINT')));
          if (isEnd && this.#text.length === 0) return end(() => resolve(undefined));
          const isEnter = key.name === 'return' || key.name === 'enter';
          if (isEnter && !this.#isPasting) return end(() => resolve(this.#text.join('')));
          this.#press(isEnter ? '\n' : typed, isEnter ? {} : key);
          this.#draw(prompt, isHidden);
        };
        stdin.on('keypress', onKey);
        stdin.once('end', onEnd);
        this.#signal.addEventListener('abort', onAbort, { once: true });
        stdin.resume();
      });
    } finally {
      stdin.pause();
      raw(false);
      stderr.write(`${DO_NOT_MARK}\n`);
      const text = this.#text.join('');
      if (text.trim() !== '' && this.#history.at(-1) !== text) this.#history.push(text);
    }
  }

  #press(typed: string | undefined, { ctrl = false, meta = false, name = '' }: Key): void {
    const [text, at] = [this.#text, this.#cursor];
    switch (ctrl ? `ctrl-${name}` : name) {
      case 'paste-start':
      case 'paste-end':
        this.#isPasting = name === 'paste-start';
        return;
      case 'backspace':
        if (at > 0) this.#edit(at - 1, 1);
        return;
      case 'delete':
      case 'ctrl-d':
        this.#edit(at, 1);
        return;
      case 'ctrl-u':
        this.#edit(0, at);
        return;
      case 'ctrl-k':
        this.#edit(at, text.length - at);
        return;
      case 'ctrl-w': {
        const kept = text
          .slice(0, at)
          .join('')
          .replace(/\S+\s*$/, '');
        this.#edit([...kept].length, at - [...kept].length);
        return;
      }
      case 'left':
        this.#cursor = Math.max(0, at - 1);
        return;
      case 'right':
        this.#cursor = Math.min(text.length, at + 1);
        return;
      case 'home':
      case 'ctrl-a':
        this.#cursor = 0;
        return;
      case 'end':
      case 'ctrl-e':
        this.#cursor = text.length;
        return;
      case 'up':
      case 'down':
        this.#recall(name === 'up' ? -1 : 1);
        return;
      default:
        if (typed === undefined || ctrl || meta) return;
        this.#edit(
          at,
          0,
          [...typed].filter(char => char === '\n' || char === '\t' || !/\p{Cc}/u.test(char)),
        );
    }
  }

  #edit(from: number, count: number, added: readonly string[] = []): void {
    this.#text.splice(from, count, ...added);
    this.#cursor = from + added.length;
  }

  #recall(step: number): void {
    this.#recalled = Math.min(Math.max(this.#recalled + step, 0), this.#history.length);
    this.#replace(this.#history[this.#recalled] ?? '');
  }

  #replace(text: string): void {
    this.#text = [...text];
    this.#cursor = this.#text.length;
  }

  /** Draws the part of the line around the cursor that fits into one row. */
  #draw(prompt: string, isHidden: boolean): void {
    const width = Math.max(10, (columnsOf(this.#io.stderr) ?? DEFAULT_COLUMNS) - displayWidth(prompt) - 1);
    const shown = this.#text.map(char => (isHidden ? '*' : char === '\n' ? ' ' : printable(char)));
    let from = this.#cursor;
    for (let used = 0; from > 0; from -= 1) {
      used += displayWidth(shown[from - 1] ?? '');
      if (used > width) break;
    }
    const before = shown.slice(from, this.#cursor).join('');
    let after = '';
    for (const char of shown.slice(this.#cursor)) {
      if (displayWidth(before) + displayWidth(after) + displayWidth(char) > width) break;
      after += char;
    }
    const back = displayWidth(after);
    this.#io.stderr.write(`\r\u001b[K${prompt}${before}${after}${back > 0 ? `\u001b[${back}D` : ''}`);
  }
}
