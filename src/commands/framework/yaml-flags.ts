import { readDocument } from '../../documents/document.ts';
import { type Form, object } from '../../documents/forms.ts';
import { UsageError } from '../../errors/index.ts';
import { type Options, optionSettings, optionValues, settingName } from './option-forms.ts';

/** A file with flags, by their names, a list where a flag may be repeated. */
interface FlagsFile {
  readonly options: Options;
  readonly form: Form<Readonly<Record<string, unknown>>>;
}

/** Flags from a file. */
interface YamlFlags {
  /** Values by the keys of the options, of those that the file sets. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The settings that are no flags. */
  readonly others: Readonly<Record<string, unknown>>;
  /** Line and column of each value, by the name of its setting. */
  readonly places: ReadonlyMap<string, string>;
}

/**
 * Declares a file with flags. `what` is what messages call it, `others` are settings that are no flags, and `elsewhere` flags that do
 * not belong in the file, with what to type instead.
 */
export function flagsFile(
  options: Options,
  {
    what,
    others = {},
    elsewhere,
  }: {
    readonly what: string;
    readonly others?: Readonly<Record<string, Form<unknown>>>;
    readonly elsewhere: { readonly options: Options; readonly hint: (flag: string) => string };
  },
): FlagsFile {
  const form = object(
    { ...optionSettings(options), ...others },
    {
      unknown: setting =>
        Object.values(elsewhere.options).some(option => settingName(option) === setting.name)
          ? setting.invalidName(`${setting.name} is not part of ${what}`, {
              hints: [elsewhere.hint(setting.name)],
            })
          : undefined,
    },
  );
  return { options, form };
}

/** Reads flags from a file. Throws UsageError with line and column. */
export function readFlagsFile({ options, form }: FlagsFile, file: string, text: string): YamlFlags {
  const { value, places } = readDocument(form, text, { file });
  return { values: optionValues(options, value), others: value, places };
}

/** An error about a flag of a file, with its place there; another error unchanged. `isTyped`: the flag was typed instead. */
export function inYamlFile(
  error: UsageError,
  path: string,
  places: ReadonlyMap<string, string>,
  isTyped: (flag: string) => boolean,
): UsageError {
  const flag = (error.message.match(/--[a-z][a-z-]*/g) ?? []).find(
    each => places.has(each.slice(2)) && !isTyped(each),
  );
  if (flag === undefined) return error;
  const { code, hints, reason, details } = error;
  return new UsageError(`${path}:${places.get(flag.slice(2))}: ${error.message}`, {
    code,
    hints,
    reason,
    details,
    cause: error,
  });
}

/** An error about flags of a file whose flags are settings, in the words of the file: `last: 7d` for `--last 7d`. */
export function inSettings(error: UsageError, options: Options): UsageError {
  const byName = new Map(Object.values(options).map(option => [settingName(option), option.flags]));
  const longOf = new Map(
    [...byName].flatMap(([name, flags]) => {
      const short = /^-([a-zA-Z])\b/.exec(flags)?.[1];
      return short === undefined ? [] : [[short, `--${name}`] as const];
    }),
  );
  const worded = (text: string) =>
    text
      .replaceAll(/(?<![\w-])-([a-zA-Z])(?= |,|$)/g, (whole, short: string) => longOf.get(short) ?? whole)
      .replaceAll(/\bomit --([a-z][a-z-]*)/g, (whole, name: string) =>
        byName.has(name) ? `omit '${name}'` : whole,
      )
      .replaceAll(/(--[a-z][a-z-]* [^\s,;]+) (?=--)/g, '$1, ')
      .replaceAll(
        /--([a-z][a-z-]*)( (?:'[^']*'|[^\s,;]+(?:,[^\s,;]+)*))?/g,
        (whole, name: string, value = '') => {
          const flags = byName.get(name);
          if (flags === undefined) return whole;
          if (flags.includes('<')) return value === '' ? `'${name}'` : `${name}:${listOf(value)}`;
          return `${name}: true${value}`;
        },
      );
  const message = worded(error.message);
  const hints = error.hints.map(worded);
  if (message === error.message && hints.every((hint, at) => hint === error.hints[at])) return error;
  const { code, reason, details } = error;
  return new UsageError(message, { code, hints, reason, details, cause: error });
}

/** ` [device, COLUMN]` for ` device,COLUMN`; another value unchanged. */
function listOf(value: string): string {
  return value.includes(',') && !value.includes("'") ? ` [${value.trim().split(',').join(', ')}]` : value;
}
