import {
  boolean,
  inGroup,
  list,
  oneOf,
  outputFile,
  string,
  type ValuesOf,
} from '../../framework/define-command.ts';
import { DAY_FLAGS } from '../flags/day-flags.ts';

const FILE = { completes: 'file' } as const;

/** The flags of bda migrate-query. */
export const MIGRATE_FLAGS = {
  ...inGroup('Request', {
    report: string('--report <name>', 'predefined report that the request runs', { completes: 'report' }),
    customReport: string(
      '--custom-report <id|file>',
      'custom report that it runs, by id, title or file',
      FILE,
    ),
    url: string('--url <url>', 'URL of the request; its key is discarded'),
    fromCurl: boolean('--from-curl', 'read a curl command; its key is discarded'),
    set: list('--set <name=value>', 'set a shell variable of the curl command; repeatable'),
    segment: list('--segment <id|name>', "segment to use instead of the report's; repeatable"),
  }),
  ...DAY_FLAGS,
  ...inGroup('Definitions from files', {
    reports: string('--reports <file>', 'report definitions, as the gateway lists them', FILE),
    segments: string('--segments <file>', 'output of gatectl bda segment list --json', FILE),
    multifilters: string('--multifilters <file>', 'output of gatectl bda multifilter list --json', FILE),
    filters: string('--filters <file>', 'output of gatectl bda filter list --json', FILE),
    columns: string('--columns <file>', 'output of gatectl bda columns --json', FILE),
    offline: boolean('--offline', 'send nothing; use definitions from files only'),
  }),
  ...inGroup('Many requests', {
    account: boolean('--account', 'assess every custom report and segment'),
    outDir: string('--out-dir <folder>', 'write each query to a file in this folder'),
    replace: boolean('--replace', 'with --out-dir: overwrite files that have other contents'),
  }),
  ...inGroup('Result', {
    dataSet: string('--data-set <name>', 'data set of the v2 query (default pageview)', {
      completes: 'data-set',
    }),
    as: oneOf('--as <form>', 'what to print: json (default), curl or gatectl', ['json', 'curl', 'gatectl']),
    label: string('--label <label>', 'select one of several queries by its label'),
    run: boolean('--run', 'run the v2 query instead of printing it'),
    verify: boolean('--verify', 'run both and exit 0 only if the rows agree'),
    out: string('--out <file>', 'with --run: write the rows to a file', FILE),
    lossy: boolean('--lossy', 'omit what v2 cannot express instead of failing'),
    allowUnknown: list(
      '--allow-unknown <name>',
      'ignore a member of this name that v1 does not document; repeatable',
    ),
    strict: boolean('--strict', 'print nothing and exit 7 when anything is lost'),
    notes: outputFile('--notes <file>', 'write what changes and what is lost as JSON'),
  }),
};

/** The values of the flags and the argument. */
export type MigrateFlags = ValuesOf<typeof MIGRATE_FLAGS> & { readonly file: string | undefined };
