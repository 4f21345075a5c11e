import { resolve } from 'node:path';
import { GatectlError, InterruptedError } from '../../errors/index.ts';
import { access } from '../../files/disk.ts';
import { SYNC_FILE } from '../../sync/config.ts';
import { pluralize } from '../../terminal/numbers.ts';
import type { Context } from '../framework/context.ts';
import { destinationOf, readSync } from '../framework/open-sync.ts';
import { Area, type Finding } from './finding.ts';

/** The sync file and its destination: the one that is named, or that of the current folder, if there is one. */
export async function syncFindings(given: string | undefined, context: Context): Promise<readonly Finding[]> {
  const file = given ?? SYNC_FILE;
  const exists = await access(resolve(context.io.cwd, file)).then(
    () => true,
    () => false,
  );
  if (given === undefined && !exists) return [];
  const area = new Area('sync');
  const read = await attempt(area, 'file', context, () => readSync(file, context, { naming: '--sync FILE' }));
  if (read === undefined) return area.findings;
  const { tables, destination: where } = read.config;
  area.ok('file', `${file}: ${pluralize(tables.length, 'table')} in ${where}`);
  await attempt(area, 'destination', context, async () => {
    const destination = await destinationOf(read, context);
    try {
      await destination.check();
      area.ok('destination', `${destination.name} can be used`);
      for (const { check, found, advice, error } of (await destination.diagnose?.()) ?? [])
        if (error !== undefined) area.wrong(check, { error, advice: await context.hintsFor(error), found });
        else if (advice !== undefined) area.warning(check, found, advice);
        else area.ok(check, found);
    } finally {
      await destination.close();
    }
  });
  return area.findings;
}

/** The result of a check; undefined if it failed, which is added to the findings. */
async function attempt<Value>(
  area: Area,
  check: string,
  context: Context,
  work: () => Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    area.wrong(check, { error, advice: await context.hintsFor(error) });
    return undefined;
  }
}
