import { type Json, parseJson } from '../../../json/index.ts';
import { asCurl, asGatectl, type MigratedQuery, queryJson } from '../../../migrate/index.ts';
import type { Context } from '../../framework/context.ts';
import type { MigrateFlags } from './flags.ts';

const INDENT = 2;
/** Base URL in commands if none is configured. */
const PLACEHOLDER_GATEWAY = 'https://gateway.example.com';

export type Form = NonNullable<MigrateFlags['as']>;

/** Formats the queries: JSON of the one, a JSON list of several, or commands, each with its label as a comment. */
export async function queriesText(
  queries: readonly MigratedQuery[],
  form: Form,
  context: Context,
): Promise<string> {
  if (form === 'json') {
    const [only] = queries;
    if (queries.length === 1 && only !== undefined) return `${queryJson(only.query, INDENT)}\n`;
    const listed = queries.map(({ query }) => queryJson(query, INDENT).replaceAll('\n', '\n  '));
    return `[\n  ${listed.join(',\n  ')}\n]\n`;
  }
  const settings = await context.settings();
  const command = ({ query }: MigratedQuery): string =>
    form === 'gatectl'
      ? asGatectl(query, settings.brand.value)
      : asCurl(query, settings.baseUrl.value ?? PLACEHOLDER_GATEWAY, settings.prefixBdaV2.value);
  if (queries.length === 1) return `${queries.map(command).join('')}\n`;
  return queries
    .map(one => `# ${one.label.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')}\n${command(one)}\n`)
    .join('\n');
}

/** Writes the queries to stdout. */
export async function writeQueries(
  queries: readonly MigratedQuery[],
  as: Form | undefined,
  context: Context,
): Promise<void> {
  const { curl, jq } = context.globals;
  const form = as ?? (curl ? 'curl' : 'json');
  const settings = await context.settings();
  if (form === 'curl' && settings.baseUrl.value === undefined)
    context.log.note(`no base URL is configured; replace ${PLACEHOLDER_GATEWAY} in the command`);
  if (form !== 'json') return await context.out.printText(await queriesText(queries, form, context));
  if (settings.output.value === 'ndjson')
    return await context.out.printText(queries.map(({ query }) => `${queryJson(query)}\n`).join(''));
  const text = await queriesText(queries, form, context);
  if (jq !== undefined) return await context.out.print(parseJson(text) satisfies Json);
  await context.out.printText(text);
}
