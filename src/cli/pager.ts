import { withoutSecrets } from '../config/platform.ts';
import { BrokenPipeError } from '../errors/index.ts';
import { columnsOf, DEFAULT_COLUMNS, type Io, type OpenPager } from '../terminal/io.ts';
import type { DataWriter } from '../terminal/writer.ts';
import { splitShellWords } from '../text/shell-words.ts';

const DEFAULT = 'less';
/** Quit if it fits one screen, show colors, leave the text on the screen. */
const LESS_OPTIONS = 'FRX';

/** The words of the pager's command; undefined where output is not paged. GATECTL_PAGER comes before PAGER, then less. */
export function pagerWords(
  { env, platform }: Pick<Io, 'env' | 'platform'>,
  isOff: boolean,
): readonly [string, ...string[]] | undefined {
  if (isOff || env.TERM === 'dumb' || (env.TERM === undefined && platform !== 'win32')) return undefined;
  const command = env.GATECTL_PAGER ?? env.PAGER ?? DEFAULT;
  const { words, unclosed } = splitShellWords(command, platform);
  const [program, ...args] = words;
  return unclosed !== undefined || program === undefined || program === 'cat'
    ? undefined
    : [program, ...args];
}

interface PagerParts {
  readonly io: Io;
  readonly out: DataWriter;
  /** `pagerWords`. */
  readonly words: readonly [string, ...string[]];
  /** Delays output to stderr while the pager uses the screen; returns a function that prints it. */
  readonly holdLog: () => () => void;
  /** Ignores Ctrl-C, which the pager handles; returns a function that ends this. */
  readonly ignoreInterrupts: () => () => void;
  readonly warn: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Prints complete text, in the pager if it exceeds the screen. A pager that quits early is not an error. */
export async function pageText(text: string, parts: PagerParts): Promise<void> {
  const pages = new PagedOutput(parts, 'complete');
  try {
    await pages.write(text);
  } catch (error) {
    if (!(error instanceof BrokenPipeError) || !pages.isOpen) throw error;
  } finally {
    await pages.end();
  }
  parts.signal.throwIfAborted();
}

/** Prints text as it arrives. Ctrl-C stops it, and the pager stays open. Throws BrokenPipeError when the pager quits. */
export async function pageStream<T>(
  produce: (write: (text: string) => Promise<void>) => Promise<T>,
  parts: PagerParts,
): Promise<T> {
  const pages = new PagedOutput(parts, 'arriving');
  try {
    const produced = produce(text => pages.write(text));
    // Abandoned when the pager quits; it may fail later.
    produced.catch(() => {});
    return await Promise.race([produced, pages.quit]);
  } finally {
    await pages.end();
  }
}

/** Buffers text until it exceeds the screen, then opens a pager. Text that fits is written to stdout at the end. */
class PagedOutput {
  readonly #parts: PagerParts;
  readonly #isComplete: boolean;
  #buffered = '';
  #pager: OpenPager | undefined;
  #isMissing = false;
  #release: (() => void) | undefined;
  #listenAgain: (() => void) | undefined;
  #onQuit: (() => void) | undefined;
  /** Rejects with BrokenPipeError when the pager ends. */
  readonly quit: Promise<never>;

  constructor(parts: PagerParts, text: 'complete' | 'arriving') {
    this.#parts = parts;
    this.#isComplete = text === 'complete';
    this.quit = new Promise((_, reject) => {
      this.#onQuit = () => reject(new BrokenPipeError());
    });
    this.quit.catch(() => {});
  }

  get isOpen(): boolean {
    return this.#pager !== undefined;
  }

  async write(text: string): Promise<void> {
    const { out } = this.#parts;
    if (this.#pager !== undefined) return await this.#pager.write(text);
    if (this.#isMissing) return await out.write(text);
    this.#buffered += text;
    if (await exceedsScreen(this.#buffered, this.#parts.io.stdout)) await this.#open();
  }

  /** Resolves when the pager was closed. */
  async end(): Promise<void> {
    const buffered = this.#buffered;
    this.#buffered = '';
    if (buffered !== '') await this.#parts.out.write(buffered);
    if (this.#pager === undefined) return;
    this.#listenAgain ??= this.#parts.ignoreInterrupts();
    await this.#pager.close();
    this.#listenAgain();
    this.#release?.();
  }

  async #open(): Promise<void> {
    const { io, words, out, holdLog, warn } = this.#parts;
    const buffered = this.#buffered;
    this.#buffered = '';
    const release = holdLog();
    const pager = await io.openPager(words, { LESS: LESS_OPTIONS, LV: '-c', ...withoutSecrets(io.env) });
    if (pager === undefined) {
      this.#isMissing = true;
      release();
      if (words[0] !== DEFAULT) warn(`cannot run the pager ${words[0]}; the output is not paged`);
      return await out.write(buffered);
    }
    this.#pager = pager;
    this.#release = release;
    if (this.#isComplete) this.#listenAgain = this.#parts.ignoreInterrupts();
    pager.ended.then(() => this.#onQuit?.());
    await pager.write(buffered);
  }
}

/** Whether a text has more lines than fit above the prompt; false for a terminal of unknown height. */
async function exceedsScreen(text: string, stdout: Io['stdout']): Promise<boolean> {
  const { rows } = stdout;
  const columns = columnsOf(stdout) ?? DEFAULT_COLUMNS;
  if (!rows) return false;
  const { displayWidth } = await import('../terminal/width.ts');
  let lines = 0;
  let start = 0;
  while (start < text.length && lines < rows) {
    const end = text.indexOf('\n', start);
    const line = text.slice(start, end === -1 ? text.length : end);
    lines += Math.max(1, Math.ceil(displayWidth(line) / columns));
    start = end === -1 ? text.length : end + 1;
  }
  return lines >= rows;
}
