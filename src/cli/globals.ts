import type { Globals } from '../commands/framework/context.ts';
import {
  boolean,
  flagName,
  inGroup,
  integer,
  type Option,
  oneOf,
  string,
  type ValuesOf,
} from '../commands/framework/define-command.ts';
import { CDN_TIMEOUT_S, DEFAULT_TIMEOUT_S } from '../config/timeouts.ts';
import { cannotCombine, conflict, invalidValue } from '../errors/usage.ts';
import { type Locale, localeOf } from '../output/presentation/index.ts';
import {
  CSV_DIALECTS,
  FILE_ONLY_FORMATS,
  type FileOnlyFormat,
  FORMATS,
  type Format,
  isFileOnly,
} from '../output/view.ts';
import type { TypedOptions } from './typed-options.ts';

/** Options that commander handles. */
export const HELP_FLAG = inOther(boolean('-h, --help', 'show help'));

export const VERSION_FLAG = inOther(boolean('-V, --version', 'print the version'));

const GATEWAY_OPTIONS = inGroup('Gateway', {
  profile: string('-p, --profile <name>', 'profile to use', { completes: 'profile' }),
  baseUrl: string('--base-url <url>', 'root of the gateway; https, except on this machine', {
    isPasted: true,
  }),
  sandbox: boolean('--sandbox', 'use the embedded gateway: no key, no network'),
  readOnly: boolean('--read-only', 'reject requests that change something'),
  // A --no flag is true until it is given.
  compression: boolean('--no-compression', 'request uncompressed responses'),
  curl: boolean('--curl', 'print the equivalent curl command and send nothing'),
  timeout: string(
    '--timeout <seconds>',
    `time limit per request (default ${DEFAULT_TIMEOUT_S}; cdn ${CDN_TIMEOUT_S})`,
  ),
  retries: integer('--retries <n>', 'maximum retries per request (default 3)', { min: 0, max: 100 }),
  insecureHttp: boolean('--insecure-http', 'allow plain http to another machine'),
});

/** The options that every command takes, in the order of `--help`. */
export const GLOBAL_OPTIONS = {
  ...GATEWAY_OPTIONS,
  ...inGroup('Output', {
    output: oneOf(
      '-o, --output <format>',
      `output format: ${FORMATS.join(', ')}; with --out also ${FILE_ONLY_FORMATS.join(', ')}`,
      [...FORMATS, ...FILE_ONLY_FORMATS],
    ),
    json: boolean('--json', 'same as --output json'),
    csv: boolean('--csv', 'same as --output csv'),
    csvDialect: oneOf(
      '--csv-dialect <dialect>',
      `form of csv: ${CSV_DIALECTS.join(', ')} (default ${CSV_DIALECTS[0]})`,
      CSV_DIALECTS,
    ),
    decimals: string('--decimals <n>', 'decimals for people, or all (default: by unit)'),
    locale: string('--locale <tag>', 'form of numbers and dates, such as de-DE'),
    fields: string('--fields <names>', 'print only these fields, as JSON', { completes: 'field' }),
    jq: string('--jq <expression>', 'filter JSON output with a jq expression'),
    quiet: boolean('-q, --quiet', 'suppress notes, and the tables of successful jobs'),
    verbose: boolean('-v, --verbose', 'log each HTTP request to stderr, without secrets'),
    tz: string('--tz <zone>', 'time zone of days and times, such as Europe/Madrid'),
    color: boolean('--no-color', 'print without colors'),
    pager: boolean('--no-pager', 'print long output without a pager'),
  }),
  ...inGroup('Other', {
    input: boolean('--no-input', 'never prompt'),
  }),
} satisfies Record<string, Option<unknown>>;

function inOther(option: Option<boolean>): Option<boolean> {
  return { ...option, group: 'Other' };
}

type Given = ValuesOf<typeof GLOBAL_OPTIONS>;

/** The values of the global options. Throws UsageError for invalid values and conflicting options. */
export function readGlobals(typed: TypedOptions): Globals {
  const given = typed.read(GLOBAL_OPTIONS) as Given;
  if (given.sandbox) {
    rejectBoth(given.profile !== undefined, '--sandbox', '--profile', '; -p is short for --profile');
    rejectBoth(given.baseUrl !== undefined, '--sandbox', '--base-url');
  }
  rejectBoth(given.fields !== undefined && given.jq !== undefined, '--fields', '--jq');
  const fields = given.fields?.split(',').map(name => name.trim());
  const output = chosenFormat(given);
  return {
    flags: {
      profile: given.profile,
      baseUrl: given.baseUrl,
      insecureHttp: given.insecureHttp,
      output: output === undefined || isFileOnly(output) ? undefined : output,
      timeZone: given.tz,
      timeout: given.timeout,
      retries: given.retries,
      readOnly: given.readOnly || undefined,
      compression: given.compression ? undefined : false,
    },
    csvDialect: given.csvDialect ?? CSV_DIALECTS[0],
    requiresCsv: given.csvDialect !== undefined,
    fileFormat: output !== undefined && isFileOnly(output) ? output : undefined,
    decimals: readDecimals(given.decimals),
    locale: readLocale(given.locale),
    fields,
    jq: given.jq ?? (fields && fieldsFilter(fields)),
    quiet: given.quiet,
    verbose: given.verbose,
    curl: given.curl,
    sandbox: given.sandbox,
    noColor: !given.color,
    noPager: !given.pager,
    noInput: !given.input,
  };
}

/** What --fields is in jq: each object with these members only. */
function fieldsFilter(names: readonly string[]): string {
  const shape = `{${names.map(name => JSON.stringify(name)).join()}}`;
  return `if type=="array" then map(${shape}) else ${shape} end`;
}

const MAX_DECIMALS = 10;

/** Throws UsageError for anything but a number of decimals or `all`. */
function readDecimals(given: string | undefined): number | 'all' | undefined {
  if (given === undefined || given === 'all') return given;
  if (/^\d{1,2}$/.test(given) && Number(given) <= MAX_DECIMALS) return Number(given);
  throw invalidValue(`invalid --decimals '${given}'`, `give an integer from 0 to ${MAX_DECIMALS}, or all`);
}

/** Throws UsageError for an unknown locale. */
function readLocale(given: string | undefined): Locale | undefined {
  if (given === undefined) return undefined;
  const locale = localeOf(given);
  if (locale !== undefined) return locale;
  throw invalidValue(
    `unknown locale '${given}'`,
    'give a language, and a country if need be: --locale de-DE',
  );
}

/** The typed options that select the gateway and limit its requests, as words. */
export function connectionWords(typed: TypedOptions): string[] {
  const { curl: _, ...connection } = GATEWAY_OPTIONS;
  return typed.wordsOf([...Object.values(connection), GLOBAL_OPTIONS.tz]);
}

/** The format set by flags; `--jq` and `--fields` imply json. Throws UsageError for two formats. */
function chosenFormat({ output, json, csv, jq, fields }: Given): Format | FileOnlyFormat | undefined {
  const named: [string, Format | FileOnlyFormat][] = [];
  if (output !== undefined) named.push([`--output ${output}`, output]);
  if (json) named.push(['--json', 'json']);
  if (csv) named.push(['--csv', 'csv']);
  if (jq !== undefined) named.push(['--jq', 'json']);
  if (fields !== undefined) named.push(['--fields', 'json']);
  const [first] = named;
  const other = named.find(([, format]) => format !== first?.[1]);
  if (first !== undefined && other !== undefined) {
    throw conflict(`${first[0]} and ${other[0]} are different formats`, 'give one of them');
  }
  return first?.[1];
}

function rejectBoth(both: boolean, one: string, other: string, more = ''): void {
  if (both) throw cannotCombine(`${one} and ${other}`, `give one of them${more}`);
}

const OPTIONS: readonly Option<unknown>[] = Object.values(GLOBAL_OPTIONS);

/** The index of the first word that is neither a global option nor its value; `argv.length` if there is none. */
export function firstWordIndex(argv: readonly string[]): number {
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (!word.startsWith('-') || word === '-') return index;
    if (takesNextWord(word)) index += 1;
  }
  return argv.length;
}

/** True for `--profile`, `-p` and `-qp`, false for `--profile=news`, `-pnews` and `-q`. */
function takesNextWord(word: string): boolean {
  if (word.startsWith('--'))
    return OPTIONS.some(option => flagName(option.flags) === word && hasValue(option));
  const letters = [...word.slice(1)];
  const first = letters.findIndex(letter =>
    OPTIONS.some(option => option.flags.startsWith(`-${letter}, `) && hasValue(option)),
  );
  return first >= 0 && first === letters.length - 1;
}

function hasValue({ kind }: Option<unknown>): boolean {
  return kind !== 'switch';
}
