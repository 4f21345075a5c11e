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

/** What a line break does: it ends the line, or is one in a pasted text, or belongs to the one before. */
type Break = 'end' | 'inside' | 'none';

/** A key, and what it does if it is a line break. */
interface Press {
  readonly typed: string | undefined;
  readonly key: Key;
  readonly break: Break | undefined;
}

/**
 * Reads one line after the other on a terminal, drawn on stderr. A pasted text may have several lines. Earlier lines are recalled with the
 * arrow keys; they are in memory only. From the first question to `close`, the terminal shows no key by itself: those that are typed
 * between two questions are kept for the next.
 */
export class LineEditor {
  readonly #io: Pick<Io, 'stdin' | 'stderr'>;
  readonly #signal: AbortSignal;
  readonly #history: string[] = [];
  readonly #kept: Press[] = [];
  /** Takes the keys while a question is open. */
  #reading: ((press: Press) => void) | undefined;
  #isOpen = false;
  #hasEnded = false;
  #endReading: (() => void) | undefined;
  #interrupt: (() => void) | undefined;
  /** Those of the line breaks that arrived together and are not pressed yet. */
  #breaks: Break[] = [];
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
    const { stderr } = this.#io;
    this.#open();
    this.#replace('');
    this.#recalled = this.#history.length;
    this.#draw(prompt, isHidden);
    try {
      return await new Promise<string | undefined>((resolve, reject) => {
        let isFirst = true;
        const end = (settle: () => void) => {
          this.#reading = undefined;
          this.#endReading = undefined;
          this.#signal.removeEventListener('abort', onAbort);
          settle();
        };
        const onAbort = () => end(() => reject(this.#signal.reason));
        const onPress = ({ typed, key, break: broken }: Press) => {
          // The system turns a Ctrl-D that was typed before the prompt into NUL.
          const isEnd = (key.ctrl && key.name === 'd') || (isFirst && key.sequence === '\0');
          isFirst = false;
          if (isInterrupt(key)) return end(() => reject(new InterruptedError('SIGINT')));
          if (isEnd && this.#text.length === 0) return end(() => resolve(undefined));
          if (broken === 'none') return;
          if (broken === 'end' && !this.#isPasting) return end(() => resolve(this.#text.join('')));
          this.#press(broken === undefined ? typed : '\n', broken === undefined ? key : {});
          this.#draw(prompt, isHidden);
        };
        this.#signal.addEventListener('abort', onAbort, { once: true });
        this.#reading = onPress;
        this.#endReading = () => end(() => resolve(undefined));
        while (this.#reading !== undefined) {
          const next = this.#kept.shift();
          if (next === undefined) break;
          onPress(next);
        }
        if (this.#hasEnded) this.#endReading?.();
      });
    } finally {
      stderr.write('\n');
      const text = this.#text.join('');
      if (text.trim() !== '' && this.#history.at(-1) !== text) this.#history.push(text);
    }
  }

  /** Waits for work between two questions. Throws InterruptedError after Ctrl-C, which is a key like others here. */
  async during<Result>(work: Promise<Result>): Promise<Result> {
    const interrupted = new Promise<never>((_, reject) => {
      this.#interrupt = () => reject(new InterruptedError('SIGINT'));
    });
    try {
      return await Promise.race([work, interrupted]);
    } finally {
      this.#interrupt = undefined;
      // The one that was not awaited may fail later.
      for (const each of [work, interrupted]) each.catch(() => undefined);
    }
  }

  /** Leaves the terminal as it was. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { stdin, stderr } = this.#io;
    stdin.removeListener('data', this.#onData);
    stdin.removeListener('keypress', this.#onKey);
    stdin.removeListener('end', this.#onEnd);
    stdin.pause();
    this.#raw(false);
    stderr.write(DO_NOT_MARK);
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    const { stdin, stderr } = this.#io;
    this.#raw(true);
    stderr.write(MARK_PASTES);
    stdin.on('keypress', this.#onKey);
    // Before the keys that it has.
    stdin.prependListener('data', this.#onData);
    stdin.once('end', this.#onEnd);
    stdin.resume();
  }

  #raw(isRaw: boolean): void {
    (this.#io.stdin as Partial<NodeJS.ReadStream>).setRawMode?.(isRaw);
  }

  readonly #onData = (chunk: string | Uint8Array): void => {
    this.#breaks = breaksIn(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('latin1'));
  };

  readonly #onEnd = (): void => {
    this.#hasEnded = true;
    this.#endReading?.();
  };

  readonly #onKey = (typed: string | undefined, key: Key = {}): void => {
    const isBreak = key.name === 'return' || key.name === 'enter';
    const press = { typed, key, break: isBreak ? (this.#breaks.shift() ?? 'end') : undefined };
    if (this.#reading !== undefined) this.#reading(press);
    else if (isInterrupt(key)) this.#interrupt?.();
    else this.#kept.push(press);
  };

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

function isInterrupt({ ctrl, name }: Key): boolean {
  return ctrl === true && name === 'c';
}

/** What the line breaks of a text do that arrived at once: one with text behind it was pasted, as nobody types that fast. */
function breaksIn(text: string): Break[] {
  const isPasted = /[\r\n]+[^\r\n]/.test(text);
  const end = text.search(/[\r\n]+$/);
  return [...text.matchAll(/[\r\n]/g)].map(({ 0: character, index }) => {
    if (character === '\n' && text[index - 1] === '\r') return 'none';
    if (end < 0 || index < end) return 'inside';
    return index === end || !isPasted ? 'end' : 'none';
  });
}
