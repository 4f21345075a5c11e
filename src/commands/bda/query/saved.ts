import {
  checkQueryName,
  queryFileNamed,
  queryFiles,
  readQueryFile,
  removeQueryFile,
  writeQueryFile,
} from '../../../config/query-files.ts';
import { FileError, UsageError } from '../../../errors/index.ts';
import { missingArgument } from '../../../errors/usage.ts';
import type { JsonRecord } from '../../../json/index.ts';
import { quoterFor } from '../../../text/shell-words.ts';
import type { Context } from '../../framework/context.ts';
import {
  boolean,
  defineCommand,
  flagName,
  inGroup,
  isTyped,
  optional,
  required,
} from '../../framework/define-command.ts';
import { inputName } from '../../framework/json-input.ts';
import { listOf, NOTHING, object } from '../../framework/output-schema.ts';
import { rejectKeys } from '../../framework/reject-keys.ts';
import { inYamlFile } from '../../framework/yaml-flags.ts';
import { QUERY_FLAGS, type QueryFlags } from '../flags/query-flags.ts';
import { requestFrom } from '../flags/request-input.ts';
import {
  fieldsOf,
  mergeFlags,
  parseSavedQuery,
  SAVED_FLAGS,
  type SavedQuery,
  savedQuery,
  savedQueryText,
  wordsOf,
} from '../flags/saved-query.ts';
import { runQuery } from '../output/run-query.ts';
import { QUERY_OUTPUT, RUN_FLAGS } from './query.ts';

const NAME = required('name', 'the saved query', { completes: 'query' });
const PLACE = ['string', 'user or project'] as const;

export const querySave = defineCommand({
  name: 'save',
  effect: 'read',
  summary: 'save a query under a name',
  description:
    'Saves what is queried, from flags or JSON, to a YAML file that can be edited, in the configuration folder or with --project in .gatectl/queries of the project. Relative days such as --last 7d stay relative. Files, formats and charts are chosen when it runs. Nothing is sent.',
  arguments: {
    name: required('name', 'the name to save it under', { completes: 'query' }),
    file: optional('file', 'query as JSON (- for stdin), before the flags'),
  },
  options: {
    ...SAVED_FLAGS,
    ...inGroup('Saved query', {
      project: boolean('--project', 'save it in the project, for everyone who works on it'),
      replace: boolean('--replace', 'overwrite a saved query of the same name'),
    }),
  },
  examples: {
    'gatectl bda query save top-pages --data-set pageview -d page_url -m visits --sort visits:desc --limit 10 --last 7d':
      'then: gatectl bda query run top-pages',
  },
  output: NOTHING,
  async run({ name, file, project, replace, ...flags }, context) {
    const { log, io } = context;
    checkQueryName(name);
    const body = await requestFrom(file, context);
    if (wordsOf(flags).length === 0 && Object.keys(body).length === 0)
      throw missingArgument(
        'there is no query to save',
        `type gatectl bda query save ${name} --data-set pageview -d country -m visits --last 7d`,
      );
    const text = savedQueryText(name, flags, body);
    rejectKeys(text, { what: 'the query', where: 'which query show would print' }, context);
    const { flags: all } = parseSavedQuery(name, text);
    const { checkSavedQuery } = await import('./check-saved-query.ts');
    const hasDays = await checkSavedQuery(
      all,
      body,
      file === undefined ? undefined : inputName(file),
      context,
    );
    const saved = await writeQueryFile({ name, place: project ? 'project' : 'user', text, replace }, io);
    log.info(`saved ${saved.path}`);
    if (!hasDays) log.note(`${name} has no days: pass them when you run it, such as --last 7d`);
    const used = queryFileNamed(name, io);
    if (used.path !== saved.path) log.warn(`in this project, ${name} is ${used.path}`);
  },
});

export const queryRun = defineCommand({
  name: 'run',
  effect: 'read',
  summary: 'run a saved query',
  description:
    'Runs a saved query as gatectl bda query does. A flag replaces the saved one, and days replace the saved days. A file that gatectl bda migrate-query wrote, such as plan.json, is run as it is.',
  arguments: { name: required('name', 'the saved query, or the file of a plan', { completes: 'query' }) },
  options: RUN_FLAGS,
  examples: {
    'gatectl bda query run top-pages': 'run it as it was saved',
    'gatectl bda query run top-pages --previous month --out pages.csv':
      'the same query for last month, to a file',
  },
  output: QUERY_OUTPUT,
  async run({ name, print, ...typed }, context) {
    if (isPlanFile(name, context)) {
      const { runPlanFile } = await import('./run-plan-file.ts');
      return await runPlanFile(name, { print, ...typed }, context);
    }
    const { flags, body, places, file } = savedQuery(name, context);
    const merged = { ...mergeFlags(flags, typed), print };
    const source = Object.keys(body).length === 0 ? undefined : file.path;
    try {
      await runQuery({ flags: merged, readBody: async () => body, source, isStdin: false }, context);
    } catch (error) {
      const wasTyped = (flag: string) =>
        Object.entries(QUERY_FLAGS).some(
          ([key, option]) =>
            flagName(option.flags) === flag && isTyped(option, typed[key as keyof QueryFlags]),
        );
      throw error instanceof UsageError ? inYamlFile(error, file.path, places, wasTyped) : error;
    }
  },
});

/** Whether the argument is a file and not the name of a saved query. */
function isPlanFile(name: string, { io }: Context): boolean {
  const isPath = name === '-' || /[/\\]|\.json$/.test(name);
  return isPath && !queryFiles(io).some(saved => saved.name === name);
}

export const queryList = defineCommand({
  name: 'list',
  effect: 'read',
  summary: 'list the saved queries',
  options: {},
  examples: { 'gatectl bda query list': 'those of the project, and your own' },
  output: listOf({
    name: ['string', 'the name'],
    place: PLACE,
    flags: ['string|null', 'its flags; null if the file is invalid'],
    path: ['string', 'the file'],
  }),
  async run(_, context) {
    const quote = quoterFor(context.io);
    const rows: JsonRecord[] = [];
    for (const { name, place, path } of queryFiles(context.io)) {
      const found = readable(name, context);
      const flags = found === undefined ? null : wordsOf(found.flags).map(quote).join(' ');
      rows.push({ name, place, flags, path });
    }
    await context.out.print(rows, {
      columns: [
        { key: 'name', title: 'Name', kind: 'text' },
        { key: 'place', title: 'Place', kind: 'text' },
        { key: 'flags', title: 'Query', kind: 'text' },
        { key: 'path', title: 'File', kind: 'text' },
      ],
      secondary: ['path', 'place'],
      empty: 'no saved query yet; save one with: gatectl bda query save NAME --data-set …',
    });
  },
});

/** A saved query; undefined, with a warning, for a file that is invalid. */
function readable(name: string, context: Context): SavedQuery | undefined {
  try {
    return savedQuery(name, context);
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof FileError)) throw error;
    context.log.warn(error.message);
    return undefined;
  }
}

export const queryShow = defineCommand({
  name: 'show',
  effect: 'read',
  summary: 'print a saved query',
  arguments: { name: NAME },
  options: {},
  examples: {
    'gatectl bda query show top-pages': 'its file',
    'gatectl bda query show top-pages --jq .command': 'the command line that it stands for',
  },
  output: object({
    name: ['string', 'the name'],
    place: PLACE,
    path: ['string', 'the file'],
    flags: ['object', 'its flags, by their names'],
    query: ['object?', 'the query as API JSON, which the flags override'],
    command: ['string?', 'the same query as a command line; none with API JSON'],
  }),
  async run({ name }, context) {
    const { flags, body, file } = savedQuery(name, context);
    const { value: format } = (await context.settings()).output;
    if (format === 'table' && context.globals.jq === undefined)
      return await context.out.printText(readQueryFile(file, context.io));
    const hasBody = Object.keys(body).length > 0;
    const words = ['gatectl', 'bda', 'query', ...wordsOf(flags)].map(quoterFor(context.io));
    await context.out.print({
      name,
      place: file.place,
      path: file.path,
      flags: fieldsOf(flags),
      ...(hasBody ? { query: body } : { command: words.join(' ') }),
    });
  },
});

export const queryDelete = defineCommand({
  name: 'delete',
  effect: 'read',
  summary: 'delete a saved query',
  arguments: { name: NAME },
  options: { project: boolean('--project', "delete the project's instead of your own") },
  examples: { 'gatectl bda query delete top-pages': 'delete your own' },
  output: NOTHING,
  async run({ name, project }, { io, log }) {
    const file = queryFileNamed(name, io, project ? 'project' : 'user');
    await removeQueryFile(file);
    log.info(`deleted ${file.path}`);
  },
});
