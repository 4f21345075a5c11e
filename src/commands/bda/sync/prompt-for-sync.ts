import { dataDays } from '../../../analysis/data-days.ts';
import type { CatalogueColumn } from '../../../apis/bda/catalogue.ts';
import { type Day, isDay } from '../../../apis/bda/days.ts';
import { fetchDateRange } from '../../../apis/bda-v2/listings.ts';
import { GatectlError, InterruptedError } from '../../../errors/index.ts';
import type { Json } from '../../../json/index.ts';
import { bdaV2Site } from '../../../operations/listings/analytics.ts';
import { domainNames } from '../../../operations/listings/listed-names.ts';
import { listingOf } from '../../../operations/listings/listings.ts';
import { todayOf } from '../../../operations/today.ts';
import { ADDED_COLUMNS, DAY_COLUMN, hintNearest } from '../../../sync/config.ts';
import { problemWithDestination } from '../../../sync/destinations/schemes.ts';
import type { Prompt } from '../../../terminal/prompt.ts';
import type { Context } from '../../framework/context.ts';
import {
  columnsOfDataSet,
  namesIn,
  offeredColumns,
  promptForColumns,
  promptForDataSet,
} from '../flags/prompt-for-columns.ts';

/** What a new sync file contains, as far as flags or prompts say it. */
export interface SyncAnswers {
  readonly dataSet: string | undefined;
  readonly dimensions: readonly string[] | undefined;
  readonly metrics: readonly string[] | undefined;
  readonly domains: readonly string[] | undefined;
  readonly start: string | undefined;
  readonly destination: string | undefined;
}

/** What the gateway has; nothing of it if it cannot be asked. */
interface Offer {
  readonly columns: readonly CatalogueColumn[];
  readonly sites: readonly string[];
  readonly dateRange: Json | undefined;
}

/**
 * Prompts for what no flag says, and offers the data sets, columns and sites of the gateway; without a connection, they are typed. Throws
 * InterruptedError.
 */
export async function promptForSync(
  prompt: Prompt,
  given: SyncAnswers,
  context: Context,
): Promise<SyncAnswers> {
  const offer = await offerOf(context);
  const added: readonly string[] = [DAY_COLUMN, ...ADDED_COLUMNS];
  const offered = offer.columns.filter(({ name }) => !added.includes(name));
  const dataSet = given.dataSet ?? (await promptForDataSet(prompt, offer.columns));
  const columns = columnsOfDataSet(offered, dataSet);
  const dimensions =
    given.dimensions ??
    (await promptForColumns(prompt, 'Dimensions, in addition to day and site:', {
      columns: columns.dimensions,
      atLeastOne: false,
    }));
  const metrics =
    given.metrics ??
    (await promptForColumns(prompt, 'Metrics:', {
      columns: columns.metrics,
      atLeastOne: true,
    }));
  return {
    dataSet,
    dimensions,
    metrics,
    domains: given.domains ?? (await promptForSites(prompt, offer.sites)),
    start: given.start ?? (await promptForStart(prompt, offer.dateRange, dataSet, await todayOf(context))),
    destination: given.destination ?? (await promptForDestination(prompt)),
  };
}

async function offerOf(context: Context): Promise<Offer> {
  try {
    const [columns, domains, dateRange] = await Promise.all([
      listingOf('columns', 'v2', context),
      listingOf('domains', 'v2', context),
      dateRangeOf(context),
    ]);
    return {
      columns: offeredColumns(columns.body),
      sites: domainNames(domains.body).map(({ name }) => name),
      dateRange,
    };
  } catch (error) {
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    context.log.warn(`cannot list the columns: ${error.message}`, await context.hintsFor(error));
    return { columns: [], sites: [], dateRange: undefined };
  }
}

/** The days with data are a convenience: without them, no day is offered. */
async function dateRangeOf(context: Context): Promise<Json | undefined> {
  try {
    return await fetchDateRange(await context.gateway(), await bdaV2Site(context));
  } catch (error) {
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    return undefined;
  }
}

/** Undefined for all sites. */
async function promptForSites(
  prompt: Prompt,
  sites: readonly string[],
): Promise<readonly string[] | undefined> {
  const check = (text: string): true | string => {
    const names = namesIn(text);
    if (names.length === 0) return 'type all, or names with commas between them';
    const unknown = names.find(name => name !== ALL && sites.length > 0 && !sites.includes(name));
    if (unknown === undefined) return true;
    return [`the account has no site ${unknown}`, ...hintNearest(unknown, sites)].join(': ');
  };
  const count = sites.length > 1 ? ` of ${sites.length}, or all with those to come` : '';
  const names = namesIn(await prompt.input(`Sites${count}:`, { fallback: ALL, check }));
  return names.includes(ALL) ? undefined : names;
}

const ALL = 'all';

async function promptForStart(
  prompt: Prompt,
  dateRange: Json | undefined,
  dataSet: string,
  today: Day,
): Promise<Day> {
  const first = dateRange === undefined ? undefined : dataDays(dateRange, dataSet)?.from;
  const check = (text: string): true | string => {
    if (!isDay(text)) return 'type a day such as 2026-01-01';
    return text <= today || `${text} is in the future: type a day up to ${today}`;
  };
  return await prompt.input('First day:', { ...(first !== undefined && { fallback: first }), check });
}

/** The kinds of destinations, with what is prompted for after their schemes. */
const DESTINATIONS: Readonly<
  Record<string, { readonly label: string; readonly question: string; readonly fallback?: string }>
> = {
  '': { label: 'a folder of Parquet files', question: 'Folder:', fallback: 'lake' },
  'duckdb:': { label: 'a DuckDB file', question: 'File:', fallback: 'analytics.duckdb' },
  'postgres://': {
    label: 'PostgreSQL',
    question: 'Server and database, such as loader@db.example.com/analytics:',
  },
  'clickhouse://': {
    label: 'ClickHouse',
    question: 'Server and database, such as db.example.com:8123/analytics:',
  },
  's3://': {
    label: 'a bucket (S3-compatible)',
    question: 'Bucket and prefix, such as news-analytics/lake:',
  },
};

async function promptForDestination(prompt: Prompt): Promise<string> {
  const scheme = await prompt.choose(
    'Where should the rows be written?',
    Object.entries(DESTINATIONS).map(([value, { label }]) => ({ value, label })),
  );
  const check = (text: string): true | string => {
    if (withoutScheme(text, scheme) === '') return 'type a name';
    const found = problemWithDestination(scheme + withoutScheme(text, scheme));
    return found === undefined || `${found.problem}: ${found.hint}`;
  };
  const { question = '', fallback } = DESTINATIONS[scheme] ?? {};
  const typed = await prompt.input(question, { ...(fallback !== undefined && { fallback }), check });
  return scheme + withoutScheme(typed, scheme);
}

/** What follows the scheme, which may be typed again. */
function withoutScheme(text: string, scheme: string): string {
  const typed = text.trim();
  return scheme !== '' && typed.startsWith(scheme) ? typed.slice(scheme.length) : typed;
}
