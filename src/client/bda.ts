import { problemsOf } from '../apis/bda-v2/check-query.ts';
import { fetchListing } from '../apis/bda-v2/listings.ts';
import type { BdaV2Site, Listing } from '../apis/bda-v2/requests.ts';
import { UsageError } from '../errors/index.ts';
import { integerOf, isRecord, type JsonRecord } from '../json/index.ts';
import { type PlannedQuery, planQuery } from '../operations/query/plan-query.ts';
import { QUERY_LIMIT_MAX } from '../wire/bda-v2.ts';
import { checkRowsOptions, requestOf } from './check-request.ts';
import type { Connection } from './connection.ts';
import type { Columns, DataSets, DateRange, Domains } from './listings.ts';
import { digitsIn, jsonOf } from './numbers.ts';
import type { CallOptions } from './options.ts';
import type { Rows, RowsOptions } from './rows.ts';
import type { Cell } from './values.ts';

/** A condition on a column. Operators seen: `greater_than`, `greater_than_or_equal`, `in`. */
export interface QueryFilter {
  readonly column: string;
  readonly operator: 'greater_than' | 'greater_than_or_equal' | 'in' | (string & {});
  readonly value?: string | number | bigint | boolean | null;
  /** With `in`. */
  readonly values?: readonly (string | number | bigint | boolean | null)[];
}

/**
 * A BDA v2 query. Without `limit`, all rows are fetched, in pages. The columns of its rows are those that it names, or those of the type
 * where it was declared: `const query: Query<'country', 'visits'>`.
 */
export interface Query<Dimension extends string = string, Metric extends string = string> {
  readonly data_set: string;
  /** Days, `YYYY-MM-DD`. */
  readonly date_range: { readonly start_date: string; readonly end_date: string };
  readonly dimensions?: readonly Dimension[];
  readonly metrics?: readonly Metric[];
  /** All must match. In a group, any one is enough; the API documentation leaves its shape open. */
  readonly filters?: readonly (QueryFilter | { readonly any_of: readonly QueryFilter[] })[];
  readonly sort?: readonly { readonly column: string; readonly direction: 'asc' | 'desc' | (string & {}) }[];
  readonly limit?: number;
  readonly offset?: number;
  /** All sites if absent. */
  readonly domain_id?: number | bigint;
  /** `service`, `original` or `all`; the first carries the service's brand word. */
  readonly platform?: string;
  readonly url_options?: {
    readonly query_params?: 'include' | 'exclude' | (string & {});
    readonly fragments?: 'include' | 'exclude' | (string & {});
    readonly case_normalization?: unknown;
  };
}

/** The names in a list of a query; any name for a list whose names are not known, such as that of a `Query`. */
type NamesIn<List> = NonNullable<List> extends readonly (infer Name extends string)[] ? Name : never;

/** The columns that a query names. */
type ColumnsOf<Asked extends Query> = NamesIn<Asked['dimensions']> | NamesIn<Asked['metrics']>;

/** What a column contains: a metric numbers, or null where there is none. Of names that are not known, any may be a dimension. */
type CellOf<Asked extends Query, Column, Number> =
  string extends ColumnsOf<Asked>
    ? Cell<Number>
    : Column extends NamesIn<Asked['dimensions']>
      ? Cell<Number>
      : Number | null;

/** A row of a query: the columns that it names. */
export type QueryRow<Asked extends Query, Number> = {
  readonly [Column in ColumnsOf<Asked>]: CellOf<Asked, Column, Number>;
};

/** Rejects members that a query does not have, such as `dimension`: a type parameter accepts them all. */
type Exact<Asked> = { readonly [Name in Exclude<keyof Asked, keyof Query>]: never };

/**
 * Requests the rows of queries.
 * @internal
 */
export interface QueryRows {
  /** Rows per request where all rows are fetched; by default as many as the API allows. */
  readonly pageSize?: number;
  open(
    connection: Connection,
    site: BdaV2Site,
    query: PlannedQuery,
    options: RowsOptions,
  ): Rows<QueryRow<Query, unknown>>;
}

/** BDA v2, the analytics API. */
export class Bda {
  readonly #connection: Connection;
  readonly #rows: QueryRows;

  /** @internal */
  constructor(connection: Connection, rows: QueryRows) {
    this.#connection = connection;
    this.#rows = rows;
  }

  /**
   * Runs a query. Requests are sent while rows are read: all rows, with pages in flight and a sort that ends in all dimensions so that
   * pages neither overlap nor leave gaps; or with `limit`, one request. Throws UsageError for an invalid query.
   */
  query<const Asked extends Query & Exact<Asked>>(
    query: Asked,
    options?: RowsOptions<'string'>,
  ): Rows<QueryRow<Asked, string>>;
  query<const Asked extends Query & Exact<Asked>>(
    query: Asked,
    options: RowsOptions<'bigint'> & { readonly numbers: 'bigint' },
  ): Rows<QueryRow<Asked, bigint | string>>;
  query<const Asked extends Query & Exact<Asked>, Value>(
    query: Asked,
    options: RowsOptions<(digits: string) => Value>,
  ): Rows<QueryRow<Asked, Value>>;
  query(query: Query, options: RowsOptions = {}): Rows<QueryRow<Query, unknown>> {
    checkRowsOptions(options, QUERY_LIMIT_MAX);
    const asked = asRecord(query);
    const problems = problemsOf(asked);
    const [first] = problems;
    if (first !== undefined)
      throw new UsageError(`invalid query: ${first.field} ${first.message}`, {
        code: 'invalid_request',
        details: problems,
      });
    const { pageSize = this.#rows.pageSize, pagesInFlight } = options;
    const planned = planQuery(asked, integerOf(asked.limit) === undefined, { pageSize, pagesInFlight });
    return this.#rows.open(this.#connection, this.#site, planned, options);
  }

  /** Lists the domains, as the API sends them. */
  async domains(options: CallOptions = {}): Promise<Domains> {
    return await this.#listing('domains', options);
  }

  /** Lists the columns with type, unit, description and data sets, as the API sends them. */
  async columns(options: CallOptions = {}): Promise<Columns> {
    return await this.#listing('columns', options);
  }

  /** Lists the data sets, as the API sends them. */
  async dataSets(options: CallOptions = {}): Promise<DataSets> {
    return await this.#listing('data-sets', options);
  }

  /** The earliest and latest dates with data, as the API sends them. */
  async dateRange(options: CallOptions = {}): Promise<DateRange> {
    return await this.#listing('date-range', options);
  }

  get #site(): BdaV2Site {
    return { prefix: this.#connection.settings.prefixes.bdaV2 };
  }

  async #listing<Listed>(listing: Listing, options: CallOptions): Promise<Listed> {
    return await this.#connection.run(
      options,
      async sender => digitsIn((await fetchListing(sender, this.#site, listing)).body) as Listed,
    );
  }
}

function asRecord(query: Query): JsonRecord {
  const json = requestOf(query, given => jsonOf(given, 'the query'));
  if (isRecord(json)) return json;
  throw new UsageError('the query must be an object', { code: 'invalid_request' });
}
