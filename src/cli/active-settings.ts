import type { Globals } from '../commands/framework/context.ts';
import { configPath } from '../config/platform.ts';
import { readProfiles } from '../config/profiles-file.ts';
import { findProjectFile, reachOfProject } from '../config/project-file.ts';
import { resolveSettings, type Settings } from '../config/resolve.ts';
import type { Reach } from '../config/trust.ts';
import type { Sandbox } from '../sandbox/index.ts';
import type { Io } from '../terminal/io.ts';
import { pasteError, pasteNote, withoutPasteDamage } from '../terminal/paste-damage.ts';

const NO_PROFILES = { path: undefined, profiles: new Map(), current: undefined, warnings: [], json: {} };

/** Variables whose values are checked for damage from copy and paste. */
const PASTED_VARIABLES = ['GATECTL_BASE_URL', 'GATECTL_DOMAIN'] as const;

/**
 * Resolves the settings from flags, environment, project file, profile and defaults, with warnings about the two files and notes about
 * repaired variables. Throws UsageError and FileError.
 */
export async function storedSettings(
  io: Io,
  { flags }: Globals,
): Promise<{
  settings: Settings;
  /** The path of the project file in use. */
  projectPath: string | undefined;
  /** What the project file decides about where requests and keys go; undefined where it decides nothing. */
  reach: Reach | undefined;
  warnings: readonly string[];
  notes: readonly string[];
}> {
  const file = await readProfiles(configPath(io), io.platform);
  const { project, warnings } = await findProjectFile(io);
  const { env, notes } = withoutDamage(io.env);
  const settings = resolveSettings({ flags, env, file, project });
  const ofProject = settings.profile.origin.startsWith('project file');
  return {
    settings,
    projectPath: project?.path,
    reach: ofProject && project ? reachOfProject(project, file.current) : undefined,
    warnings: [...file.warnings, ...warnings],
    notes,
  };
}

function withoutDamage(env: Io['env']): { readonly env: Io['env']; readonly notes: readonly string[] } {
  const repaired: Record<string, string> = {};
  const notes: string[] = [];
  for (const name of PASTED_VARIABLES) {
    const pasted = withoutPasteDamage(env[name] ?? '');
    if ('problem' in pasted) throw pasteError(name, pasted.problem);
    if (pasted.removed.length === 0) continue;
    repaired[name] = pasted.value;
    notes.push(pasteNote(name, pasted.removed));
  }
  return { env: { ...env, ...repaired }, notes };
}

/** The settings for the embedded gateway, which replaces profile, key and base URL; other flags apply. */
export function sandboxSettings(
  { baseUrl, domains }: Pick<Sandbox, 'baseUrl' | 'domains'>,
  { env }: Io,
  globals: Globals,
): Settings {
  const flags = { ...globals.flags, baseUrl, domain: domains[0]?.domain };
  const { GATECTL_OUTPUT, GATECTL_BRAND, GATECTL_READ_ONLY, GATECTL_POLICY } = env;
  const own = { GATECTL_OUTPUT, GATECTL_BRAND, GATECTL_READ_ONLY, GATECTL_POLICY };
  return resolveSettings({ flags, env: own, file: NO_PROFILES });
}

/** The brand word of the embedded gateway: the same that requests use. Throws UsageError for an invalid one. */
export function embeddedBrand({ env: { GATECTL_BRAND } }: Io): string {
  return resolveSettings({ flags: {}, env: { GATECTL_BRAND }, file: NO_PROFILES }).brand.value;
}

/** The settings when none can be read: defaults, and the output format from a flag. */
export function defaultSettings({ flags: { output } }: Globals): Settings {
  return resolveSettings({ flags: { output }, env: {}, file: NO_PROFILES });
}
