import { cannotCombine, invalidUsage } from '../errors/usage.ts';
import { isList, type Json, stringifyJson } from '../json/index.ts';
import { type Context, DOCUMENT_KINDS } from './framework/context.ts';
import { boolean, defineCommand, string, variadic } from './framework/define-command.ts';
import { object } from './framework/output-schema.ts';

/** What is described instead of the commands, by flag. */
const DESCRIBED = {
  openapi: 'the API',
  sync: 'sync files',
  report: 'report files',
  map: 'purge maps',
  watch: 'watch files',
  query: 'saved queries',
  project: 'project files',
  policy: 'policies',
};
const KINDS = ['openapi', ...DOCUMENT_KINDS] as const;

export const schema = defineCommand({
  name: 'schema',
  effect: 'read',
  summary: 'print the commands and their options as JSON',
  description:
    'Prints the commands with their arguments, flags (value, type, choices, default, repeatable), examples and output fields, and the exit codes, environment variables and settings, as JSON. With the words of a command, that command and those below it. With --compact, each command in one line for an assistant that reads all of it; with --search, the commands that do what a text describes. With --openapi, an OpenAPI 3.1 document of the API instead, and with --sync, --report, --map, --watch, --query, --project or --policy, a JSON Schema of such files. The output is JSON unless a flag names another format.',
  arguments: { words: variadic('command', 'the words of a command', { completes: 'command' }) },
  options: {
    compact: boolean('--compact', 'print effect, summary, arguments and flags of each command in one line'),
    search: string('--search <text>', 'print the commands that do what the text describes'),
    openapi: boolean(
      '--openapi',
      'print an OpenAPI 3.1 document of the API; x-assumed marks undocumented behavior',
    ),
    sync: boolean('--sync', 'print a JSON Schema of gatectl.sync.yaml, for editors'),
    report: boolean('--report', 'print a JSON Schema of the files of bda report build, for editors'),
    map: boolean('--map', 'print a JSON Schema of the maps of cdn purge, for editors'),
    watch: boolean('--watch', 'print a JSON Schema of the files of bda watch, for editors'),
    query: boolean('--query', 'print a JSON Schema of saved queries, for editors'),
    project: boolean('--project', 'print a JSON Schema of .gatectl.yaml, for editors'),
    policy: boolean('--policy', 'print a JSON Schema of policies, for editors'),
  },
  examples: {
    'gatectl schema': 'everything',
    "gatectl schema cdn purge --jq '.flags[].name'": 'the flags of one command',
    "gatectl schema --jq '.exitCodes[] | select(.code == 7)'": 'what an exit code means',
    "gatectl schema --search 'purge what a deploy changed'": 'find a command',
    'gatectl schema --openapi > openapi.json': 'an OpenAPI document of the API',
    'gatectl schema --sync > gatectl.sync.schema.json': 'completion and checks of sync files in an editor',
  },
  output: object({
    name: ['string', 'the command with the words that lead to it'],
    summary: ['string', 'what it does, in a few words'],
    description: ['string?', 'what it does'],
    commands: ['object[]?', 'of a group: the commands below it, each in this form'],
    effect: ['string?', 'read, write or irreversible, at the gateway; request: as its input says'],
    arguments: ['object[]?', 'name, required, variadic, summary and what completes it'],
    flags: [
      'object[]?',
      'name, short name, type, choices, least and largest value, default, repeatable, summary',
    ],
    output: ['object?', 'shape and fields of its JSON output'],
    examples: ['{does: string, command: string}[]?', 'example command lines'],
    '(member)': ['any', 'of another document, such as about with --compact or info with --openapi'],
    version: ['string?', 'of gatectl itself: also globalFlags, exitCodes, environment, settings and topics'],
  }),
  async run({ words, compact, search, ...flags }, context) {
    const [kind, other] = KINDS.filter(each => flags[each]);
    if (other !== undefined) throw cannotCombine(`--${kind} and --${other}`);
    if (compact && kind !== undefined) throw cannotCombine(`--compact and --${kind}`);
    if (search !== undefined) {
      if (compact || kind !== undefined) throw cannotCombine(`--search and --${kind ?? 'compact'}`);
      if (words.length > 0)
        throw cannotCombine('--search and the words of a command', 'put the text in quotes');
    }
    const described =
      search !== undefined
        ? (await context.manual.documentation()).findCommands(search)
        : compact
          ? (await context.manual.documentation()).compactSchema(words)
          : kind === undefined
            ? await context.manual.schema(words)
            : await documentOf(kind, words, context);
    if (search !== undefined && isList(described) && described.length === 0)
      context.log.note('no command matches; gatectl docs search WORDS searches the documentation too');
    const { origin } = (await context.settings()).output;
    if (context.globals.jq === undefined && !origin.startsWith('flag'))
      return await context.out.printText(compact ? onePerLine(described) : stringifyJson(described, 2));
    await context.out.print(described);
  },
});

/** One command per line: indented, a fifth would be blanks. */
function onePerLine(described: Json): string {
  return stringifyJson(described).replaceAll('},"', '},\n"');
}

async function documentOf(
  kind: (typeof KINDS)[number],
  words: readonly string[],
  context: Context,
): Promise<Json> {
  if (words.length > 0)
    throw invalidUsage(
      `--${kind} describes ${DESCRIBED[kind]}, not gatectl ${words.join(' ')}`,
      `gatectl schema --${kind}`,
    );
  if (kind !== 'openapi') return (await context.manual.documentSchema(kind)) as Json;
  const brand = (await context.settings()).brand.value;
  return (await import('../wire/openapi/index.ts')).openApiDocument({ brand }) as unknown as Json;
}
