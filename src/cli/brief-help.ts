import { existsSync } from 'node:fs';
import { readAliases } from '../config/config-file.ts';
import { configPath } from '../config/platform.ts';
import { FileError } from '../errors/index.ts';
import { stdoutWidth } from '../terminal/fold.ts';
import type { Io } from '../terminal/io.ts';
import { DataWriter } from '../terminal/writer.ts';
import { printable } from '../text/printable.ts';
import { rootHelp } from './root-help.ts';

/**
 * Prints `gatectl --help` where its width is known in advance. Resolves to false for a terminal, and after an error, which `run` then
 * meets and reports.
 */
export async function printBriefHelp(io: Io): Promise<boolean> {
  if (stdoutWidth(io) !== undefined) return false;
  try {
    await new DataWriter(io).write((await rootHelp()) + (await aliasesHelp(io)));
    return true;
  } catch {
    return false;
  }
}

/** The section of `gatectl --help` that lists aliases; empty if there are none or the file cannot be read. */
export async function aliasesHelp(io: Io): Promise<string> {
  const path = configPath(io);
  if (path === undefined || !existsSync(path)) return '';
  try {
    const aliases = [...(await readAliases(io))];
    const width = Math.max(0, ...aliases.map(([name]) => name.length));
    const lines = aliases.map(([name, text]) => `  ${name.padEnd(width)}  ${printable(text)}\n`);
    return lines.length === 0 ? '' : `\nAliases:\n${lines.join('')}`;
  } catch (error) {
    if (error instanceof FileError) return '';
    throw error;
  }
}
