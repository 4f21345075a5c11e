import { isPresent } from '../../../apis/bda/fields.ts';
import { PartialError, UsageError } from '../../../errors/index.ts';
import { isRecord, type Json } from '../../../json/index.ts';
import type { MigratedQuery } from '../../../migrate/index.ts';
import type { Context } from '../../framework/context.ts';
import { daysFromFlags } from '../day-flags.ts';
import { checkFlags } from './check-flags.ts';
import { withSegments } from './chosen-segments.ts';
import { convert, migrateOptions, refusal } from './convert.ts';
import type { MigrateFlags } from './flags.ts';
import { sourceFromFlags } from './input.ts';
import { definitionsFor } from './live-definitions.ts';
import { lossesIn, migrationRecord, printNotes, writeNotes } from './notes.ts';
import { writeQueries } from './write-queries.ts';

/** Runs bda migrate-query. Throws UsageError for what v2 has no way to say, PartialError for a loss with `--strict`. */
export async function runMigration(flags: MigrateFlags, context: Context): Promise<void> {
  checkFlags(flags, context);
  if (flags.account) return await (await import('./account.ts')).migrateAccount(flags, context);
  if (flags.file !== undefined && flags.outDir !== undefined) {
    const { migrateFolder } = await import('./folder.ts');
    return await migrateFolder(flags.file, flags.outDir, flags, context);
  }
  const pasted = await sourceFromFlags(flags, context);
  const days = await daysFromFlags(flags, context, { hasEnd: hasEndDate(pasted.request) });
  const terms = await migrateOptions(flags, days, context);
  const definitions = await definitionsFor(flags, context);
  const asked = await withSegments(pasted, flags.segment, definitions);
  const migration = await convert(asked, terms, definitions);
  await writeNotes(flags.notes, migrationRecord(migration));
  if (!migration.ok) {
    const lossy = await convert(asked, { ...terms, lossy: true }, definitions);
    throw refusal(migration, definitions, lossy.ok);
  }
  printNotes(migration.notes, context);
  const losses = lossesIn(migration.notes).length;
  if (flags.strict && losses > 0)
    throw new PartialError(`${losses === 1 ? 'one thing is' : `${losses} things are`} lost (--strict)`, {
      code: 'lossy_migration',
    });
  tellLabels(migration.queries, context);
  const queries = chosen(migration.queries, flags.label);
  if (flags.verify) {
    const { verify } = await import('./verify.ts');
    return await verify(queries, asked, terms, context);
  }
  if (!flags.run || context.globals.curl) return await writeQueries(queries, flags.as, context);
  // The export engine is large, and a query that is only printed does without.
  const { runQueries } = await import('./run-queries.ts');
  await runQueries(queries, flags, context);
}

function hasEndDate(request: Json): boolean {
  return isRecord(request) && isPresent(request.EndDate);
}

function tellLabels(queries: readonly MigratedQuery[], context: Context): void {
  if (queries.length > 1)
    context.log.note(
      `${queries.length} queries, in this order: ${queries.map(({ label }) => label).join(', ')}`,
    );
}

function chosen(queries: readonly MigratedQuery[], only: string | undefined): readonly MigratedQuery[] {
  if (only === undefined) return queries;
  const found = queries.filter(({ label }) => label === only);
  if (found.length > 0) return found;
  throw new UsageError(`there is no query '${only}'`, {
    code: 'unknown_name',
    hints: [`one of: ${queries.map(({ label }) => label).join(', ')}`],
  });
}
