import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../errors/index.ts';
import type { Json } from '../../json/index.ts';
import { access } from '../access/access.ts';
import { columns } from '../bda/columns.ts';
import { migrateQuery } from '../bda/migrate-query/migrate-query.ts';
import { query } from '../bda/query/query.ts';
import { reportRun } from '../bda/report/run.ts';
import { why } from '../bda/why/why.ts';
import { purchases } from '../purchases.ts';
import { reader } from '../reader/reader.ts';
import type { Allowed } from './allow-flag.ts';
import { readCsvHead } from './csv-head.ts';
import { PLAN_MS, type Plans } from './plans.ts';
import { printedData } from './shown.ts';
import { listArgument, schemaOf, type ToolSchema, textArgument, wordsOf } from './tool-schema.ts';

/** What a tool may do beyond running commands. */
export interface ToolContext {
  /**
   * Runs a gatectl command line with the connection options of the server, as `-o json`. Throws CommandFailed if it exits with
   * anything but the codes of a result.
   */
  readonly run: (words: readonly string[], input?: string) => Promise<CommandResult>;
  /** Hides addresses of readers. */
  readonly mask: boolean;
  /** The folder for rows, which exists. */
  readonly rowsFolder: () => Promise<string>;
  readonly plans: Plans;
  /** URLs or keys that one plan may name. */
  readonly maxTargets: number;
}

interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  /** Notes and warnings. */
  readonly notes: readonly string[];
  /** The error of a result that is not complete. */
  readonly error: Json | undefined;
}

export type Arguments = Readonly<Record<string, Json>>;

/** A tool of the server: a command with some of its options. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly schema: ToolSchema;
  readonly readOnly: boolean;
  /** For a write: the word after `--allow` that offers it. */
  readonly allowedBy?: Allowed;
  /** For a write: the question for the user, where the client can ask one. Throws UsageError. */
  readonly question?: (given: Arguments, context: ToolContext) => string;
  /** The result, which is data. Throws UsageError and CommandFailed. */
  readonly call: (given: Arguments, context: ToolContext) => Promise<Readonly<Record<string, Json>>>;
}

/** Rows that reach the model; all of them are in the file. */
const SHOWN_ROWS = 30;

const DAYS = ['last', 'previous', 'from', 'to'] as const;

const READER = { leaf: reader, options: ['email', 'product', 'domain'], required: ['email'] };
const ACCESS = { leaf: access, options: ['email', 'item', 'domain'], required: ['email'] };
const PURCHASES = { leaf: purchases, options: ['email', 'active', 'domain'], required: ['email'] };
const COLUMNS = { leaf: columns, options: ['dataSet', 'search'] };
const QUERY = {
  leaf: query,
  options: ['dataSet', 'dimension', 'metric', 'filter', 'sort', 'limit', ...DAYS, 'domain'],
};
const WHY = {
  leaf: why,
  options: ['dataSet', 'metric', 'dimension', 'filter', ...DAYS, 'compare', 'depth'],
  required: ['metric'],
};
const REPORT = { leaf: reportRun, options: ['id', 'filter', 'segment', 'limit', ...DAYS] };
const MIGRATE = { leaf: migrateQuery, options: ['report', 'customReport', 'last', 'from', 'to'] };

/** The tools of a server. */
const TOOLS: readonly Tool[] = [
  {
    name: 'reader',
    title: 'Look up a reader',
    description:
      "A reader's products, purchases and access decisions, with what each means and what to do next.",
    schema: schemaOf(READER),
    readOnly: true,
    call: (given, context) => dataOf(['reader', ...wordsOf(READER, given), ...maskWords(context)], context),
  },
  {
    name: 'access',
    title: 'Check access',
    description: 'Whether a reader may read a product or a one-time item. Only allowed: true means yes.',
    schema: withArgument(schemaOf(ACCESS), 'product', { type: 'string', description: 'the product handle' }),
    readOnly: true,
    call(given, context) {
      const { product: _, ...options } = given;
      const product = textArgument(given, 'product');
      const words = product === undefined ? [] : [`--product=${product}`];
      return dataOf(['access', ...wordsOf(ACCESS, options), ...words, ...maskWords(context)], context);
    },
  },
  {
    name: 'purchases',
    title: 'List purchases',
    description: 'What a reader bought, with status and end.',
    schema: schemaOf(PURCHASES),
    readOnly: true,
    call: (given, context) => dataOf(['purchases', ...wordsOf(PURCHASES, given)], context),
  },
  {
    name: 'columns',
    title: 'List data sets and columns',
    description: 'Without arguments the data sets; with data_set or search the columns that query accepts.',
    schema: schemaOf(COLUMNS),
    readOnly: true,
    call(given, context) {
      const words = wordsOf(COLUMNS, given);
      return dataOf(words.length === 0 ? ['bda', 'data-sets'] : ['bda', 'columns', ...words], context);
    },
  },
  {
    name: 'query',
    title: 'Query analytics',
    description: `Writes all rows to a CSV file and returns the first ${SHOWN_ROWS}, their number and the file.`,
    schema: schemaOf(QUERY),
    readOnly: true,
    call: (given, context) => rowsOf(['bda', 'query', ...wordsOf(QUERY, given)], [], context),
  },
  {
    name: 'why',
    title: 'Explain a change',
    description: 'Which values of which dimensions explain the change of a metric, with exact contributions.',
    schema: schemaOf(WHY),
    readOnly: true,
    call: (given, context) => dataOf(['bda', 'why', ...wordsOf(WHY, given)], context),
  },
  {
    name: 'report',
    title: 'Run a saved v1 report',
    description: 'Without arguments the saved reports; with name or id the rows, as query returns them.',
    schema: withArgument(schemaOf(REPORT), 'name', { type: 'string', description: 'a predefined report' }),
    readOnly: true,
    call(given, context) {
      const { name: _, ...options } = given;
      const name = textArgument(given, 'name');
      if (Object.keys(given).length === 0) return dataOf(['bda', 'report', 'list'], context);
      const words = ['bda', 'report', 'run', ...wordsOf(REPORT, options)];
      return rowsOf(words, name === undefined ? [] : ['--', name], context);
    },
  },
  {
    name: 'migrate',
    title: 'Convert a v1 request to v2',
    description:
      'The v2 query with the same rows as a v1 data request or saved report, and notes on what changes.',
    schema: withArgument(schemaOf(MIGRATE), 'request', {
      type: 'string',
      description: 'the v1 request: JSON, its URL, or a curl command',
    }),
    readOnly: true,
    call(given, context) {
      const { request: _, ...options } = given;
      const request = textArgument(given, 'request');
      const words = ['bda', 'migrate-query', ...wordsOf(MIGRATE, options)];
      return request === undefined ? dataOf(words, context) : dataOf([...words, '-'], context, request);
    },
  },
  {
    name: 'purge_plan',
    title: 'Plan a purge',
    description: 'Checks URLs or surrogate keys to purge and returns a plan. Sends nothing.',
    schema: {
      type: 'object',
      properties: {
        urls: { type: 'array', items: { type: 'string' }, description: 'complete https URLs' },
        keys: { type: 'array', items: { type: 'string' }, description: 'surrogate keys' },
        domain: {
          type: 'string',
          description: 'the domain of the keys; for URLs, the only domain they may have',
        },
      },
    },
    readOnly: true,
    call: planPurge,
  },
  {
    name: 'purge_apply',
    title: 'Apply a purge plan',
    description: 'Purges the targets of a plan. A plan is valid once, for five minutes.',
    schema: {
      type: 'object',
      properties: { plan: { type: 'string', description: 'the id that purge_plan returned' } },
      required: ['plan'],
    },
    readOnly: false,
    allowedBy: 'cdn-purge',
    question(given, { plans }) {
      const { targets, kind, domain } = plans.find(textArgument(given, 'plan') ?? '');
      const where = domain === undefined ? '' : ` on ${domain}`;
      return `Purge ${targets.length} ${kind}${where}: ${targets.slice(0, 5).join(', ')}${targets.length > 5 ? ', …' : ''}`;
    },
    call(given, context) {
      const { words } = context.plans.take(textArgument(given, 'plan') ?? '');
      return dataOf(words, context);
    },
  },
];

/** The tools that a server with these writes allowed offers. */
export function toolsFor(allowed: readonly string[]): readonly Tool[] {
  return TOOLS.filter(({ allowedBy }) => allowedBy === undefined || allowed.includes(allowedBy));
}

async function planPurge(given: Arguments, context: ToolContext): Promise<Readonly<Record<string, Json>>> {
  const [urls, keys] = [listArgument(given, 'urls'), listArgument(given, 'keys')];
  const domain = textArgument(given, 'domain');
  const targets = [...urls, ...keys];
  if ((urls.length === 0) === (keys.length === 0))
    throw new UsageError('a plan requires either urls or keys', { code: 'missing_argument' });
  if (targets.length > context.maxTargets)
    throw new UsageError(`a plan may name at most ${context.maxTargets} URLs or keys`, {
      code: 'invalid_value',
      hints: ['the user can purge more with gatectl cdn purge, or start the server with --max-targets'],
    });
  // Words such as @FILE and - would read files.
  const bad =
    urls.find(url => !/^https?:\/\//i.test(url)) ?? keys.find(key => /[\s,]/.test(key) || key === '');
  if (bad !== undefined)
    throw new UsageError(
      urls.length > 0 ? `'${bad}' is not a complete URL` : `'${bad}' is not one surrogate key`,
      { code: 'invalid_value' },
    );
  const words = [
    ...['cdn', 'purge', '--no-resume'],
    ...(domain === undefined ? [] : ['--domain', domain]),
    ...keys.flatMap(key => ['--key', key]),
    ...(urls.length === 0 ? [] : ['--', ...urls]),
  ];
  const at = words.includes('--') ? words.indexOf('--') : words.length;
  const { stdout } = await context.run(words.toSpliced(at, 0, '--dry-run'));
  const requests = printedData(stdout);
  const kind = urls.length > 0 ? ('URLs' as const) : ('surrogate keys' as const);
  return {
    plan: context.plans.add({ words, targets, kind, domain }),
    expiresInSeconds: PLAN_MS / 1000,
    kind,
    count: targets.length,
    targets,
    requests: Array.isArray(requests) ? requests.length : 1,
  };
}

/** What a command prints as JSON. */
async function dataOf(
  words: readonly string[],
  context: ToolContext,
  input?: string,
): Promise<Readonly<Record<string, Json>>> {
  const ran = await context.run(words, input);
  return { result: printedData(ran.stdout), ...noted(ran) };
}

/** The first rows, with all of them in a file, unless they contradict the query. `last` are the words after the options. */
async function rowsOf(
  words: readonly string[],
  last: readonly string[],
  context: ToolContext,
): Promise<Readonly<Record<string, Json>>> {
  const file = join(await context.rowsFolder(), `rows-${randomBytes(4).toString('hex')}.csv`);
  const ran = await context.run([...words, '--strict', '--out', file, ...last]);
  const isWritten = existsSync(file);
  const { records, count } = isWritten ? await readCsvHead(file, SHOWN_ROWS + 1) : { records: [], count: 0 };
  const [columns = [], ...rows] = records;
  return {
    columns,
    rows,
    shown: rows.length,
    count: Math.max(0, count - 1),
    // With --strict, a result that may lack rows has another exit code.
    complete: ran.code === 0,
    ...(isWritten && { file }),
    ...noted(ran),
  };
}

function noted({ code, notes, error }: CommandResult): Readonly<Record<string, Json>> {
  return {
    ...(notes.length > 0 && { notes }),
    ...(code !== 0 && { exit: code }),
    ...(error !== undefined && { error }),
  };
}

function maskWords({ mask }: ToolContext): string[] {
  return mask ? ['--mask'] : [];
}

function withArgument(
  schema: ToolSchema,
  name: string,
  argument: ToolSchema['properties'][string],
): ToolSchema {
  return { ...schema, properties: { [name]: argument, ...schema.properties } };
}
