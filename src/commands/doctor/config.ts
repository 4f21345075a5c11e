import { dirname } from 'node:path';
import { configPath } from '../../config/platform.ts';
import { type ProfilesFile, readProfiles } from '../../config/profiles-file.ts';
import { findProjectFile } from '../../config/project-file.ts';
import type { ProjectFile } from '../../config/project-settings.ts';
import { SETTINGS, type SettingKey } from '../../config/settings.ts';
import { FileError } from '../../errors/index.ts';
import { stat } from '../../files/disk.ts';
import { temporaryFilesOf } from '../../files/stray-files.ts';
import { pluralize } from '../../terminal/numbers.ts';
import { shellQuote } from '../../text/shell-words.ts';
import type { Context } from '../framework/context.ts';
import { Area, type Finding } from './finding.ts';

/** Checks that the profiles file exists, is valid and private, and whether there is a project file. */
export async function configFindings(context: Context): Promise<readonly Finding[]> {
  return [...(await profilesFindings(context)), ...(await projectFindings(context))];
}

async function projectFindings({ io, globals }: Context): Promise<readonly Finding[]> {
  const area = new Area('config');
  if (globals.sandbox) return [];
  try {
    const { project, warnings } = await findProjectFile(io);
    for (const warning of warnings)
      area.warning('project', warning, 'use a file that you own and that no other user can change');
    if (project !== undefined) area.ok('project', projectText(project));
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    area.wrong('project', { error, advice: `fix ${error.path}` });
  }
  return area.findings;
}

function projectText({ path, profile, values }: ProjectFile): string {
  const keys = Object.keys(values) as SettingKey[];
  const names = [...(profile === undefined ? [] : ['profile']), ...keys.map(key => SETTINGS[key].name)];
  return `${path} sets ${names.length === 0 ? 'nothing' : names.join(', ')}`;
}

async function profilesFindings({ io }: Context): Promise<readonly Finding[]> {
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
    for (const warning of file.warnings)
      area.warning(
        'content',
        warning,
        warning.includes('chmod') ? `chmod 600 ${path}` : `correct it in ${path}`,
      );
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
  const count = pluralize(profiles.size, 'profile');
  return current === undefined ? `${count}, none in use` : `${count}, ${current} in use`;
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
