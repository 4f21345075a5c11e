import { join } from 'node:path';
import { cacheFolder, stateFolder } from '../../config/platform.ts';
import { GatectlError } from '../../errors/index.ts';
import { readdir, stat } from '../../files/disk.ts';
import { lockState } from '../../files/lock.ts';
import { readMachineKey } from '../../files/machine-key.ts';
import { readerKeyPath } from '../../operations/access/seen-readers.ts';
import { abandonedJournals } from '../../operations/purge/journal-folders.ts';
import { shellQuote } from '../../text/shell-words.ts';
import type { Context } from '../framework/context.ts';
import { lockMachine } from '../framework/lock-machine.ts';
import { Area, type Finding } from './finding.ts';

/** The cache and the state folder. */
export async function cacheFindings(context: Context): Promise<readonly Finding[]> {
  const { io } = context;
  const area = new Area('caches');
  const cache = cacheFolder(io);
  if (cache === undefined)
    area.warning(
      'cache',
      'no folder for it',
      'set HOME or GATECTL_CONFIG_DIR, so that column names can be completed',
    );
  else area.ok('cache', await contents(cache));
  const state = stateFolder(io);
  if (state === undefined) {
    area.warning(
      'state',
      'no folder for it',
      'set HOME or GATECTL_CONFIG_DIR, so that an interrupted purge can be resumed',
    );
    return area.findings;
  }
  await checkReaderKey(state, area, context);
  const abandoned = await abandonedJournals(lockMachine(context), text => context.log.warn(text));
  const unfinished = await purges(state, abandoned, context);
  if (unfinished === 0) area.ok('state', await contents(state));
  else {
    area.warning(
      'state',
      `${await contents(state)}; ${unfinished === 1 ? 'a purge was' : `${unfinished} purges were`} interrupted`,
      'resume: gatectl cdn purge --resume',
    );
  }
  if (abandoned.length > 0) {
    area.warning(
      'journals',
      `${abandoned.join(', ')}: left by a purge that was killed before it sent anything`,
      `rm -r ${abandoned.map(shellQuote).join(' ')}; the next purge of several URLs removes it, too`,
    );
  }
  return area.findings;
}

/** The key that hashes readers in stored results. */
async function checkReaderKey(state: string, area: Area, context: Context): Promise<void> {
  try {
    await readMachineKey(readerKeyPath(state));
  } catch (error) {
    if (!(error instanceof GatectlError)) throw error;
    area.warning('reader key', error.message, (await context.hintsFor(error)).join('; '));
  }
}

async function purges(state: string, abandoned: readonly string[], context: Context): Promise<number> {
  const folder = join(state, 'purges');
  const names = await readdir(folder).catch((): string[] => []);
  const journals = names.filter(name => !name.endsWith('.lock') && !abandoned.includes(join(folder, name)));
  const states = await Promise.all(journals.map(name => lockState(join(folder, name), lockMachine(context))));
  return states.filter(({ kind }) => kind !== 'held').length;
}

async function contents(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => undefined);
  if (entries === undefined) return `${folder}: empty`;
  const files = entries.filter(entry => entry.isFile());
  const sizes = await Promise.all(
    files.map(({ parentPath, name }) =>
      stat(join(parentPath, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const count = files.length === 1 ? '1 file' : `${files.length} files`;
  return `${folder}: ${count}, ${bytes.toLocaleString('en')} bytes`;
}
