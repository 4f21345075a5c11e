import { defineCommand, optional } from '../../framework/define-command.ts';
import { object } from '../../framework/output-schema.ts';
import { MIGRATE_FLAGS } from './flags.ts';

export const migrateQuery = defineCommand({
  name: 'migrate-query',
  summary: 'turn a request of v1 into the query of v2 that gives the same rows',
  description: `Turns a v1 data request into the query of v2 that gives the same rows, and says what becomes of each field: lossless, changed or lost. What v2 has no way to say is refused, field by field; --lossy leaves it out instead.

The request is JSON from a file or stdin, with --report or --custom-report where its columns are those of a saved report, or --url with the URL it is sent to. --from-curl takes a whole curl command, or a script with one; --set gives values to its variables, and --last or --from to its days. No key is ever kept or printed.

Reports, segments, multifilters, filters and columns come from files, and otherwise from the gateway once they are needed. With everything in files, or with --offline, nothing is sent and no key is needed.

Where one request needs several queries, because v1 splits its rows by segments or the report has several charts, they are a list; -o ndjson writes one query a line whether there is one or more. The notes name each, and --label picks one.

--verify asks v1 and v2 the same, joins the rows on their dimensions and compares each metric within the rounding of v1. It exits 0 when rows, figures and order agree, and 7 otherwise; two empty answers prove nothing.

A folder of requests becomes a folder of queries with --out-dir. --account looks at every custom report and segment that the account has saved: ready, ready with notes, or blocked, and by what; with --out-dir their queries are written, with --verify they are proven.`,
  arguments: {
    file: optional(
      'file',
      'a file with the v1 request (- for stdin): JSON, a URL or a script with a curl command; or one of these two itself, quoted',
      {
        completes: 'file',
      },
    ),
  },
  options: MIGRATE_FLAGS,
  examples: [
    { does: 'a request to getCustomData', command: 'gatectl bda migrate-query request.json' },
    {
      does: 'a request that runs a predefined report, with its days',
      command: 'gatectl bda migrate-query --report Pages --last 7d',
    },
    {
      does: 'the same for the readers of a segment',
      command: "gatectl bda migrate-query --report Pages --last 7d --segment 'North America'",
    },
    {
      does: 'a curl command from a cron job, as the command that replaces it',
      command: 'gatectl bda migrate-query --from-curl --as gatectl < job.sh',
    },
    {
      does: 'a script that computes its days and its site',
      command: 'gatectl bda migrate-query job.sh --last 7d --set SITE=5',
    },
    {
      does: 'prove that a custom report gives the same rows on v2',
      command: 'gatectl bda migrate-query --custom-report 101 --last 7d --verify',
    },
    {
      does: 'how far the whole account is from v2, to paste into a ticket',
      command: 'gatectl bda migrate-query --account -o md',
    },
    {
      does: 'all requests of a folder at once',
      command: 'gatectl bda migrate-query requests --out-dir queries --notes notes.json',
    },
    {
      does: 'a custom report without network and key',
      command:
        'gatectl bda migrate-query request.json --custom-report report.json --segments segments.json --multifilters multifilters.json --columns columns.json --offline',
    },
  ],
  answers: object({
    '(field)': ['any', "the fields of v2's query; where one request needs several queries, a list of them"],
  }),
  async run(flags, context) {
    // The converter is large, and no other command needs it.
    const { runMigration } = await import('./run-migration.ts');
    return await runMigration(flags, context);
  },
});
