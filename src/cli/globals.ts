import type { Globals } from '../commands/framework/context.ts';
import {
  boolean,
  integer,
  type Option,
  oneOf,
  string,
  type ValuesOf,
} from '../commands/framework/define-command.ts';
import { OUTPUT_FORMATS, type OutputFormat } from '../config/settings.ts';
import { UsageError } from '../errors/index.ts';
import { CSV_DIALECTS } from '../output/view.ts';
import type { TypedOptions } from './typed-options.ts';

/** What commander answers by itself. */
export const HELP_FLAG = boolean('-h, --help', 'what a command does, its options and examples');
export const VERSION_FLAG = boolean('-V, --version', 'print the version');

/** The options that every command takes, in the order of `--help`. */
export const GLOBAL_OPTIONS = {
  profile: string('-p, --profile <name>', 'the profile to use', { completes: 'profile' }),
  baseUrl: string('--base-url <url>', 'the gateway root; https only, except on this machine', {
    isPasted: true,
  }),
  insecureHttp: boolean('--insecure-http', 'allow plain http to another machine'),
  output: oneOf(
    '-o, --output <format>',
    `how to print the answer: ${OUTPUT_FORMATS.join(', ')}`,
    OUTPUT_FORMATS,
  ),
  json: boolean('--json', 'short for --output json'),
  csv: boolean('--csv', 'short for --output csv'),
  csvDialect: oneOf(
    '--csv-dialect <dialect>',
    `how csv is written: ${CSV_DIALECTS.join(', ')} (default ${CSV_DIALECTS[0]}); excel adds a byte order mark and disarms formulas`,
    CSV_DIALECTS,
  ),
  jq: string('--jq <expression>', 'filter the JSON answer with a jq expression'),
  quiet: boolean('-q, --quiet', 'no notes; a job that succeeds prints no table'),
  verbose: boolean('-v, --verbose', 'one line for each HTTP request on stderr, secrets hidden'),
  tz: string('--tz <zone>', 'time zone of days and times, such as Europe/Madrid', {
    completes: 'time-zone',
  }),
  timeout: string('--timeout <seconds>', 'time limit of one request (default 30; cdn 60)'),
  retries: integer('--retries <n>', 'how often a failed request may be tried again (default 3)', {
    min: 0,
    max: 100,
  }),
  // A --no flag is true until it is given.
  compression: boolean('--no-compression', 'request uncompressed responses'),
  curl: boolean('--curl', 'print the equivalent curl command and send nothing'),
  sandbox: boolean('--sandbox', 'use the embedded gateway: no key, no network'),
  color: boolean('--no-color', 'plain output'),
  input: boolean('--no-input', 'never ask for anything'),
} satisfies Record<string, Option<unknown>>;

type Given = ValuesOf<typeof GLOBAL_OPTIONS>;

/** The global options as commands see them. Throws UsageError for a bad value, two formats at once and the like. */
export function readGlobals(typed: TypedOptions): Globals {
  const given = typed.read(GLOBAL_OPTIONS) as Given;
  if (given.sandbox) {
    refuseBoth(given.profile !== undefined, '--sandbox', '--profile');
    refuseBoth(given.baseUrl !== undefined, '--sandbox', '--base-url');
  }
  const output = chosenFormat(given);
  return {
    flags: {
      profile: given.profile,
      baseUrl: given.baseUrl,
      insecureHttp: given.insecureHttp,
      output,
      timeZone: given.tz,
      timeout: given.timeout,
      retries: given.retries,
      compression: given.compression ? undefined : false,
    },
    csvDialect: given.csvDialect ?? CSV_DIALECTS[0],
    jq: given.jq,
    quiet: given.quiet,
    verbose: given.verbose,
    curl: given.curl,
    sandbox: given.sandbox,
    noColor: !given.color,
    noInput: !given.input,
  };
}

/** The one format that the flags name. `--jq` goes with JSON alone. */
function chosenFormat({ output, json, csv, jq }: Given): OutputFormat | undefined {
  const named: [string, OutputFormat][] = [];
  if (output !== undefined) named.push([`--output ${output}`, output]);
  if (json) named.push(['--json', 'json']);
  if (csv) named.push(['--csv', 'csv']);
  if (jq !== undefined) named.push(['--jq', 'json']);
  const [first] = named;
  const other = named.find(([, format]) => format !== first?.[1]);
  if (first !== undefined && other !== undefined) {
    throw new UsageError(`${first[0]} and ${other[0]} ask for different formats`, {
      code: 'conflicting_options',
      hints: ['give one of them'],
    });
  }
  return first?.[1];
}

function refuseBoth(both: boolean, one: string, other: string): void {
  if (both)
    throw new UsageError(`${one} and ${other} don't go together`, {
      code: 'conflicting_options',
      hints: ['give one of them'],
    });
}
