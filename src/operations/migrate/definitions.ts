import { listOf, wholeNumberOf } from '../../apis/bda/fields.ts';
import { findCustomReport, reportsIn } from '../../apis/bda/report-definition.ts';
import { fetchCustomReports, withDefinition } from '../../apis/bda-v1/custom-reports.ts';
import { isReadable } from '../../apis/bda-v1/definition.ts';
import { fetchReport, fetchV1Listing } from '../../apis/bda-v1/listings.ts';
import { GatectlError, InterruptedError, InvalidResponseError } from '../../errors/index.ts';
import type { Sender } from '../../http/sender.ts';
import { isRecord, type Json, type JsonRecord } from '../../json/index.ts';
import type { Definitions, MissingDefinition } from '../../migrate/index.ts';
import { type Analytics, bdaV1Site } from '../listings/analytics.ts';
import { domainNames } from '../listings/listed-names.ts';
import { listingOf } from '../listings/listings.ts';

/** Source of the definitions that a request refers to. */
export interface DefinitionSource {
  /** The definitions read or fetched so far. */
  readonly known: Definitions;
  /** Whether it sends requests to the gateway. */
  readonly isLive: boolean;
  /** Fetches missing definitions; false if there is nothing more to fetch. */
  lookUp(missing: readonly MissingDefinition[]): Promise<boolean>;
  /** Fetches a listing that only checks require; false if it is known, or cannot be fetched. */
  lookUpListing(kind: 'columnsV1' | 'siteIds'): Promise<boolean>;
  /** All custom reports and all segments of the account; the first `most` reports with their definitions. */
  reports(most: number): Promise<readonly unknown[]>;
  segments(): Promise<readonly unknown[]>;
}

/** Definitions from files only. */
export function fixedDefinitions(known: Definitions): DefinitionSource {
  return {
    known,
    isLive: false,
    lookUp: async () => false,
    lookUpListing: async () => false,
    reports: async () => reportsIn(known.customReports),
    segments: async () => listOf(known.segments),
  };
}

/**
 * Definitions of `files`, and those of other kinds from the gateway, fetched when first required. Of a listing that only a check requires,
 * a failure is a warning.
 */
export async function liveDefinitions(files: Definitions, analytics: Analytics): Promise<DefinitionSource> {
  const columnsV2 = files.columnsV2 ?? (await listingForCheck('columns', 'v2', analytics));
  return new LiveDefinitions({ ...files, columnsV2 }, await analytics.gateway(), analytics);
}

/** A listing that only a check requires; undefined with a warning if it fails. */
async function listingForCheck(
  name: 'columns' | 'domains',
  api: 'v1' | 'v2',
  analytics: Analytics,
): Promise<Json | undefined> {
  try {
    return (await listingOf(name, api, analytics)).body;
  } catch (error) {
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    analytics.log.warn(`cannot list the ${name} of ${api}, so they are not checked: ${error.message}`);
    return undefined;
  }
}

const LISTINGS = {
  segment: ['segments', 'getsegments'],
  multifilter: ['multifilters', 'getmultifilters'],
  filter: ['filters', 'getfilters'],
} as const;

/** The ids of the sites in a listing; undefined if it has none that can be read. */
function siteIdsIn(listing: Json | undefined): readonly number[] | undefined {
  const names = listing === undefined ? [] : domainNames(listing);
  const ids = names.map(({ id }) => wholeNumberOf(id));
  return ids.length > 0 && ids.every(id => id !== undefined) ? ids : undefined;
}

class LiveDefinitions implements DefinitionSource {
  known: Definitions;
  readonly isLive = true;
  readonly #files: Definitions;
  readonly #sender: Sender;
  readonly #analytics: Analytics;
  /** Predefined reports by name. */
  #reports: Readonly<Record<string, Json>> = {};
  #customReports: readonly JsonRecord[] | undefined;
  readonly #defined = new Set<number>();
  readonly #listed = new Set<string>();

  constructor(files: Definitions, sender: Sender, analytics: Analytics) {
    this.known = files;
    this.#files = files;
    this.#sender = sender;
    this.#analytics = analytics;
  }

  async lookUp(missing: readonly MissingDefinition[]): Promise<boolean> {
    const before = this.known;
    for (const { what, id } of missing) this.known = { ...this.known, ...(await this.#found(what, id)) };
    const kinds = Object.keys(this.known) as (keyof Definitions)[];
    return kinds.some(kind => this.known[kind] !== before[kind]);
  }

  async lookUpListing(kind: 'columnsV1' | 'siteIds'): Promise<boolean> {
    if (this.#listed.has(kind) || this.known[kind] !== undefined) return false;
    this.#listed.add(kind);
    const found =
      kind === 'columnsV1'
        ? await listingForCheck('columns', 'v1', this.#analytics)
        : siteIdsIn(await listingForCheck('domains', 'v2', this.#analytics));
    this.known = { ...this.known, [kind]: found };
    return found !== undefined;
  }

  async reports(most: number): Promise<readonly unknown[]> {
    if (this.#files.customReports !== undefined) return reportsIn(this.#files.customReports);
    const listed = await this.#allReports();
    for (const report of listed.slice(0, most)) await this.#define(report);
    return await this.#allReports();
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
      const report = findCustomReport(await this.#allReports(), id);
      if (report !== undefined) await this.#define(report);
      return { customReports: await this.#allReports() };
    }
    const [kind, listing] = LISTINGS[what];
    if (this.known[kind] !== undefined) return {};
    const { body } = await fetchV1Listing(this.#sender, await bdaV1Site(this.#analytics), listing);
    return { [kind]: body };
  }

  async #predefined(name: string): Promise<Definitions> {
    if (this.#files.reports !== undefined || Object.hasOwn(this.#reports, name)) return {};
    const definition = await fetchReport(this.#sender, await bdaV1Site(this.#analytics), name);
    this.#reports = { ...this.#reports, [name]: definition };
    return { reports: this.#reports };
  }

  async #allReports(): Promise<readonly JsonRecord[]> {
    this.#customReports ??= await fetchCustomReports(this.#sender, await bdaV1Site(this.#analytics));
    return this.#customReports;
  }

  /** Reindexs a listed report with its definition, once. */
  async #define(report: JsonRecord): Promise<void> {
    const listed = await this.#allReports();
    const index = listed.indexOf(report);
    if (this.#defined.has(index)) return;
    this.#defined.add(index);
    const defined = await withDefinition(report, this.#sender, await bdaV1Site(this.#analytics));
    if (defined !== report) this.#customReports = listed.with(index, defined);
  }
}
