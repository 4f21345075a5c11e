import type { Globals } from '../commands/framework/context.ts';
import { configPath } from '../config/platform.ts';
import { readProfiles } from '../config/profiles-file.ts';
import { resolveSettings, type Settings } from '../config/resolve.ts';
import type { Sandbox } from '../sandbox/index.ts';
import type { Io } from '../terminal/io.ts';

const NO_PROFILES = { path: undefined, profiles: new Map(), current: undefined, warnings: [], json: {} };

/** Flags, environment, the chosen profile and defaults, weighed; and what to tell about the profiles file. Throws UsageError and FileError. */
export async function storedSettings(
  io: Io,
  { flags }: Globals,
): Promise<{ settings: Settings; warnings: readonly string[] }> {
  const file = await readProfiles(configPath(io), io.platform);
  return { settings: resolveSettings({ flags, env: io.env, file }), warnings: file.warnings };
}

/** The embedded gateway stands in for profile, key and base URL; flags still count. */
export function sandboxSettings(
  { baseUrl, domains }: Pick<Sandbox, 'baseUrl' | 'domains'>,
  { env }: Io,
  globals: Globals,
): Settings {
  const flags = { ...globals.flags, baseUrl, domain: domains[0]?.domain };
  const { GATECTL_OUTPUT, GATECTL_BRAND } = env;
  return resolveSettings({ flags, env: { GATECTL_OUTPUT, GATECTL_BRAND }, file: NO_PROFILES });
}

/** The brand word that the embedded gateway is to have: the one that is asked with. Throws UsageError for a bad one. */
export function embeddedBrand({ env: { GATECTL_BRAND } }: Io): string {
  return resolveSettings({ flags: {}, env: { GATECTL_BRAND }, file: NO_PROFILES }).brand.value;
}

/** What is left where nothing can be read: defaults, and the output format that a flag names. */
export function defaultSettings({ flags: { output } }: Globals): Settings {
  return resolveSettings({ flags: { output }, env: {}, file: NO_PROFILES });
}
