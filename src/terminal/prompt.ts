import { InterruptedError } from '../errors/index.ts';
import type { Io } from './io.ts';

/** Prompts on a terminal, drawn on stderr. Use only if `isInteractive`. */
export interface Prompt {
  /** Default no. */
  confirm(question: string): Promise<boolean>;
  /** `check` returns true or a message. */
  input(
    question: string,
    options?: { fallback?: string; check?: (text: string) => true | string },
  ): Promise<string>;
  /** The input is not displayed. */
  secret(question: string): Promise<string>;
  choose<Value extends string>(
    question: string,
    choices: readonly { value: Value; label: string }[],
  ): Promise<Value>;
  /** Any number of them; `about` is shown for the one that the cursor is on. */
  chooseSeveral(
    question: string,
    choices: readonly { value: string; about?: string }[],
    options: { atLeastOne: boolean },
  ): Promise<readonly string[]>;
}

/** Where a prompt reads and draws, and what ends it. */
interface PromptContext {
  readonly input: Io['stdin'];
  readonly output: Io['stderr'];
  readonly signal: AbortSignal;
}

/** A key as Node's readline reports it. */
interface Key {
  readonly ctrl?: boolean;
  readonly name?: string;
  readonly sequence?: string;
}

const CHOICES_SHOWN = 12;

/** Prompts on the terminal of this process. The library is loaded by the first prompt. Ctrl-C and Ctrl-D throw InterruptedError. */
export function terminalPrompt(io: Pick<Io, 'stdin' | 'stderr'>, signal: AbortSignal): Prompt {
  const run = async <T>(
    prompt: (library: typeof import('./questions.ts'), context: PromptContext) => Promise<T>,
  ): Promise<T> => {
    const library = await import('./questions.ts');
    const ended = new AbortController();
    // Ctrl-D in an empty line ends the input, which the library does not report: its promise would stay open.
    let isFirst = true;
    const onKey = (_: unknown, key?: Key) => {
      // The system turns a Ctrl-D that was typed before the prompt into NUL.
      if (isFirst && key?.sequence === '\0') ended.abort();
      isFirst = false;
      if (key?.ctrl && key.name === 'd') setImmediate(() => io.stdin.isPaused() && ended.abort());
    };
    io.stdin.on('keypress', onKey);
    try {
      return await prompt(library, {
        input: io.stdin,
        output: io.stderr,
        signal: AbortSignal.any([signal, ended.signal]),
      });
    } catch (error) {
      if (error instanceof Error && /^(ExitPrompt|AbortPrompt|CancelPrompt)Error$/.test(error.name)) {
        throw signal.aborted ? signal.reason : new InterruptedError('SIGINT');
      }
      throw error;
    } finally {
      io.stdin.removeListener('keypress', onKey);
    }
  };
  return {
    confirm: message => run(({ confirm }, context) => confirm({ message, default: false }, context)),
    input: (message, { fallback, check } = {}) =>
      run(({ input }, context) =>
        input(
          {
            message,
            ...(fallback !== undefined && { default: fallback }),
            ...(check && { validate: check, theme: { validationFailureMode: 'clear' as const } }),
          },
          context,
        ),
      ),
    secret: message => run(({ password }, context) => password({ message, mask: '*' }, context)),
    choose: (message, choices) =>
      run(({ select }, context) =>
        select({ message, choices: choices.map(({ value, label }) => ({ value, name: label })) }, context),
      ),
    chooseSeveral: (message, choices, { atLeastOne }) =>
      run(({ checkbox }, context) =>
        checkbox(
          {
            message,
            choices: choices.map(({ value, about }) => ({ value, ...(about && { description: about }) })),
            required: atLeastOne,
            pageSize: CHOICES_SHOWN,
            loop: false,
          },
          context,
        ),
      ),
  };
}
