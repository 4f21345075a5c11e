import { conflict, invalidUsage, invalidValue, missingArgument } from '../../errors/usage.ts';
import { boolean, defineCommand, list, optional, required, string } from '../framework/define-command.ts';
import { OPEN } from '../framework/output-schema.ts';
import { PLAN_FLAGS, planInstead } from '../framework/plan-flags.ts';
import { fieldFlag } from './fields.ts';

const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'];

export const api = defineCommand({
  name: 'api',
  effect: 'request',
  summary: 'send a raw request with authentication',
  description:
    'Sends a request to a path below the base URL, a GET unless a method is given, and prints the JSON response. The key is sent as the API of that path requires: in the query for analytics v1, in the header for analytics v2, and as the profile sets for Subscriptions and CDN. Fields become the query of a GET and the JSON body of other methods; with --input they become the query. Keys may be nested: date_range[start_date]=…, metrics[]=…. An error response is printed as well and sets the exit code. Requests that may create something are never retried.',
  arguments: {
    method: optional('method', 'GET, POST, … (default GET)', {
      completes: METHODS,
    }),
    path: required('path', 'path below the base URL, with or without a leading slash'),
  },
  options: {
    rawField: fieldFlag('-f, --raw-field <key=value>', 'add a field whose value is text (repeatable)'),
    field: fieldFlag(
      '-F, --field <key=value>',
      'add a typed field: true, false, null, a number, @FILE for the content of a file, or @- for stdin (repeatable)',
    ),
    header: list(
      '-H, --header <header>',
      "add a header, such as 'X-Service-Reader-Email: reader@example.com'",
    ),
    input: string('--input <file>', 'send this JSON as the body (- for stdin)'),
    include: boolean('-i, --include', 'print status and headers before the body'),
    paginate: boolean('--paginate', 'fetch all pages of an analytics v2 query and print one document'),
    ...PLAN_FLAGS,
  },
  examples: {
    'gatectl api /bdaservices/getreports/': 'the names of the predefined reports',
    "gatectl api /subscriptions/v1/products -f domain=example.com -H 'X-Service-Reader-Email: reader@example.com'":
      'check one reader with the reader header',
    'gatectl api POST /gateway/bdaservices/v2/query --input query.json --paginate':
      'every row of a query in a file',
    "gatectl api POST /gateway/bdaservices/v2/query -f data_set=pageview -f 'dimensions[]=country' -f 'metrics[]=visits' -f 'date_range[start_date]=2026-02-01' -f 'date_range[end_date]=2026-02-28' -F limit=3":
      'the same kind of query from fields',
  },
  output: OPEN,
  async run(input, context) {
    const method = methodFrom(input);
    await planInstead(input, context);
    const { rawCall } = await import('./raw-call.ts');
    const { api: asked, request } = await rawCall({ ...input, method }, context);
    if (input.planOut !== undefined && request.effect === 'read')
      throw conflict('a request that changes nothing is not planned', 'omit --plan-out');
    if (input.paginate) {
      if (asked.name !== 'bda-v2' || method !== 'POST' || !/\/query\/*$/.test(request.path) || input.include)
        throw invalidUsage(
          '--paginate goes with POST …/query of analytics v2, without --include',
          'omit it for other calls',
        );
      const { showAllPages } = await import('./all-pages.ts');
      return await showAllPages(request, context);
    }
    const { showResponse } = await import('./show.ts');
    await showResponse(await (await context.gateway()).sendRaw(request), input.include, context);
  },
});

const METHOD = /^[a-z]+$/i;

/** Without a method, GET. Throws UsageError for a method without a path, and for a body without a method. */
function methodFrom({
  method,
  path,
  input,
}: {
  readonly method: string | undefined;
  readonly path: string;
  readonly input: string | undefined;
}): string {
  if (method === undefined && METHODS.includes(path.toUpperCase()))
    throw missingArgument('PATH is missing: path below the base URL', `type gatectl api ${path} PATH`);
  if (method === undefined && input !== undefined)
    throw missingArgument('--input requires a method', `type gatectl api POST ${path} --input …`);
  if (method === undefined) return 'GET';
  if (METHOD.test(method)) return method.toUpperCase();
  const isSwapped = METHODS.includes(path.toUpperCase());
  throw invalidValue(
    `${method} is not a method`,
    isSwapped ? `type gatectl api ${path} ${method}` : 'type gatectl api GET PATH',
  );
}
