import { PartialError } from '../../../errors/index.ts';
import type { MigratedQuery } from '../../../families/bda/migrate/index.ts';
import { isPresent } from '../../../families/bda/reading.ts';
import { isRecord, type Json } from '../../../json/index.ts';
import type { Context } from '../../context.ts';
import { daysFromFlags } from '../day-flags.ts';
import { convert, refusal, termsOf } from './convert.ts';
import { definitionsInFiles, fixedDefinitions } from './definitions.ts';
import type { MigrateFlags } from './flags.ts';
import { askedByFlags } from './input.ts';
import { migrationRecord, writeNotes } from './notes-file.ts';
import { lossesIn, tellNotes } from './tell-notes.ts';
import { writeQueries } from './write-queries.ts';

/** Runs bda migrate-query. Throws UsageError for what v2 has no way to say, PartialError for a loss with `--strict`. */
export async function runMigration(flags: MigrateFlags, context: Context): Promise<void> {
  const asked = await askedByFlags(flags, context);
  const days = await daysFromFlags(flags, context, { hasEnd: hasEndDate(asked.request) });
  const terms = await termsOf(flags, days, context);
  const migration = await convert(asked, terms, fixedDefinitions(await definitionsInFiles(flags)));
  await writeNotes(flags.notes, migrationRecord(migration));
  if (!migration.ok) throw refusal(migration, flags.lossy);
  tellNotes(migration.notes, context);
  const losses = lossesIn(migration.notes).length;
  if (flags.strict && losses > 0)
    throw new PartialError(`${losses === 1 ? 'one thing is' : `${losses} things are`} lost (--strict)`, {
      code: 'lost',
    });
  tellLabels(migration.queries, context);
  await writeQueries(migration.queries, flags.as, context);
}

function tellLabels(queries: readonly MigratedQuery[], context: Context): void {
  if (queries.length > 1)
    context.note(`${queries.length} queries, in this order: ${queries.map(({ label }) => label).join(', ')}`);
}

function hasEndDate(request: Json): boolean {
  return isRecord(request) && isPresent(request.EndDate);
}
