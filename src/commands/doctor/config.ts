import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { configPath } from '../../config/platform.ts';
import { type ProfilesFile, readProfiles } from '../../config/profiles-file.ts';
import { FileError } from '../../errors/index.ts';
import { temporaryFilesOf } from '../../files/stray-files.ts';
import { counted } from '../../terminal/grouped.ts';
import { shellQuote } from '../../terminal/shell-quote.ts';
import type { Context } from '../framework/context.ts';
import { Area, type Finding } from './finding.ts';

/** Whether the profiles file is there, valid and private. */
export async function configFindings({ io }: Context): Promise<readonly Finding[]> {
  const area = new Area('config');
  const path = configPath(io);
  if (path === undefined) {
    const found = 'there is no folder for profiles: neither HOME nor GATECTL_CONFIG_DIR is set';
    area.warning('file', found, 'set GATECTL_CONFIG_DIR, or use environment variables instead of profiles');
    return area.findings;
  }
  try {
    const file = await readProfiles(path, io.platform);
    const mode = await modeOf(path);
    if (mode === undefined) area.ok('file', `${path} does not exist: no profiles`);
    else area.ok('file', `${path}: ${described(file)}`);
    for (const warning of file.warnings) area.warning('content', warning, adviceOn(warning, path));
    if (mode !== undefined && io.platform !== 'win32') await checkModes(area, path, mode);
    const leftovers = await temporaryFilesOf(path);
    if (leftovers.length > 0) {
      const found = `${leftovers.join(', ')}: left by a process that was killed; may contain keys`;
      area.warning(
        'leftovers',
        found,
        `rm ${leftovers.map(shellQuote).join(' ')}; the next change of a profile removes it, too`,
      );
    }
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    area.wrong('file', { error, advice: `fix ${path}, or move it away and run gatectl login` });
  }
  return area.findings;
}

function described({ profiles, current }: ProfilesFile): string {
  const count = counted(profiles.size, 'profile');
  return current === undefined ? `${count}, none in use` : `${count}, ${current} in use`;
}

function adviceOn(warning: string, path: string): string {
  return warning.includes('chmod') ? `chmod 600 ${path}` : `correct it in ${path}`;
}

async function checkModes(area: Area, path: string, mode: number): Promise<void> {
  const folder = dirname(path);
  const folderMode = (await modeOf(folder)) ?? 0;
  const shown = `file ${octal(mode)}, folder ${octal(folderMode)}`;
  if ((folderMode & 0o022) !== 0) {
    area.warning('permissions', `${shown}: other users can replace the file`, `chmod go-w ${folder}`);
  } else area.ok('permissions', shown);
}

async function modeOf(path: string): Promise<number | undefined> {
  return await stat(path).then(
    ({ mode }) => mode & 0o777,
    () => undefined,
  );
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}
