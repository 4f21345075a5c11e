import { boolean, list, oneOf, outputFile, string, type ValuesOf } from '../../framework/define-command.ts';
import { DAY_FLAGS } from '../day-flags.ts';

const FILE = { completes: 'file' } as const;

/** The flags of bda migrate-query. */
export const MIGRATE_FLAGS = {
  report: string('--report <name>', 'the predefined report that the request runs', { completes: 'report' }),
  customReport: string(
    '--custom-report <id|file>',
    'the custom report that the request runs: its id or title, or a file with its definition',
    FILE,
  ),
  url: string('--url <url>', 'the URL that the request goes to; its key is thrown away'),
  fromCurl: boolean(
    '--from-curl',
    'the input is a whole curl command: on stdin, in a file, or quoted; its key is thrown away',
  ),
  set: list('--set <name=value>', 'the value of a shell variable in the curl command; may be repeated'),
  segment: list(
    '--segment <id|name>',
    "a segment in place of the request's and the report's own; may be repeated",
    { completes: 'segment' },
  ),
  ...DAY_FLAGS,
  reports: string('--reports <file>', 'definitions of reports, as the gateway lists them', FILE),
  segments: string('--segments <file>', 'the segments, as gatectl bda segment list --json writes them', FILE),
  multifilters: string(
    '--multifilters <file>',
    'the multifilters, as gatectl bda multifilter list --json writes them',
    FILE,
  ),
  filters: string('--filters <file>', 'the filters, as gatectl bda filter list --json writes them', FILE),
  columns: string('--columns <file>', 'the columns of v2, as gatectl bda columns --json writes them', FILE),
  account: boolean(
    '--account',
    'tell of every custom report and segment of the account how far it is from v2',
  ),
  outDir: string('--out-dir <folder>', 'write a file for each query of a folder or of the account', {
    completes: 'directory',
  }),
  offline: boolean('--offline', 'ask the gateway nothing: what is not in files stays unknown'),
  dataSet: string('--data-set <name>', 'the data set of v2 (default pageview where it has the columns)', {
    completes: 'data-set',
  }),
  as: oneOf('--as <form>', 'what to print: json (default), curl or gatectl', ['json', 'curl', 'gatectl']),
  label: string('--label <label>', 'one of several queries, by the label that the notes tell'),
  run: boolean('--run', 'run the query of v2, instead of printing it'),
  verify: boolean(
    '--verify',
    'run the request on v1 and the query on v2, and exit 0 only when the rows agree',
  ),
  out: string('--out <file>', 'with --run: write the rows to a file, as bda query does', FILE),
  lossy: boolean('--lossy', 'leave out what v2 has no way to say, instead of refusing'),
  strict: boolean('--strict', 'print nothing and exit 7 when anything is lost'),
  notes: outputFile('--notes <file>', 'also write what changes and what is lost to a file, as JSON'),
};

/** What the command gets for its flags. */
export type MigrateFlags = ValuesOf<typeof MIGRATE_FLAGS> & { readonly file: string | undefined };
