import type { CommandLineChange } from '../commands/framework/context.ts';
import { flagName, type Option } from '../commands/framework/define-command.ts';
import { conflict, invalidValue } from '../errors/usage.ts';
import { pasteError, pasteNote, withoutPasteDamage } from '../terminal/paste-damage.ts';

type Options = Readonly<Record<string, Option<unknown>>>;

interface Typed {
  readonly option: Option<unknown>;
  readonly value: string | undefined;
}

/**
 * The options of a command line in the order they were typed. Values are read after all words are parsed, so that an error about one
 * respects options that follow it, such as `-o json`.
 */
export class TypedOptions {
  readonly #typed: Typed[] = [];

  /** Notes about repaired values. */
  readonly notes: string[] = [];

  /** Records an option; `value` is undefined if it has none. */
  add(option: Option<unknown>, value: string | undefined): void {
    this.#typed.push({ option, value });
  }

  has(option: Option<unknown>): boolean {
    return this.#typed.some(typed => typed.option === option);
  }

  /** The first typed option that is not among these. */
  otherThan(options: readonly Option<unknown>[]): Option<unknown> | undefined {
    return this.#typed.find(({ option }) => !options.includes(option))?.option;
  }

  /** The typed options as words of a command line, except those in `without`. */
  words(without: CommandLineChange['without']): string[] {
    return wordsOf(this.#typed.filter(({ option }) => !without.some(omitted => omitted === option)));
  }

  /** The typed ones of these options as words of a command line. */
  wordsOf(options: readonly Option<unknown>[]): string[] {
    return wordsOf(this.#typed.filter(({ option }) => options.includes(option)));
  }

  /** The first value as typed. */
  text(option: Option<unknown>): string | undefined {
    return this.#typed.find(typed => typed.option === option)?.value;
  }

  /** The values of these options, by the keys of their declaration, read in the order they were typed. Throws UsageError. */
  read(options: Options): Record<string, unknown> {
    const keys = new Map(Object.entries(options).map(([key, option]) => [option, key]));
    const values: Record<string, unknown> = {};
    for (const [option, key] of keys) values[key] = isNegated(option) || option.fallback;
    const seen = new Set<string>();
    for (const { option, value } of this.#typed) {
      const key = keys.get(option);
      if (key === undefined) continue;
      const text = option.isPasted ? this.repaired(flagName(option.flags), value) : value;
      values[key] = readValue(option, text, seen.has(key) ? values[key] : undefined);
      seen.add(key);
    }
    return values;
  }

  /** The value of the option or argument `name`, without paste damage at its ends. Throws UsageError for damage inside. */
  repaired(name: string, value: string | undefined): string | undefined {
    if (value === undefined) return value;
    const pasted = withoutPasteDamage(value);
    if ('problem' in pasted) throw pasteError(name, pasted.problem);
    if (pasted.value === '') throw invalidValue(`${name} is empty`, 'give it a value, or omit it');
    if (pasted.removed.length > 0)
      this.notes.push(pasteNote(name.startsWith('--') ? `the value of ${name}` : name, pasted.removed));
    return pasted.value;
  }
}

function wordsOf(typed: readonly Typed[]): string[] {
  return typed.flatMap(({ option, value }) =>
    value === undefined ? [flagName(option.flags)] : [flagName(option.flags), value],
  );
}

/** `earlier` is the value of a previous occurrence. */
function readValue(option: Option<unknown>, text: string | undefined, earlier: unknown): unknown {
  if (option.kind === 'switch') return !isNegated(option);
  const value = text === undefined || option.read(text);
  if (option.kind === 'list') return [...((earlier as unknown[] | undefined) ?? []), value];
  if (earlier === undefined) return value;
  throw conflict(`${flagName(option.flags)} was given twice`, 'give it once');
}

/** Whether an option disables a default: `--no-color`. */
function isNegated({ flags }: Option<unknown>): boolean {
  return flagName(flags).startsWith('--no-');
}
