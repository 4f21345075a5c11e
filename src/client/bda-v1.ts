import { PAGE_ROWS, rowColumns } from '../apis/bda-v1/data-request.ts';
import { fetchReport, fetchV1Listing } from '../apis/bda-v1/listings.ts';
import { reportRows } from '../apis/bda-v1/report-rows.ts';
import {
  type BdaV1Site,
  createReportRequest,
  createSegmentRequest,
  type DataTarget,
  type V1Listing,
} from '../apis/bda-v1/requests.ts';
import { CUSTOM_REPORT, DATA_REQUEST, SEGMENT } from '../documents/bda-v1.ts';
import { type Declaration, unknownMembers } from '../documents/declaration.ts';
import { PartialError, UsageError } from '../errors/index.ts';
import type { Plan } from '../export/plan.ts';
import type { GatewayRequest } from '../http/request.ts';
import type { Sender } from '../http/sender.ts';
import { integerOf, isRecord, type Json, type JsonRecord } from '../json/index.ts';
import type { CustomReport, DataRequest, Segment } from '../wire/bda-v1.ts';
import { checkRowsOptions, requestOf } from './check-request.ts';
import type { Connection } from './connection.ts';
import type {
  ColumnV1,
  CreatedReport,
  DomainV1,
  FilterListing,
  Multifilter,
  MultifilterTypes,
  ReportDefinition,
  SavedReport,
  SavedSegment,
} from './listings.ts';
import { digitsIn, jsonOf } from './numbers.ts';
import type { CallOptions, DocumentOptions } from './options.ts';
import { RequestedRows } from './requested-rows.ts';
import type { Rows, RowsOptions } from './rows.ts';
import { textOf } from './settings.ts';
import type { Cell } from './values.ts';

/** What to run: a predefined report, a custom report, or the columns that the request names. */
export type ReportTarget =
  | { readonly reportName: string }
  | { readonly customReportId: string | number | bigint }
  | 'columns';

/** A data request. Without `MaxItems`, all rows are fetched, in pages. */
export type ReportRequest = Omit<DataRequest, 'MaxItems'> & { readonly MaxItems?: number };

/** A row of a report; the API documents no columns. */
export interface ReportRow<Number> {
  readonly [column: string]: Cell<Number> | undefined;
}

/** The API states no maximum. */
const MOST_PAGE_ROWS = 1_000_000;

/** BDA v1, the analytics API of saved reports and segments. The shapes of its responses are not documented. */
export class BdaV1 {
  readonly #connection: Connection;

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Runs a report, or a query for columns. Requests are sent while rows are read. */
  data(
    target: ReportTarget,
    request: ReportRequest,
    options?: RowsOptions<'string'> & DocumentOptions,
  ): Rows<ReportRow<string>>;
  data(
    target: ReportTarget,
    request: ReportRequest,
    options: RowsOptions<'bigint'> & { readonly numbers: 'bigint' } & DocumentOptions,
  ): Rows<ReportRow<bigint | string>>;
  data<Value>(
    target: ReportTarget,
    request: ReportRequest,
    options: RowsOptions<(digits: string) => Value> & DocumentOptions,
  ): Rows<ReportRow<Value>>;
  data(
    target: ReportTarget,
    request: ReportRequest,
    options: RowsOptions & DocumentOptions = {},
  ): Rows<ReportRow<unknown>> {
    checkRowsOptions(options, MOST_PAGE_ROWS);
    const { StartItem, MaxItems, ...rest } = asDocument(request, DATA_REQUEST, 'the data request', options);
    const start = StartItem === undefined ? 0 : countOf('StartItem', StartItem, 0);
    const limit = MaxItems === undefined ? undefined : countOf('MaxItems', MaxItems, 1);
    const plan: Plan =
      limit === undefined
        ? { start, pageSize: options.pageSize ?? PAGE_ROWS, pagesInFlight: options.pagesInFlight }
        : { start, pageSize: limit, single: true };
    let isCut = false;
    const source = (sender: Sender) =>
      reportRows(sender, this.#site, {
        target: targetOf(target),
        request: rest,
        columns: rowColumns(rest),
        onRepeated: page => {
          // After a page that was not full there may be no more rows.
          isCut = (page.offset - start) % plan.pageSize === 0;
        },
      });
    const finish = () => {
      if (isCut)
        throw new PartialError('the server ignores StartItem: rows after the first page are missing', {
          code: 'page_repeated',
        });
    };
    return new RequestedRows(this.#connection, { source, plan, finish }, options);
  }

  /** The definition of a predefined report. Throws ApiError for an unknown name. */
  async report(name: string, options: CallOptions = {}): Promise<ReportDefinition> {
    const reportName = textOf('name', name);
    return await this.#run(options, sender => fetchReport(sender, this.#site, reportName));
  }

  /** Lists the names of the predefined reports. */
  async reports(options: CallOptions = {}): Promise<readonly string[]> {
    return await this.#listing('getreports', options);
  }

  /** Lists the columns. */
  async columns(options: CallOptions = {}): Promise<readonly ColumnV1[]> {
    return await this.#listing('getcolumns', options);
  }

  /** Lists the custom reports with ids and names. */
  async customReports(options: CallOptions = {}): Promise<readonly SavedReport[]> {
    return await this.#listing('getcustomreports', options);
  }

  /** Lists custom and premade segments. */
  async segments(options: CallOptions = {}): Promise<readonly SavedSegment[]> {
    return await this.#listing('getsegments', options);
  }

  /** Lists the multifilters. */
  async multifilters(options: CallOptions = {}): Promise<readonly Multifilter[]> {
    return await this.#listing('getmultifilters', options);
  }

  /** Lists the multifilter types with their option keys. */
  async multifilterTypes(options: CallOptions = {}): Promise<MultifilterTypes> {
    return await this.#listing('getmultifiltertypes', options);
  }

  /** Lists the domains. */
  async domains(options: CallOptions = {}): Promise<readonly DomainV1[]> {
    return await this.#listing('getdomains', options);
  }

  /** Lists the filters. */
  async filters(options: CallOptions = {}): Promise<readonly FilterListing[]> {
    return await this.#listing('getfilters', options);
  }

  /** Creates a segment and returns the response. Never retried: after a NetworkError it may exist, so check `segments()`. */
  async createSegment(segment: Segment, options: CallOptions & DocumentOptions = {}): Promise<SavedSegment> {
    const document = asDocument(segment, SEGMENT, 'the segment', options);
    return await this.#create(createSegmentRequest(this.#site, document), options);
  }

  /** Creates a custom report and returns the response. Never retried: after a NetworkError it may exist, so check `customReports()`. */
  async createCustomReport(
    report: CustomReport,
    options: CallOptions & DocumentOptions = {},
  ): Promise<CreatedReport> {
    const document = asDocument(report, CUSTOM_REPORT, 'the report', options);
    return await this.#create(createReportRequest(this.#site, document), options);
  }

  get #site(): BdaV1Site {
    return { prefix: this.#connection.settings.prefixes.bdaV1 };
  }

  async #listing<Listed>(listing: V1Listing, options: CallOptions): Promise<Listed> {
    return await this.#run(options, async sender => (await fetchV1Listing(sender, this.#site, listing)).body);
  }

  async #create<Created>(request: GatewayRequest, options: CallOptions): Promise<Created> {
    return await this.#run(options, async sender => (await sender.send(request)).body);
  }

  async #run<Result>(options: CallOptions, call: (sender: Sender) => Promise<Json>): Promise<Result> {
    return await this.#connection.run(options, async sender => digitsIn(await call(sender)) as Result);
  }
}

function targetOf(target: ReportTarget): DataTarget {
  if (target === 'columns') return { inline: true };
  if ('reportName' in target) return { reportName: textOf('reportName', target.reportName) };
  const id = String(target.customReportId);
  if (/^\d+$/.test(id)) return { customReportId: id };
  throw new UsageError('customReportId must be a number', { code: 'invalid_value' });
}

function countOf(field: string, value: Json, min: number): number {
  const count = integerOf(value);
  if (count !== undefined && count >= min) return count;
  throw new UsageError(`${field} must be an integer from ${min}`, { code: 'invalid_request' });
}

/** A document as JSON. Throws UsageError for a member that it does not declare. */
function asDocument(
  value: object,
  declaration: Declaration,
  what: string,
  { allowUnknown = [] }: DocumentOptions,
): JsonRecord {
  const json = requestOf(value, given => jsonOf(given, what));
  if (!isRecord(json)) throw new UsageError(`${what} must be an object`, { code: 'invalid_request' });
  const unknown = unknownMembers(json, declaration, allowUnknown);
  const details = unknown.map(({ field, message }) => ({ field, message }));
  const [first] = details;
  if (first === undefined) return json;
  throw new UsageError(`${what}: ${first.field} ${first.message}`, { code: 'invalid_request', details });
}
