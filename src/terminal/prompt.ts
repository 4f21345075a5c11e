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

const CHOICES_SHOWN = 12;

/** Prompts on the terminal of this process. The library is loaded by the first prompt. Ctrl-C throws InterruptedError. */
export function terminalPrompt(io: Pick<Io, 'stdin' | 'stderr'>, signal: AbortSignal): Prompt {
  const context = { input: io.stdin, output: io.stderr, signal };
  const run = async <T>(prompt: (library: typeof import('./questions.ts')) => Promise<T>): Promise<T> => {
    const library = await import('./questions.ts');
    try {
      return await prompt(library);
    } catch (error) {
      if (error instanceof Error && /^(ExitPrompt|AbortPrompt|CancelPrompt)Error$/.test(error.name)) {
        throw signal.aborted ? signal.reason : new InterruptedError('SIGINT');
      }
      throw error;
    }
  };
  return {
    confirm: message => run(({ confirm }) => confirm({ message, default: false }, context)),
    input: (message, { fallback, check } = {}) =>
      run(({ input }) =>
        input(
          {
            message,
            ...(fallback !== undefined && { default: fallback }),
            ...(check && { validate: check }),
          },
          context,
        ),
      ),
    secret: message => run(({ password }) => password({ message, mask: '*' }, context)),
    choose: (message, choices) =>
      run(({ select }) =>
        select({ message, choices: choices.map(({ value, label }) => ({ value, name: label })) }, context),
      ),
    chooseSeveral: (message, choices, { atLeastOne }) =>
      run(({ checkbox }) =>
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
