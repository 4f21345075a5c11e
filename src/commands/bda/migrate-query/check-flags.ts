import { UsageError } from '../../../errors/index.ts';
import type { Context } from '../../framework/context.ts';
import type { MigrateFlags } from './flags.ts';

/** Throws UsageError for flags that don't go together. */
export function checkFlags(flags: MigrateFlags, { globals }: Context): void {
  const { account, outDir, run, verify } = flags;
  const writes = outDir !== undefined;
  refusePair([
    [verify, '--verify'],
    [run, '--run'],
    [flags.as !== undefined && !writes, '--as'],
    [verify && globals.curl, '--curl'],
  ]);
  refusePair([
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
    refusePair([[account, '--account'], one]);
  for (const one of single) refusePair([[writes, '--out-dir'], one]);
  refusePair([
    [account, '--account'],
    [flags.set.length > 0, '--set'],
  ]);
  if (account && flags.as !== undefined && !writes)
    throw new UsageError('--as goes with --out-dir here', { hints: ['type --out-dir FOLDER'] });
  if (writes && !account && flags.file === undefined)
    throw new UsageError('--out-dir takes a folder of requests, or --account', {
      hints: ['type gatectl bda migrate-query FOLDER --out-dir OTHER'],
    });
  if (flags.out !== undefined && !run)
    throw new UsageError('--out goes with --run', {
      hints: ['to keep the query in a file, type > FILE instead'],
    });
}

/** The first two of some that are there don't go together. */
function refusePair(given: readonly (readonly [boolean, string])[]): void {
  const [one, other] = given.filter(([isGiven]) => isGiven);
  if (one === undefined || other === undefined) return;
  throw new UsageError(`${one[1]} and ${other[1]} don't go together`, {
    code: 'conflicting_options',
    hints: ['leave one out'],
  });
}
