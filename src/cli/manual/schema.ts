import { version } from '../../../package.json';
import { type Completion, isGroup, type Leaf } from '../../commands/framework/define-command.ts';
import { SETTING_KEYS, SETTINGS, type Setting, settingKey } from '../../config/settings.ts';
import { UsageError } from '../../errors/index.ts';
import { nearest } from '../../errors/nearest.ts';
import type { Json, JsonRecord } from '../../json/index.ts';
import { errorCodes } from '../error-codes.ts';
import { EXIT, EXIT_CODES } from '../exit-codes.ts';
import { commandFor } from '../synonyms.ts';
import { COMMON_VARIABLES, OWN_VARIABLES } from './environment-variables.ts';
import {
  type ArgumentShape,
  allPages,
  type FlagShape,
  GLOBAL_FLAGS,
  type Page,
  pagesDirectlyBelow,
} from './surface.ts';
import type { Term } from './topic.ts';
import { TOPICS } from './topics.ts';

/** The command with these words and all below it; without words, gatectl itself. Throws UsageError for an unknown command. */
export function schemaOf(words: readonly string[]): Json {
  const pages = allPages();
  const page = pageWith(pages, words);
  if (page === undefined) throw unknown(pages, words);
  const described = commandSchema(page, pages);
  return words.length > 0 ? described : { ...described, ...whole() };
}

/** Each command with these words and below it in one line of JSON: effect, what it does, arguments and flags. Throws as above. */
export function compactSchemaOf(words: readonly string[]): Json {
  const pages = allPages();
  if (pageWith(pages, words) === undefined) throw unknown(pages, words);
  const below = pages.filter(({ path }) => words.every((word, at) => path[at] === word));
  return {
    about: 'effect: read, write, irreversible, or request (as the input says); a flag with = has a value',
    globalFlags: GLOBAL_FLAGS.map(flagWord).join(' '),
    commands: Object.fromEntries(
      below.flatMap(page => {
        const brief = briefly(page);
        return brief === undefined ? [] : [[page.path.join(' '), brief]];
      }),
    ),
  };
}

/** A command in a few words; undefined for a group. */
export function briefly({ command, arguments: args, flags }: Page) {
  if (isGroup(command)) return undefined;
  const words = args.map(({ name, isRequired, isVariadic }) => {
    const shown = isVariadic ? `${name}...` : name;
    return isRequired ? `<${shown}>` : `[${shown}]`;
  });
  return {
    effect: command.effect,
    does: command.summary,
    takes: [...words, ...flags.map(flagWord)].join(' '),
  };
}

function flagWord({ long, value }: FlagShape): string {
  return value === undefined ? long : `${long}=`;
}

function commandSchema(page: Page, pages: readonly Page[]): JsonRecord {
  const { path, command } = page;
  const { summary, description } = command;
  const head = {
    name: ['gatectl', ...path].join(' '),
    summary,
    ...(description !== undefined && { description }),
  };
  const children = pagesDirectlyBelow(page, pages);
  return {
    ...head,
    ...(!isGroup(command) && leafSchema(page, command)),
    ...(page.children.length > 0 && { commands: children.map(child => commandSchema(child, pages)) }),
  };
}

function leafSchema({ arguments: args, flags }: Page, { effect, examples, output }: Leaf): JsonRecord {
  return {
    effect,
    arguments: args.map(argumentSchema),
    flags: flags.map(flagSchema),
    output: {
      shape: output?.shape ?? 'open',
      fields: Object.entries(output?.fields ?? {}).map(([name, [type, means]]) => ({ name, type, means })),
    },
    examples: examples.map(({ does, command }) => ({ does, command })),
  };
}

function argumentSchema({ name, isRequired, isVariadic, summary, completes }: ArgumentShape): JsonRecord {
  return { name, required: isRequired, variadic: isVariadic, summary, ...suggestions(completes) };
}

function flagSchema(flag: FlagShape): JsonRecord {
  const { long, short, value, isRepeatable, isVariadic, summary, option } = flag;
  const { choices, range } = option;
  const type = typeOf(flag);
  const standard = defaultOf(flag, type);
  return {
    name: long,
    ...(short !== undefined && { short }),
    summary,
    type,
    ...(value !== undefined && { value }),
    ...(choices !== undefined && { choices: [...choices] }),
    ...range,
    ...(standard !== undefined && { default: standard }),
    repeatable: isRepeatable,
    ...(option.group !== undefined && { group: option.group }),
    ...(isVariadic && { variadic: true }),
    ...(flag.isValueOptional && { valueOptional: true }),
    ...(choices === undefined && suggestions(option.completes)),
  };
}

function typeOf({ long, value, option }: FlagShape): string {
  if (value === undefined) return 'boolean';
  if (option.range !== undefined) return 'integer';
  return settingOf(long)?.type ?? 'string';
}

/** The setting that a flag overrides: `--timeout` is `timeout`. */
function settingOf(long: string): Setting<unknown> | undefined {
  const key = settingKey(long.slice(2));
  return key === undefined ? undefined : SETTINGS[key];
}

/** The default of a flag, declared or in its summary; a default that depends on other values is in the summary only. */
function defaultOf({ option, summary }: FlagShape, type: string): string | number | boolean | undefined {
  if (type === 'boolean') return false;
  const shown = option.shownDefault ?? /\(default ([\w.:-]+)(?=[;,)])/.exec(summary)?.[1];
  return shown === undefined || type === 'string' ? shown : Number(shown);
}

/** The source of a value's candidates: fixed words, or the name of a kind of value. */
function suggestions(completes: Completion): JsonRecord {
  if (completes === 'none') return {};
  return typeof completes === 'string' ? { completes } : { suggestions: [...completes] };
}

/** The members that only the schema of gatectl itself has. */
function whole(): JsonRecord {
  const codes = Object.keys(EXIT) as (keyof typeof EXIT)[];
  return {
    version,
    globalFlags: GLOBAL_FLAGS.map(flagSchema),
    exitCodes: codes.map(name => ({ code: EXIT[name], name, means: EXIT_CODES[name] })),
    errorCodes: errorCodes().map(entry => ({ ...entry })),
    environment: [...OWN_VARIABLES, ...COMMON_VARIABLES].flatMap(variableSchema),
    settings: SETTING_KEYS.map(settingSchema),
    topics: TOPICS.map(({ name, summary }) => ({ name, summary })),
  };
}

function variableSchema({ term, means }: Term): JsonRecord[] {
  return term.split(', ').map(name => ({ name, means }));
}

function settingSchema(key: (typeof SETTING_KEYS)[number]): JsonRecord {
  const setting: Setting<string | number | boolean | undefined> = SETTINGS[key];
  const { name, description, type, choices, fallback, environment } = setting;
  return {
    name,
    means: description,
    type,
    ...(choices !== undefined && { choices: [...choices] }),
    ...(fallback !== undefined && { default: fallback }),
    ...(environment !== undefined && { environment }),
  };
}

function pageWith(pages: readonly Page[], words: readonly string[]): Page | undefined {
  return pages.find(({ path }) => path.join(' ') === words.join(' '));
}

function unknown(pages: readonly Page[], words: readonly string[]): UsageError {
  const name = words.join(' ');
  const paths = pages.map(({ path }) => path.join(' '));
  const similar =
    commandFor('', name, path => paths.includes(path.join(' ')))?.join(' ') ?? nearest(name, paths);
  return new UsageError(`unknown command '${name}'`, {
    code: 'unknown_command',
    hints: [similar === undefined ? 'gatectl --help lists the commands' : `did you mean ${similar}?`],
  });
}
