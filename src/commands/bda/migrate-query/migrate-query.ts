import { defineCommand, optional } from '../../framework/define-command.ts';
import { object } from '../../framework/output-schema.ts';
import { MIGRATE_FLAGS } from '../flags/migrate-flags.ts';

export const migrateQuery = defineCommand({
  name: 'migrate-query',
  effect: 'read',
  summary: 'convert a v1 request to the equivalent v2 query',
  description: `Converts a v1 data request to the v2 query that returns the same rows, and notes for each field whether it is lossless, changed or lost. Fails for fields that v2 cannot express; --lossy omits them instead.

The request is JSON from a file or stdin. --report or --custom-report names the saved report that it runs, --url the URL that it is sent to. --from-curl reads a curl command, or a script with one; --set sets its variables, --last or --from its days. Keys in the input are discarded.

Definitions of reports, segments, multifilters, filters and columns come from files, or else from the gateway as required. With all of them in files, or with --offline, nothing is sent and no key is required.

A request that v1 splits by segment, or whose report has several charts, becomes a plan: the queries with their labels, and how their rows are merged, skipped and limited together. --run and gatectl bda query run FILE run a plan; --label selects one query, and -o ndjson writes one per line.

--verify sends the request to v1 as it is, runs the query or the plan on v2, and compares rows, values and order, allowing for the rounding of v1. It exits 0 if they agree, and 7 otherwise, also if neither version returns rows.

With --out-dir, FILE can be a folder of requests. --account reports for every custom report and segment of the account whether it is ready, ready with notes, or blocked; --out-dir writes the queries, --verify verifies them; with both, a run that was interrupted continues where it stopped.`,
  arguments: {
    file: optional(
      'file',
      'file with the v1 request (- for stdin): JSON, a URL, or a script with a curl command; or a quoted URL or curl command',
    ),
  },
  options: MIGRATE_FLAGS,
  examples: {
    'gatectl bda migrate-query request.json': 'convert a getCustomData request',
    'gatectl bda migrate-query --report Pages --last 7d': 'convert a request for a predefined report',
    "gatectl bda migrate-query --report Pages --last 7d --segment 'North America'": 'the same with a segment',
    'gatectl bda migrate-query --from-curl --as gatectl < job.sh':
      'convert a curl command to a gatectl command',
    'gatectl bda migrate-query job.sh --last 7d --set SITE=5':
      'convert a script that computes its days and its site',
    'gatectl bda migrate-query --custom-report 101 --last 7d --verify':
      'verify that a custom report returns the same rows on v2',
    'gatectl bda migrate-query --account -o md':
      'assess all reports and segments of the account, as markdown',
    'gatectl bda migrate-query requests --out-dir queries --notes notes.json':
      'convert all requests in a folder',
    'gatectl bda migrate-query request.json --custom-report report.json --segments segments.json --multifilters multifilters.json --columns columns.json --offline':
      'convert a custom report offline',
  },
  output: object({
    '(field)': ['any', 'the fields of the v2 query; a plan if the request becomes several'],
  }),
  async run(flags, context) {
    // Large, and used by this command only.
    const { runMigration } = await import('./run-migration.ts');
    return await runMigration(flags, context);
  },
});
