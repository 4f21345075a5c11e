import { basename, join } from 'node:path';
import { sidecarPaths } from '../../export/output-path.ts';
import { readdir, stat } from '../../files/disk.ts';
import { lockState } from '../../files/lock.ts';
import { temporaryFilesIn } from '../../files/stray-files.ts';
import { formatBytes } from '../../terminal/numbers.ts';
import { shellQuote } from '../../text/shell-words.ts';
import type { Context } from '../framework/context.ts';
import { lockMachine } from '../framework/lock-machine.ts';
import { Area, type Finding } from './finding.ts';

/** Unfinished exports in the current folder; gatectl does not record other folders. */
export async function exportFindings(context: Context): Promise<readonly Finding[]> {
  const area = new Area('exports');
  const folder = context.io.cwd;
  const unfinished = await unfinishedExports(folder, context);
  if (unfinished.length > 0) {
    const parts = unfinished.map(path => sidecarPaths(path).partial);
    area.warning(
      'unfinished',
      `in ${folder}: ${unfinished.join(', ')} (${await sizeOf(folder, parts)})`,
      `run the same export with --resume, or delete ${parts.map(shellQuote).join(' ')}`,
    );
  }
  const temporary = await temporaryFiles(folder, context);
  if (temporary.length > 0) {
    area.warning(
      'leftovers',
      `in ${folder}: ${temporary.join(', ')} (${await sizeOf(folder, temporary)}), left by a process that was killed`,
      `rm ${temporary.map(shellQuote).join(' ')}; the next export to the same file removes them, too`,
    );
  }
  if (area.findings.length === 0) area.ok('leftovers', `none in ${folder}`);
  return area.findings;
}

/** Exports that can be resumed, by the names of their files. */
async function unfinishedExports(folder: string, context: Context): Promise<readonly string[]> {
  const names = await namesIn(folder);
  const paths = names.flatMap(name => /^(.+)\.part\.json$/.exec(name)?.[1] ?? []);
  const resumable = paths.filter(path => names.includes(sidecarPaths(path).partial));
  const states = await Promise.all(resumable.map(path => isRunning(join(folder, path), context)));
  return resumable.filter((_, index) => !states[index]).sort();
}

async function temporaryFiles(folder: string, context: Context): Promise<readonly string[]> {
  const locked = (await namesIn(folder)).flatMap(name => /^(.+)\.part\.lock$/.exec(name)?.[1] ?? []);
  const states = await Promise.all(locked.map(path => isRunning(join(folder, path), context)));
  const running = locked.filter((_, index) => states[index]);
  const found = [...(await temporaryFilesIn(folder))];
  // A truncated name may match several files.
  const left = found.filter(([stem]) => !running.some(path => path.startsWith(stem)));
  return left.flatMap(([, paths]) => paths).map(path => basename(path));
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch((): string[] => []);
}

async function isRunning(path: string, context: Context): Promise<boolean> {
  return (await lockState(sidecarPaths(path).partial, lockMachine(context))).kind === 'held';
}

async function sizeOf(folder: string, names: readonly string[]): Promise<string> {
  let bytes = 0;
  for (const name of names) bytes += (await stat(join(folder, name)).catch(() => undefined))?.size ?? 0;
  return formatBytes(bytes);
}
