import { isDay } from '../../../apis/bda/days.ts';
import { invalidValue } from '../../../errors/usage.ts';
import { writeAtomic } from '../../../files/atomic-file.ts';
import { type PartitionSize, problemWithTableName, SYNC_FILE } from '../../../sync/config.ts';
import { parseSyncConfig } from '../../../sync/config-file.ts';
import { problemWithDestination } from '../../../sync/destinations/schemes.ts';
import { newSyncFile } from '../../../sync/new-sync-file.ts';
import { shellQuote } from '../../../text/shell-words.ts';
import type { Context } from '../../framework/context.ts';
import { newFilePath, requiredAnswer } from '../../framework/new-file.ts';
import { reachOfSync } from '../../framework/open-sync.ts';
import { rememberTrust } from '../../framework/trust.ts';
import { splitNames } from '../flags/request-flags.ts';
import type { SyncAnswers } from './prompt-for-sync.ts';

const BY_FLAGS = {
  command: 'gatectl bda sync init',
  flags: '--data-set pageview -m visits --start 2026-01-01',
};

interface InitFlags {
  readonly file: string | undefined;
  readonly table: string | undefined;
  readonly dataSet: string | undefined;
  readonly dimension: readonly string[];
  readonly metric: readonly string[];
  readonly start: string | undefined;
  readonly partition: PartitionSize | undefined;
  readonly domain: readonly string[];
  readonly destination: string | undefined;
}

/** Writes a sync file from flags and, on a terminal, prompts. Throws UsageError, FileError and InterruptedError. */
export async function writeSyncFile(flags: InitFlags, context: Context): Promise<void> {
  const { log, prompt } = context;
  const file = flags.file ?? SYNC_FILE;
  const path = await newFilePath(file, context);
  checkFlags(flags);
  const given: SyncAnswers = {
    dataSet: flags.dataSet,
    dimensions: splitNames('--dimension', flags.dimension),
    metrics: splitNames('--metric', flags.metric),
    domains: splitNames('--domain', flags.domain),
    start: flags.start,
    destination: flags.destination,
  };
  const isComplete = [given.dataSet, given.metrics, given.start].every(value => value !== undefined);
  const answers =
    isComplete || prompt === undefined
      ? given
      : await (await import('./prompt-for-sync.ts')).promptForSync(prompt, given, context);
  const text = newSyncFile(file, {
    destination: answers.destination ?? 'lake',
    domains: answers.domains ?? 'all',
    table: flags.table,
    dataSet: requiredAnswer('--data-set', answers.dataSet, BY_FLAGS),
    dimensions: answers.dimensions ?? [],
    metrics: requiredAnswer('--metric', answers.metrics, BY_FLAGS),
    start: requiredAnswer('--start', answers.start, BY_FLAGS),
    partition: flags.partition ?? 'month',
  });
  const reach = await reachOfSync({ config: parseSyncConfig(file, text), path }, context);
  await writeAtomic(path, text);
  // The user has just chosen what it says.
  if (reach.targets.length > 0) await rememberTrust({ ...reach, path }, context);
  const named = flags.file === undefined ? '' : ` ${shellQuote(file)}`;
  log.info(
    `wrote ${file}; next: gatectl bda sync plan${named}${context.globals.sandbox ? ' --sandbox' : ''}`,
  );
}

/** Throws UsageError for a flag that no sync file could contain. */
function checkFlags({ start, table, destination = '' }: InitFlags): void {
  if (start !== undefined && !isDay(start))
    throw invalidValue(`invalid --start '${start}'`, 'pass a day such as 2026-01-01');
  const ofTable = table === undefined ? undefined : problemWithTableName(table);
  if (ofTable !== undefined) throw invalidValue(`--table: ${ofTable.problem}`, ofTable.hint);
  const ofDestination = problemWithDestination(destination);
  if (ofDestination !== undefined)
    throw invalidValue(`--destination: ${ofDestination.problem}`, ofDestination.hint);
}
