import { listOf } from '../../../apis/bda/fields.ts';
import { findCustomReport, reportsIn } from '../../../apis/bda/report-definition.ts';
import { fetchCustomReports, withDefinition } from '../../../apis/bda-v1/custom-reports.ts';
import { isReadable } from '../../../apis/bda-v1/definition.ts';
import { fetchReport, fetchV1Listing } from '../../../apis/bda-v1/listings.ts';
import type { BdaV1Site } from '../../../apis/bda-v1/requests.ts';
import { fetchListing } from '../../../apis/bda-v2/listings.ts';
import { GatectlError, InterruptedError, InvalidResponseError } from '../../../errors/index.ts';
import type { Sender } from '../../../http/sender.ts';
import { isRecord, type Json, type JsonRecord } from '../../../json/index.ts';
import type { Definitions, Need } from '../../../migrate/index.ts';
import type { Context } from '../../framework/context.ts';
import { bdaV1Site, bdaV2Site } from '../site.ts';
import { type DefinitionSource, definitionsInFiles, fixedDefinitions } from './definitions.ts';
import type { MigrateFlags } from './flags.ts';

/**
 * The definitions in files, and of the kinds that no file holds those that the gateway has, each asked for once it is needed.
 * Without a gateway, with `--offline` and with `--curl` the files are all there is.
 */
export async function definitionsFor(flags: MigrateFlags, context: Context): Promise<DefinitionSource> {
  const files = await definitionsInFiles(flags, context);
  const { baseUrl } = await context.settings();
  if (flags.offline || context.globals.curl || baseUrl.value === undefined) return fixedDefinitions(files);
  const columnsV2 = files.columnsV2 ?? (await columnsIfListed(context));
  return new LiveDefinitions({ ...files, columnsV2 }, await context.gateway(), await bdaV1Site(context));
}

/** Columns make a query sure, but it can be made without: a gateway that does not list them is no reason to give up. */
async function columnsIfListed(context: Context): Promise<Json | undefined> {
  try {
    const { body } = await fetchListing(await context.gateway(), await bdaV2Site(context), 'columns');
    return body;
  } catch (error) {
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    context.log.warn(`the columns of v2 could not be listed, so names are not checked: ${error.message}`);
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

  async lookUp(needs: readonly Need[]): Promise<boolean> {
    const before = this.known;
    for (const { what, id } of needs) this.known = { ...this.known, ...(await this.#found(what, id)) };
    const kinds = Object.keys(this.known) as (keyof Definitions)[];
    return kinds.some(kind => this.known[kind] !== before[kind]);
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
    throw new InvalidResponseError('no segments can be found in the answer of getsegments', {
      code: 'unexpected_shape',
    });
  }

  /** The kind with what is needed in it; nothing where a file or an earlier look-up has told that kind. */
  async #found(what: Need['what'], id: string): Promise<Definitions> {
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

  /** Puts the definition in the place of what was listed, once. */
  async #define(report: JsonRecord): Promise<void> {
    const listed = await this.#listed();
    const place = listed.indexOf(report);
    if (this.#defined.has(place)) return;
    this.#defined.add(place);
    const defined = await withDefinition(report, this.#sender, this.#site);
    if (defined !== report) this.#customReports = listed.with(place, defined);
  }
}
