import { listOf } from '../../../apis/bda/fields.ts';
import { reportsIn } from '../../../apis/bda/report-definition.ts';
import { UsageError } from '../../../errors/index.ts';
import type { Json } from '../../../json/index.ts';
import { type Definitions, type Need, readColumnCatalogue } from '../../../migrate/index.ts';
import type { Context } from '../../framework/context.ts';
import { jsonFile } from '../../framework/json-input.ts';
import type { MigrateFlags } from './flags.ts';

/** Where the definitions come from that a request points at. */
export interface DefinitionSource {
  /** What is known by now. */
  readonly known: Definitions;
  /** Whether the gateway may be asked. */
  readonly isLive: boolean;
  /** Looks up what is pointed at and not there; false where there is nothing new to know. */
  lookUp(needs: readonly Need[]): Promise<boolean>;
  /** Every custom report and every segment of the account, each as a record if all is well; `most` reports have their definitions. */
  reports(most: number): Promise<readonly unknown[]>;
  segments(): Promise<readonly unknown[]>;
}

/** The definitions that flags name files for. Throws UsageError or FileError. */
export async function definitionsInFiles(flags: MigrateFlags, context: Context): Promise<Definitions> {
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

/** Columns are checked against what is in the file, so one without any would let all pass. */
async function columnsIn(path: string | undefined, context: Context): Promise<Json | undefined> {
  const listing = path === undefined ? undefined : await jsonFile(path, context);
  if (listing === undefined || readColumnCatalogue(listing) !== undefined) return listing;
  throw new UsageError(`${path} holds no columns`, {
    code: 'invalid_input',
    hints: ['gatectl bda columns --json writes them as they are wanted'],
  });
}

/** Definitions that nothing is added to. */
export function fixedDefinitions(known: Definitions): DefinitionSource {
  return {
    known,
    isLive: false,
    lookUp: async () => false,
    reports: async () => reportsIn(known.customReports),
    segments: async () => listOf(known.segments),
  };
}
