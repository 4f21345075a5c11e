import { PartialError, UsageError } from '../../../errors/index.ts';
import type { PlanPart } from '../../../migrate/index.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import { shellQuote } from '../../../text/shell-words.ts';
import type { Context } from '../../framework/context.ts';
import { checkedMigration } from '../flags/checked-migration.ts';
import type { MigrateFlags } from '../flags/migrate-flags.ts';
import { lossesIn, migrationRecord, writeNotes } from '../output/migration-notes.ts';
import { sourceFromFlags } from './input.ts';
import { writeQueries } from './write-queries.ts';

/** Runs bda migrate-query. Throws UsageError for what v2 cannot express, PartialError for a loss with `--strict`. */
export async function runMigration(flags: MigrateFlags, context: Context): Promise<void> {
  checkFlags(flags, context);
  if (flags.account) return await (await import('./account.ts')).migrateAccount(flags, context);
  if (flags.file !== undefined && flags.outDir !== undefined) {
    const { migrateFolder } = await import('./folder.ts');
    return await migrateFolder(flags.file, flags.outDir, flags, context);
  }
  const { migration, source, options } = await checkedMigration(
    await sourceFromFlags(flags, context),
    flags,
    context,
  );
  const losses = lossesIn(migration.notes).length;
  if (flags.strict && losses > 0)
    throw new PartialError(`the migration loses ${pluralize(losses, 'field')} (--strict)`, {
      code: 'lossy_migration',
    });
  if (!flags.verify && migration.notes.some(({ kind }) => kind === 'lossless'))
    context.log.note('lossless fields are not verified: --verify compares the rows of v1 and v2');
  const parts = selectParts(migration.parts, flags.label);
  if (flags.verify) {
    const { verify } = await import('./verify.ts');
    await verify(parts, source, options, context);
    return await writeNotes(flags.notes, migrationRecord(migration, true));
  }
  if (!flags.run || context.globals.curl) return await writeQueries(parts, flags.as, context);
  await run(parts, flags, context);
}

/** Runs a plan. What writes rows is large, and not required to print a query. */
async function run(
  parts: readonly PlanPart[],
  flags: Pick<MigrateFlags, 'out' | 'strict'>,
  context: Context,
): Promise<void> {
  const queries = parts.flatMap(part => part.queries);
  const [only] = queries;
  if (only !== undefined && queries.length === 1) {
    const { runMigratedQuery } = await import('./run-query.ts');
    return await runMigratedQuery(only, flags, context);
  }
  if (flags.out !== undefined)
    throw new UsageError(`--out writes the rows of one query, and there are ${queries.length}`, {
      hints: queries.map(({ label }) => `select one with --label ${shellQuote(label)}`),
    });
  const { printPlan } = await import('../output/print-plan.ts');
  await printPlan(parts, flags, context);
}

/** The parts, or with a label that of one query only. Throws UsageError. */
function selectParts(parts: readonly PlanPart[], only: string | undefined): readonly PlanPart[] {
  if (only === undefined) return parts;
  const queries = parts.flatMap(part => part.queries);
  for (const { queries: own, v1 } of parts)
    for (const query of own) if (query.label === only) return [{ queries: [query], v1 }];
  throw new UsageError(`no query is labelled '${only}'`, {
    code: 'unknown_name',
    hints: [`labels: ${queries.map(({ label }) => label).join(', ')}`],
  });
}

/** Throws UsageError for flags that cannot be combined. */
function checkFlags(flags: MigrateFlags, { globals }: Context): void {
  const { account, outDir, run, verify } = flags;
  const writes = outDir !== undefined;
  rejectPair([
    [verify, '--verify'],
    [run, '--run'],
    [flags.as !== undefined && !writes, '--as'],
    [verify && globals.curl, '--curl'],
  ]);
  // One query of a plan has no v1 request of its own.
  rejectPair([
    [verify, '--verify'],
    [flags.label !== undefined, '--label'],
  ]);
  rejectPair([
    [flags.offline, '--offline'],
    [run, '--run'],
    [verify, '--verify'],
  ]);
  const single = [
    [flags.report !== undefined, '--report'],
    [flags.customReport !== undefined, '--custom-report'],
    [flags.url !== undefined, '--url'],
    [flags.fromCurl, '--from-curl'],
    [flags.segment.length > 0, '--segment'],
    [flags.label !== undefined, '--label'],
    [run, '--run'],
    [globals.curl, '--curl'],
  ] as const;
  for (const one of [[flags.file !== undefined, 'FILE'] as const, ...single])
    rejectPair([[account, '--account'], one]);
  for (const one of single) rejectPair([[writes, '--out-dir'], one]);
  rejectPair([
    [account, '--account'],
    [flags.set.length > 0, '--set'],
  ]);
  if (account && flags.as !== undefined && !writes)
    throw new UsageError('--as with --account requires --out-dir', { hints: ['pass --out-dir FOLDER'] });
  if (writes && !account && flags.file === undefined)
    throw new UsageError('--out-dir requires a folder of requests or --account', {
      hints: ['gatectl bda migrate-query FOLDER --out-dir OTHER'],
    });
  if (flags.replace && !writes)
    throw new UsageError('--replace requires --out-dir', { hints: ['pass --out-dir FOLDER'] });
  if (flags.out !== undefined && !run)
    throw new UsageError('--out requires --run', {
      hints: ['to write the query to a file, redirect the output: > FILE'],
    });
}

/** Throws UsageError if two of the options are set. */
function rejectPair(given: readonly (readonly [boolean, string])[]): void {
  const [one, other] = given.filter(([isGiven]) => isGiven);
  if (one === undefined || other === undefined) return;
  throw new UsageError(`${one[1]} and ${other[1]} cannot be combined`, {
    code: 'conflicting_options',
    hints: ['omit one of them'],
  });
}
