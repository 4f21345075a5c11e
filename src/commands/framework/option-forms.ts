import {
  choice,
  converted,
  FLAG,
  type Form,
  integer,
  NONEMPTY_TEXT,
  oneOrMore,
  optional,
} from '../../documents/forms.ts';
import { UsageError } from '../../errors/index.ts';
import { capitalized, flagName, type Option } from './define-command.ts';

// biome-ignore lint/suspicious/noExplicitAny: the values differ per option.
export type Options = Readonly<Record<string, Option<any>>>;

/** The name of a flag in a file: `data-set` of `--data-set <name>`. */
export function settingName({ flags }: Pick<Option<unknown>, 'flags'>): string {
  return flagName(flags).slice(2);
}

/** The flags as settings of a file, by their names there; `each` may change their forms. */
export function optionSettings(
  options: Options,
  each: (form: Form<unknown>) => Form<unknown> = form => form,
): Readonly<Record<string, Form<unknown>>> {
  return Object.fromEntries(
    Object.values(options).map(option => [
      settingName(option),
      optional(capitalized(option.summary), each(formOf(option))),
    ]),
  );
}

/** The values of settings by the keys of their options, without those that are not set. */
export function optionValues(
  options: Options,
  settings: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(options).flatMap(([key, option]) => {
      const name = settingName(option);
      return Object.hasOwn(settings, name) ? [[key, settings[name]]] : [];
    }),
  );
}

/** How the value of a flag is written in a file: a list where it may be repeated. */
function formOf(option: Option<unknown>): Form<unknown> {
  const { kind, choices, range } = option;
  if (kind === 'switch') return FLAG;
  if (choices !== undefined) return choice(choices);
  if (range !== undefined) return integer(range);
  const text = converted(NONEMPTY_TEXT, (given, at) => {
    try {
      return option.read(given);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      throw at.invalid(error.message, error);
    }
  });
  return kind === 'list' ? oneOrMore(text) : text;
}
