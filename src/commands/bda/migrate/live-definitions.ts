import { GatectlError, InterruptedError } from '../../../errors/index.ts';
import type { Definitions, Need } from '../../../families/bda/migrate/index.ts';
import { fetchCustomReports } from '../../../families/bda/v1/custom-reports.ts';
import { fetchReport, fetchV1Listing } from '../../../families/bda/v1/listings.ts';
import type { BdaV1Site } from '../../../families/bda/v1/requests.ts';
import { fetchListing } from '../../../families/bda/v2/listings.ts';
import type { Sender } from '../../../gateway/sender.ts';
import type { Json } from '../../../json/index.ts';
import type { Context } from '../../context.ts';
import { bdaV1Site, bdaV2Site } from '../site.ts';
import { type DefinitionSource, definitionsInFiles, fixedDefinitions } from './definitions.ts';
import type { MigrateFlags } from './flags.ts';

/**
 * The definitions in files, and of the kinds that no file holds those that the gateway has, each asked for once it is needed.
 * Without a gateway, with `--offline` and with `--curl` the files are all there is.
 */
export async function definitionsFor(flags: MigrateFlags, context: Context): Promise<DefinitionSource> {
  const files = await definitionsInFiles(flags);
  const { baseUrl } = await context.settings();
  if (flags.offline || context.globals.curl || baseUrl.value === undefined) return fixedDefinitions(files);
  const columnsV2 = files.columnsV2 ?? (await columnsIfListed(context));
  return new LiveDefinitions({ ...files, columnsV2 }, await context.gateway(), await bdaV1Site(context));
}

/** Columns make a query sure, but it can be made without: a gateway that does not list them is no reason to give up. */
async function columnsIfListed(context: Context): Promise<Json | undefined> {
  try {
    return await fetchListing(await context.gateway(), await bdaV2Site(context), 'columns');
  } catch (error) {
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    context.warn(`the columns of v2 could not be listed, so names are not checked: ${error.message}`);
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
  readonly #sender: Sender;
  readonly #site: BdaV1Site;
  /** Predefined reports by name. */
  #reports: Readonly<Record<string, Json>> = {};

  constructor(files: Definitions, sender: Sender, site: BdaV1Site) {
    this.known = files;
    this.#sender = sender;
    this.#site = site;
  }

  async lookUp(needs: readonly Need[]): Promise<boolean> {
    const before = this.known;
    for (const { what, id } of needs) this.known = { ...this.known, ...(await this.#found(what, id)) };
    const kinds = Object.keys(this.known) as (keyof Definitions)[];
    return kinds.some(kind => this.known[kind] !== before[kind]);
  }

  /** The kind with what is needed in it; nothing where a file or an earlier look-up has told that kind. */
  async #found(what: Need['what'], id: string): Promise<Definitions> {
    const { reports, customReports } = this.known;
    if (what === 'report') {
      const isFile = reports !== undefined && reports !== this.#reports;
      if (isFile || Object.hasOwn(this.#reports, id)) return {};
      const definition = await fetchReport(this.#sender, this.#site, id);
      this.#reports = { ...this.#reports, [id]: definition };
      return { reports: this.#reports };
    }
    if (what === 'custom report')
      return customReports === undefined
        ? { customReports: await fetchCustomReports(this.#sender, this.#site, id) }
        : {};
    const [kind, listing] = LISTINGS[what];
    if (this.known[kind] !== undefined) return {};
    return { [kind]: await fetchV1Listing(this.#sender, this.#site, listing) };
  }
}
