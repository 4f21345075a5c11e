import { UsageError } from '../../errors/index.ts';
import { invalidValue, missingArgument } from '../../errors/usage.ts';
import type { Effect } from '../../wire/effect.ts';
import type { Context } from './context.ts';
import type { OutputSchema } from './output-schema.ts';

/** Values that only this machine has: from its profiles, and from the latest listings. */
const LOCAL_VALUES = [
  'profile',
  'domain',
  'domain-id',
  // Several with commas between.
  'column',
  'sort',
  'filter',
  'data-set',
  'report',
  // The number of one.
  'custom-report',
  'segment',
  'setting',
  'setting-value',
  'time-zone',
  'alias',
  'query',
  // Of the documentation.
  'page',
  // Of the JSON that the command prints, several with commas between.
  'field',
  // The words of a command or a topic, one after the other.
  'command',
] as const;
export type LocalValue = (typeof LOCAL_VALUES)[number];

/** What a shell may offer for a value: some words, files, or something of this machine. */
export type Completion = readonly string[] | 'file' | 'directory' | LocalValue | 'none';

/** A flag of a command. `Value` is what the command receives. */
export interface Option<Value> {
  /** As commander writes it: `-d, --dimension <column>`. */
  readonly flags: string;
  readonly summary: string;
  /** The heading under which help lists it; without one, Options. */
  readonly group?: string;
  readonly kind: 'switch' | 'single' | 'list';
  /** The value when the flag is absent. */
  readonly fallback: Value;
  /** The default in help, if it should be shown. */
  readonly shownDefault?: string;
  /** The only accepted values, if there are few. */
  readonly choices?: readonly string[];
  /** Minimum and maximum of an integer. */
  readonly range?: { readonly min: number; readonly max?: number };
  readonly completes: Completion;
  /** The exit code is the result of the command: 0 means nothing else. */
  readonly decidesExitCode?: true;
  /** Whether its value is usually pasted: paste damage at the ends is removed with a note, damage inside is rejected. */
  readonly isPasted?: boolean;
  /** Reads one value; throws UsageError. */
  readonly read: (text: string) => unknown;
}

interface Details {
  readonly completes?: Completion;
  readonly isPasted?: true;
}

/** What a shell offers for a value that help calls by this name, where its declaration does not say. */
const BY_NAME: Readonly<Record<string, Completion>> = {
  file: 'file',
  'file|url': 'file',
  folder: 'directory',
  column: 'column',
  columns: 'column',
  'column[:desc]': 'sort',
  'id|name': 'segment',
  profile: 'profile',
  zone: 'time-zone',
};

/** What a shell offers for the value of a flag or argument, and whether it is usually pasted, as domains are. */
function completionOf(syntax: string, details: Details): Pick<Option<unknown>, 'completes' | 'isPasted'> {
  const [, name = ''] = /[<[](.+?)(?:\.\.\.)?[>\]]$/.exec(syntax) ?? [];
  const completes = details.completes ?? BY_NAME[name] ?? 'none';
  return { completes, ...((details.isPasted || completes === 'domain') && { isPasted: true }) };
}

const asText = (text: string): string => text;

/** A flag without a value. */
export function boolean(flags: string, summary: string): Option<boolean> {
  return { flags, summary, kind: 'switch', fallback: false, completes: 'none', read: asText };
}

/** A flag with one value, which `read` converts; it throws UsageError for one that the flag cannot have. */
export function converted<Value>(
  flags: string,
  summary: string,
  read: (given: string) => Value,
  details: Details = {},
): Option<Value | undefined> {
  return { flags, summary, kind: 'single', fallback: undefined, read, ...completionOf(flags, details) };
}

/** A flag with one text value. */
export function string(flags: string, summary: string, details: Details = {}): Option<string | undefined> {
  return converted(flags, summary, asText, details);
}

/** A flag with an optional value; true without one. */
export function optionalString(flags: string, summary: string): Option<string | true | undefined> {
  return converted(flags, summary, asText);
}

/** A flag with a file to write. Rejects stdout, which is for the output. */
export function outputFile(flags: string, summary: string): Option<string | undefined> {
  const read = (given: string): string => {
    if (given !== '-' && given.trim() !== '') return given;
    throw missingArgument(
      `${flagName(flags)} requires a file name`,
      ...(given === '-' ? ['type ./- for a file of that name; /dev/stderr shows it here'] : []),
    );
  };
  return converted(flags, summary, read, { completes: 'file' });
}

/** A flag that may be given several times. */
export function list(flags: string, summary: string, details: Details = {}): Option<readonly string[]> {
  return { flags, summary, kind: 'list', fallback: [], read: asText, ...completionOf(flags, details) };
}

/** A flag whose value is one of a few words, in any letter case. */
export function oneOf<const Word extends string>(
  flags: string,
  summary: string,
  words: readonly Word[],
): Option<Word | undefined> {
  const read = (given: string): Word => {
    const found = words.find(word => word.toLowerCase() === given.toLowerCase());
    if (found !== undefined) return found;
    const flag = flagName(flags);
    const reason = { name: 'not_one_of', flag, given, words } as const;
    throw new UsageError(`invalid ${flag} '${given}'`, { code: 'invalid_value', reason });
  };
  return { flags, summary, kind: 'single', fallback: undefined, choices: words, completes: words, read };
}

interface Range extends Details {
  readonly min: number;
  readonly max?: number;
}

/** A flag with an integer within a range. */
export function integer(flags: string, summary: string, range: Range): Option<number | undefined>;
export function integer(
  flags: string,
  summary: string,
  range: Range & { readonly fallback: number },
): Option<number>;
export function integer(
  flags: string,
  summary: string,
  range: Range & { readonly fallback?: number },
): Option<number | undefined> {
  const read = (given: string): number => readInteger(flagName(flags), given, range);
  const { fallback, completes = 'none', min, max } = range;
  const shown = fallback === undefined ? {} : { shownDefault: String(fallback) };
  const limits = { min, ...(max !== undefined && { max }) };
  return { flags, summary, kind: 'single', fallback, completes, read, range: limits, ...shown };
}

function readInteger(name: string, given: string, { min, max }: Range): number {
  const value = /^-?\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
  if (value >= min && (max === undefined || value <= max)) return value;
  const allowed = max === undefined ? `pass an integer from ${min}` : `pass an integer from ${min} to ${max}`;
  throw invalidValue(`invalid ${name} '${given}'`, `${allowed}`);
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** A flag whose value is a time span: `90s`, `15m`, `1h30m`; a bare number counts seconds. The command gets milliseconds. */
export function duration(
  flags: string,
  summary: string,
  limits: { min: number; max?: number; fallback: number; shownDefault: string },
): Option<number>;
/** One without a default. */
export function duration(flags: string, summary: string, limits: { min: number }): Option<number | undefined>;
export function duration(
  flags: string,
  summary: string,
  {
    min,
    max,
    fallback,
    shownDefault,
  }: { min: number; max?: number; fallback?: number; shownDefault?: string },
): Option<number | undefined> {
  const read = (given: string): number => {
    const text = /\d$/.test(given) ? `${given}s` : given;
    const isTime = /^(?:\d{1,9}(?:\.\d{1,3})?[smhd])+$/.test(text);
    const seconds = [...text.matchAll(/([\d.]+)([smhd])/g)].reduce(
      (sum, [, count, unit = '']) => sum + Number(count) * (UNIT_SECONDS[unit] ?? 0),
      0,
    );
    const ms = Math.round(seconds * 1000);
    if (isTime && ms >= min && ms <= (max ?? Infinity)) return ms;
    const atMost =
      max === undefined
        ? ''
        : `, at most ${max < 86_400_000 ? `${max / 3_600_000}h` : `${max / 86_400_000}d`}`;
    throw invalidValue(
      `${flagName(flags)} cannot be '${given}'`,
      `type a time such as 30s, 15m or 1h30m${min > 0 ? `, at least ${min / 1000}s` : ''}${atMost}`,
    );
  };
  const shown = shownDefault === undefined ? {} : { shownDefault };
  return { flags, summary, kind: 'single', fallback, ...shown, completes: 'none', read };
}

/** The long name of a flag: `--dimension` of `-d, --dimension <column>`, `--compare` of `--vs, --compare <period>`. */
export function flagName(flags: string): string {
  return /--[a-z][a-z0-9-]*(?= |$)/.exec(flags)?.[0] ?? flags;
}

/** Whether the value of an option is one that was typed. A --no flag is true unless it is. */
export function isTyped({ flags, fallback }: Option<unknown>, value: unknown): boolean {
  if (flagName(flags).startsWith('--no-')) return value === false;
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== fallback;
}

/** The values of options that are not typed: their defaults, and true for `--no-…`. */
export function untypedValues<All extends Options>(options: All): ValuesOf<All> {
  return Object.fromEntries(
    Object.entries(options).map(([key, { flags, fallback }]) => [
      key,
      flagName(flags).startsWith('--no-') || fallback,
    ]),
  ) as ValuesOf<All>;
}

/** A positional argument, as commander writes it: `<reader>`, `[file]`, `[url...]`. */
export interface Argument<Value> {
  readonly syntax: string;
  readonly summary: string;
  readonly completes: Completion;
  /** As for an option. */
  readonly isPasted?: boolean;
  /** Never read: it carries the type. */
  readonly value?: Value;
}

export function required(name: string, summary: string, details: Details = {}): Argument<string> {
  return { syntax: `<${name}>`, summary, ...completionOf(`<${name}>`, details) };
}

export function optional(name: string, summary: string, details: Details = {}): Argument<string | undefined> {
  return { syntax: `[${name}]`, summary, ...completionOf(`[${name}]`, details) };
}

export function variadic(name: string, summary: string, details: Details = {}): Argument<readonly string[]> {
  return { syntax: `[${name}...]`, summary, ...completionOf(`[${name}]`, details) };
}

// biome-ignore lint/suspicious/noExplicitAny: the element type differs per entry and is recovered by inference.
export type Options = Readonly<Record<string, Option<any>>>;
// biome-ignore lint/suspicious/noExplicitAny: as above.
type Arguments = Readonly<Record<string, Argument<any>>>;

/** Puts options under one heading of the help, the manual and the reference. */
export function inGroup<O extends Options>(group: string, options: O): O {
  const entries = Object.entries(options).map(([key, option]) => [key, { ...option, group }]);
  return Object.fromEntries(entries) as O;
}

/** The values that a command receives for its options. */
export type ValuesOf<O extends Options> = {
  readonly [K in keyof O]: O[K] extends Option<infer Value> ? Value : never;
};
type ArgumentsOf<A extends Arguments> = {
  readonly [K in keyof A]: A[K] extends Argument<infer Value> ? Value : never;
};

/** A command line and what it does, for help, man pages and tests. */
export interface Example {
  readonly command: string;
  readonly does: string;
}

/**
 * The strongest effect of the requests that a command sends; `request` where they are what its input says. Local files and settings are no
 * effect.
 */
type CommandEffect = Effect | 'request';

/** Name and help of a command. */
interface Described {
  readonly name: string;
  /** A few words in the imperative, lower-case. */
  readonly summary: string;
  /** Paragraphs for `--help` and the man page. */
  readonly description?: string;
}

export interface Leaf extends Described {
  readonly effect: CommandEffect;
  readonly arguments: Arguments;
  readonly options: Options;
  readonly examples: readonly Example[];
  readonly output?: OutputSchema;
  /** Subcommands: `access` checks a reader, `access audit` a list. They take precedence over an argument of the same spelling. */
  readonly commands?: readonly Command[];
  readonly run: (input: Readonly<Record<string, unknown>>, context: Context) => Promise<number | undefined>;
}

export interface Group extends Described {
  readonly commands: readonly Command[];
}

export type Command = Leaf | Group;

/** Whether a command only groups subcommands. */
export function isGroup(command: Command): command is Group {
  return !('run' in command);
}

/** A command that runs, with the words that lead to it: `['cdn', 'purge']`. */
interface PlacedLeaf {
  readonly words: readonly string[];
  readonly leaf: Leaf;
}

/** Every command that runs, subcommands after their parent. */
export function leavesOf(commands: readonly Command[], above: readonly string[] = []): readonly PlacedLeaf[] {
  return commands.flatMap(command => {
    const words = [...above, command.name];
    return [
      ...(isGroup(command) ? [] : [{ words, leaf: command }]),
      ...leavesOf(command.commands ?? [], words),
    ];
  });
}

/** A text with a capital at its beginning. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A summary as a sentence. */
export function sentence(summary: string): string {
  return `${capitalized(summary)}.`;
}

/** What help says of the effect of a command. */
const EFFECTS: Readonly<Partial<Record<CommandEffect, string>>> = {
  write: 'Changes something at the gateway; rejected with --read-only.',
  irreversible: 'Cannot be undone; rejected with --read-only.',
  request: 'With --read-only, requests that are not documented as reads are rejected.',
};

/**
 * Declares a command that does something. Its `run` gets options and arguments under the keys they are declared with,
 * and returns an exit code only when it is not 0.
 */
export function defineCommand<O extends Options, A extends Arguments = Record<never, never>>(
  declaration: Described & {
    readonly effect: CommandEffect;
    readonly arguments?: A;
    readonly options: O;
    /** Command lines, and what each does. */
    readonly examples: Readonly<Record<string, string>>;
    /** What it writes as JSON. */
    readonly output?: OutputSchema;
    readonly commands?: readonly Command[];
    readonly run: (
      input: ValuesOf<O> & ArgumentsOf<A>,
      context: Context,
    ) => Promise<number | undefined> | Promise<void>;
  },
): Leaf {
  const { run, arguments: args, summary, description, examples, ...rest } = declaration;
  const told = EFFECTS[rest.effect];
  const described = told === undefined ? description : [description ?? sentence(summary), told].join('\n\n');
  return {
    ...rest,
    summary,
    ...(described !== undefined && { description: described }),
    arguments: args ?? {},
    examples: Object.entries(examples).map(([command, does]) => ({ command, does })),
    run: async (input, context) =>
      (await run(input as unknown as ValuesOf<O> & ArgumentsOf<A>, context)) ?? undefined,
  };
}
