import { InterruptedError } from '../errors/index.ts';
import type { Io } from './io.ts';

/** Questions to a person at a terminal, drawn on stderr. Ask only where `isInteractive` says so. */
export interface Prompt {
  /** Default no. */
  confirm(question: string): Promise<boolean>;
  /** `check` returns true or what is wrong. */
  input(
    question: string,
    options?: { fallback?: string; check?: (text: string) => true | string },
  ): Promise<string>;
  /** What is typed does not show. */
  secret(question: string): Promise<string>;
  choose<Value extends string>(
    question: string,
    choices: readonly { value: Value; label: string }[],
  ): Promise<Value>;
}

/** Prompts on this process's terminal; the library is loaded by the first question. Ctrl-C is an InterruptedError. */
export function terminalPrompt(io: Pick<Io, 'stdin' | 'stderr'>, signal: AbortSignal): Prompt {
  const context = { input: io.stdin, output: io.stderr, signal };
  const asked = async <T>(ask: (library: typeof import('./questions.ts')) => Promise<T>): Promise<T> => {
    const library = await import('./questions.ts');
    try {
      return await ask(library);
    } catch (error) {
      if (error instanceof Error && /^(ExitPrompt|AbortPrompt|CancelPrompt)Error$/.test(error.name)) {
        throw signal.aborted ? signal.reason : new InterruptedError('SIGINT');
      }
      throw error;
    }
  };
  return {
    confirm: message => asked(({ confirm }) => confirm({ message, default: false }, context)),
    input: (message, { fallback, check } = {}) =>
      asked(({ input }) =>
        input(
          {
            message,
            ...(fallback !== undefined && { default: fallback }),
            ...(check && { validate: check }),
          },
          context,
        ),
      ),
    secret: message => asked(({ password }) => password({ message, mask: '*' }, context)),
    choose: (message, choices) =>
      asked(({ select }) =>
        select({ message, choices: choices.map(({ value, label }) => ({ value, name: label })) }, context),
      ),
  };
}
