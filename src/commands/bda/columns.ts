import { secondaryFields } from '../../apis/bda/catalogue.ts';
import { listOf } from '../../apis/bda/fields.ts';
import { FileError } from '../../errors/index.ts';
import { cannotCombine, invalidUsage } from '../../errors/usage.ts';
import type { JsonResponse } from '../../http/gateway.ts';
import { isRecord, type Json } from '../../json/index.ts';
import { cacheColumns } from '../../operations/listings/column-catalogue.ts';
import { columnsMatching } from '../../operations/listings/columns-matching.ts';
import { listingOf } from '../../operations/listings/listings.ts';
import type { Context } from '../framework/context.ts';
import { boolean, defineCommand, string } from '../framework/define-command.ts';
import { OPEN } from '../framework/output-schema.ts';
import { COLUMNS_FLAG } from '../framework/shared-flags.ts';
import { API_FLAG } from './listings.ts';

export const columns = defineCommand({
  name: 'columns',
  effect: 'read',
  summary: 'list the dimensions and metrics',
  description:
    'Lists the columns that bda query can request and filter by, or with --api v1 those of saved reports, with their type, unit, description and data sets. The columns are also cached, per profile, for shell completion, suggestions and filter values, unless the server marks them no-store; the command itself never reads the cache.',
  options: {
    api: API_FLAG,
    search: string('--search <word>', 'only columns with this word in their name, description or unit'),
    dataSet: string('--data-set <name>', 'only columns of this data set', { completes: 'data-set' }),
    ...COLUMNS_FLAG,
    refresh: boolean('--refresh', 'update the cached columns; fail when they cannot be cached'),
  },
  examples: {
    'gatectl bda columns --search revenue': 'find columns on revenue',
    'gatectl bda columns --api v1': 'list the columns of saved reports',
    'gatectl bda columns --data-set pageview --csv': 'export the columns of one data set',
  },
  output: OPEN,
  async run({ api, search, dataSet, refresh, columns: chosen }, context) {
    if (api === 'v1' && (dataSet !== undefined || refresh))
      throw cannotCombine(
        `--api v1 and ${refresh ? '--refresh' : '--data-set'}`,
        'v1 has no data sets, and its columns are not cached',
      );
    const response = await listingOf('columns', api, context);
    const { body: listing } = response;
    if (api !== 'v1') await cache(response, refresh, context);
    const shown = columnsMatching(listing, { dataSet, search }, context.log);
    const isEmpty = listOf(shown).length === 0;
    await context.out.print(shown, {
      chosen,
      empty: 'no columns match',
      secondary: secondaryFields(listing),
      // The header of csv, whatever matches.
      ...(isEmpty && chosen === undefined && { columns: fieldsOf(listing).map(key => ({ key })) }),
    });
  },
});

async function cache(response: JsonResponse, refresh: boolean, context: Context): Promise<void> {
  try {
    const count = await cacheColumns(response, context);
    if (!refresh) return;
    if (count === 0)
      throw invalidUsage(
        'the columns cannot be cached',
        response.storable
          ? 'the sandbox is never cached, and without a home folder there is no cache: set XDG_CACHE_HOME'
          : 'the server marked the listing Cache-Control: no-store',
      );
    context.log.note(`cached ${count} columns for completion, suggestions and filter values`);
  } catch (error) {
    // Listing columns must work without a writable cache.
    if (refresh || !(error instanceof FileError)) throw error;
  }
}

/** The fields of the columns in a listing. */
function fieldsOf(listing: Json): string[] {
  return [...new Set(listOf(listing).flatMap(item => (isRecord(item) ? Object.keys(item) : [])))];
}
