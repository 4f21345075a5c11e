import { listOf } from '../../../apis/bda/fields.ts';
import { findCustomReport, reportsIn } from '../../../apis/bda/report-definition.ts';
import { fetchCustomReports, withDefinition } from '../../../apis/bda-v1/custom-reports.ts';
import { isReadable } from '../../../apis/bda-v1/definition.ts';
import { fetchReport, fetchV1Listing } from '../../../apis/bda-v1/listings.ts';
import type { BdaV1Site } from '../../../apis/bda-v1/requests.ts';
import { fetchListing } from '../../../apis/bda-v2/listings.ts';
import { GatectlError, InterruptedError, InvalidResponseError, UsageError } from '../../../errors/index.ts';
import type { Sender } from '../../../http/sender.ts';
import { isRecord, type Json, type JsonRecord } from '../../../json/index.ts';
import { type Definitions, type MissingDefinition, readColumnCatalogue } from '../../../migrate/index.ts';
import { bdaV1Site, bdaV2Site } from '../../../operations/listings/analytics.ts';
import type { Context } from '../../framework/context.ts';
import { jsonFile } from '../../framework/json-input.ts';
import type { MigrateFlags } from './flags.ts';

/** Source of the definitions that a request refers to. */
export interface DefinitionSource {
  /** The definitions read or fetched so far. */
  readonly known: Definitions;
  /** Whether it sends requests to the gateway. */
  readonly isLive: boolean;
  /** Fetches missing definitions; false if there is nothing more to fetch. */
  lookUp(missing: readonly MissingDefinition[]): Promise<boolean>;
  /** Fetches the columns of v1; false if there is nothing more to fetch. */
  lookUpColumnsV1(): Promise<boolean>;
  /** All custom reports and all segments of the account; the first `most` reports with their definitions. */
  reports(most: number): Promise<readonly unknown[]>;
  segments(): Promise<readonly unknown[]>;
}

/** Reads the files of definitions. Throws UsageError or FileError. */
async function definitionsInFiles(flags: MigrateFlags, context: Context): Promise<Definitions> {
  const read = async (path: string | undefined): Promise<Json | undefined> =>
    path === undefined ? undefined : await jsonFile(path, context);
  const reports = await read(flags.reports);
  return {
    reports,
    customReports: reports,
    segments: await read(flags.segments),
    multifilters: await read(flags.multifilters),
    filters: await read(flags.filters),
    columnsV2: await columnsIn(flags.columns, context),
  };
}

/** Rejects a file without columns: every column of a request would fail the check. */
async function columnsIn(path: string | undefined, context: Context): Promise<Json | undefined> {
  const listing = path === undefined ? undefined : await jsonFile(path, context);
  if (listing === undefined || readColumnCatalogue(listing) !== undefined) return listing;
  throw new UsageError(`no columns in ${path}`, {
    code: 'invalid_input',
    hints: ['gatectl bda columns --json prints them in this format'],
  });
}

/** Definitions from files only. */
function fixedDefinitions(known: Definitions): DefinitionSource {
  return {
    known,
    isLive: false,
    lookUp: async () => false,
    lookUpColumnsV1: async () => false,
    reports: async () => reportsIn(known.customReports),
    segments: async () => listOf(known.segments),
  };
}

/**
 * Definitions from files, and those of other kinds from the gateway, fetched when first required. Without a gateway, with
 * `--offline` or with `--curl`, from files only.
 */
export async function definitionsFor(flags: MigrateFlags, context: Context): Promise<DefinitionSource> {
  const files = await definitionsInFiles(flags, context);
  const { baseUrl } = await context.settings();
  if (flags.offline || context.globals.curl || baseUrl.value === undefined) return fixedDefinitions(files);
  const columnsV2 = files.columnsV2 ?? (await columnsIfListed(context));
  return new LiveDefinitions({ ...files, columnsV2 }, await context.gateway(), await bdaV1Site(context));
}

/** The v2 columns; undefined with a warning if listing them fails, because only the check of names requires them. */
async function columnsIfListed(context: Context): Promise<Json | undefined> {
  try {
    const { body } = await fetchListing(await context.gateway(), await bdaV2Site(context), 'columns');
    return body;
  } catch (error) {
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    context.log.warn(`cannot list the columns of v2, so names are not checked: ${error.message}`);
    return undefined;
  }
}

const LISTINGS = {
  segment: ['segments', 'getsegments'],
  multifilter: ['multifilters', 'getmultifilters'],
  filter: ['filters', 'getfilters'],
} as const;

class LiveDefinitions implements DefinitionSource {
  known: Definitions;
  readonly isLive = true;
  readonly #files: Definitions;
  readonly #sender: Sender;
  readonly #site: BdaV1Site;
  /** Predefined reports by name. */
  #reports: Readonly<Record<string, Json>> = {};
  #customReports: readonly JsonRecord[] | undefined;
  readonly #defined = new Set<number>();

  constructor(files: Definitions, sender: Sender, site: BdaV1Site) {
    this.known = files;
    this.#files = files;
    this.#sender = sender;
    this.#site = site;
  }

  async lookUp(missing: readonly MissingDefinition[]): Promise<boolean> {
    const before = this.known;
    for (const { what, id } of missing) this.known = { ...this.known, ...(await this.#found(what, id)) };
    const kinds = Object.keys(this.known) as (keyof Definitions)[];
    return kinds.some(kind => this.known[kind] !== before[kind]);
  }

  async lookUpColumnsV1(): Promise<boolean> {
    if (this.known.columnsV1 !== undefined) return false;
    const { body } = await fetchV1Listing(this.#sender, this.#site, 'getcolumns');
    this.known = { ...this.known, columnsV1: body };
    return true;
  }

  async reports(most: number): Promise<readonly unknown[]> {
    if (this.#files.customReports !== undefined) return reportsIn(this.#files.customReports);
    const listed = await this.#listed();
    for (const report of listed.slice(0, most)) await this.#define(report);
    return await this.#listed();
  }

  async segments(): Promise<readonly unknown[]> {
    await this.lookUp([{ what: 'segment', id: '' }]);
    const segments = listOf(this.known.segments).filter(isRecord);
    if (isReadable(this.known.segments, segments)) return segments;
    throw new InvalidResponseError('no segments found in the response of getsegments', {
      code: 'unexpected_shape',
    });
  }

  /** Fetches the listing or report that contains the definition; nothing if a file or an earlier request provided it. */
  async #found(what: MissingDefinition['what'], id: string): Promise<Definitions> {
    if (what === 'report') return await this.#predefined(id);
    if (what === 'custom report') {
      if (this.#files.customReports !== undefined) return {};
      const report = findCustomReport(await this.#listed(), id);
      if (report !== undefined) await this.#define(report);
      return { customReports: await this.#listed() };
    }
    const [kind, listing] = LISTINGS[what];
    if (this.known[kind] !== undefined) return {};
    const { body } = await fetchV1Listing(this.#sender, this.#site, listing);
    return { [kind]: body };
  }

  async #predefined(name: string): Promise<Definitions> {
    if (this.#files.reports !== undefined || Object.hasOwn(this.#reports, name)) return {};
    const definition = await fetchReport(this.#sender, this.#site, name);
    this.#reports = { ...this.#reports, [name]: definition };
    return { reports: this.#reports };
  }

  async #listed(): Promise<readonly JsonRecord[]> {
    this.#customReports ??= await fetchCustomReports(this.#sender, this.#site);
    return this.#customReports;
  }

  /** Reindexs a listed report with its definition, once. */
  async #define(report: JsonRecord): Promise<void> {
    const listed = await this.#listed();
    const index = listed.indexOf(report);
    if (this.#defined.has(index)) return;
    this.#defined.add(index);
    const defined = await withDefinition(report, this.#sender, this.#site);
    if (defined !== report) this.#customReports = listed.with(index, defined);
  }
}
