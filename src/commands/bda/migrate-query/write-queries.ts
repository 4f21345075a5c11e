import { wholeNumberOf } from '../../../apis/bda/fields.ts';
import { type Json, parseJson, stringifyJson } from '../../../json/index.ts';
import {
  asCurl,
  asGatectl,
  type Merge,
  type MigratedQuery,
  type PlanPart,
  planRecord,
  queryJson,
} from '../../../migrate/index.ts';
import { QUERY_LIMIT_MAX } from '../../../wire/bda-v2.ts';
import type { Context } from '../../framework/context.ts';
import type { MigrateFlags } from '../flags/migrate-flags.ts';

const INDENT = 2;
/** Base URL in commands if none is configured. */
const PLACEHOLDER_GATEWAY = 'https://gateway.example.com';

export type Form = NonNullable<MigrateFlags['as']>;

/** Formats the queries: JSON of the one, a plan of several, or commands, each with its label as a comment. */
export async function queriesText(parts: readonly PlanPart[], form: Form, context: Context): Promise<string> {
  const queries = parts.flatMap(part => part.queries);
  const [only] = queries;
  if (form === 'json')
    return only !== undefined && queries.length === 1
      ? `${queryJson(only.query, INDENT)}\n`
      : `${stringifyJson(planRecord(parts), INDENT)}\n`;
  const settings = await context.settings();
  const capped = new Set(parts.filter(isCapped).flatMap(part => part.queries));
  const command = (one: MigratedQuery): string =>
    form === 'gatectl'
      ? asGatectl(one.query, settings.brand.value, capped.has(one))
      : asCurl(one.query, settings.baseUrl.value ?? PLACEHOLDER_GATEWAY, settings.prefixBdaV2.value);
  if (queries.length === 1) return `${queries.map(command).join('')}\n`;
  const labelled = (one: MigratedQuery) =>
    `# ${one.label.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')}\n${command(one)}\n`;
  return parts
    .flatMap(({ queries: own, merge }) => [
      ...own.map(labelled),
      ...(merge ? [`# ${mergeText(merge)}\n`] : []),
    ])
    .join('\n');
}

/** Whether v1 returns more rows than one query. */
function isCapped({ v1 }: PlanPart): boolean {
  return (wholeNumberOf(v1.request?.MaxItems) ?? 0) > QUERY_LIMIT_MAX;
}

/** What to do with the rows of several commands. */
function mergeText({ sort, offset, limit }: Merge): string {
  const how = sort === undefined ? 'append the rows' : `merge the rows by ${sort.column} ${sort.direction}`;
  const skipped = offset === 0 ? '' : `skip ${offset} and `;
  return `then ${how}, ${skipped}keep ${limit}`;
}

/** Writes the queries to stdout. */
export async function writeQueries(
  parts: readonly PlanPart[],
  as: Form | undefined,
  context: Context,
): Promise<void> {
  const { curl, jq } = context.globals;
  const form = as ?? (curl ? 'curl' : 'json');
  const settings = await context.settings();
  if (form === 'curl' && settings.baseUrl.value === undefined)
    context.log.note(`no base URL is configured; replace ${PLACEHOLDER_GATEWAY} in the command`);
  if (form !== 'json') return await context.out.printText(await queriesText(parts, form, context));
  if (settings.output.value === 'ndjson') {
    const queries = parts.flatMap(part => part.queries);
    return await context.out.printText(queries.map(({ query }) => `${queryJson(query)}\n`).join(''));
  }
  const text = await queriesText(parts, form, context);
  if (jq !== undefined) return await context.out.print(parseJson(text) satisfies Json);
  await context.out.printText(text);
}
