import { boolean, defineCommand } from '../../framework/define-command.ts';
import { listOf } from '../../framework/output-schema.ts';
import { PLAN_FLAGS, SCOPE_FLAGS, SYNC_ARGUMENT } from './flags.ts';

export const syncPlan = defineCommand({
  name: 'plan',
  effect: 'read',
  summary: 'show what a run would request, and why',
  description:
    'Prints the queries that run would send now, each with its days, the reason, and the rows and requests to expect. Queries no analytics and changes nothing.',
  arguments: SYNC_ARGUMENT,
  options: {
    ...PLAN_FLAGS,
    ...SCOPE_FLAGS,
    units: boolean('--units', 'print one unit of work per line, for run --units on other machines'),
  },
  examples: {
    'gatectl bda sync plan': 'what a run would request',
    'gatectl bda sync plan --units > units.ndjson': 'for other machines',
    "gatectl bda sync plan --jq '[.[].requests] | add'": 'how many requests',
  },
  output: listOf({
    table: ['string', 'the table'],
    domain: ['string', 'the site'],
    domain_id: ['number', 'its id'],
    from: ['string', 'the first day'],
    to: ['string', 'the last day'],
    partitions: ['number', 'partitions that it fills'],
    reasons: [
      'string',
      'how many partitions for which reason: new, provisional, revised, refetch, query, schema, renamed or damaged',
    ],
    rows: ['number|null', 'the rows to expect; null if nothing is known yet'],
    requests: ['number', 'the requests to expect; at least one if nothing is known yet'],
  }),
  async run(flags, context) {
    const { printPlan } = await import('./print-plan.ts');
    await printPlan(flags, context);
  },
});
