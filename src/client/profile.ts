import { resolveKey } from '../config/key.ts';
import { openSystemKeyring } from '../config/keyring.ts';
import { configPath } from '../config/platform.ts';
import { readProfiles } from '../config/profiles-file.ts';
import { resolveSettings, type Settings } from '../config/resolve.ts';
import { AuthError, UsageError } from '../errors/index.ts';
import { readText } from '../files/text-source.ts';
import type { GatewayOptions } from './options.ts';
import { platform } from './runtime.ts';

/** The options from a profile and the environment. Throws UsageError and FileError. */
export async function profileOptions(name: string | undefined): Promise<GatewayOptions> {
  const surroundings = platform();
  const { env } = surroundings;
  const file = await readProfiles(configPath(surroundings), surroundings.platform);
  const settings = resolveSettings({ flags: { profile: name }, env, file });
  const { baseUrl, domain, timeout, caFile } = settings;
  if (baseUrl.value === undefined)
    throw new UsageError(
      settings.profile.value === undefined
        ? 'no gateway configured: name a profile, or set GATECTL_BASE_URL'
        : `profile ${settings.profile.value} has no base URL`,
      { code: 'missing_setting' },
    );
  return {
    baseUrl: baseUrl.value,
    apiKey: () => keyOf(settings),
    brand: settings.brand.value,
    keyIn: settings.keyIn.value,
    retries: settings.retries.value,
    compression: settings.compression.value,
    readOnly: settings.readOnly.value,
    prefixes: {
      subscriptions: settings.prefixSubscriptions.value,
      cdn: settings.prefixCdn.value,
      bdaV1: settings.prefixBdaV1.value,
      bdaV2: settings.prefixBdaV2.value,
    },
    ...(domain.value !== undefined && { domain: domain.value }),
    // Without one, the CDN has a different default.
    ...(timeout.origin !== 'default' && { timeoutMs: Math.max(1, Math.round(timeout.value * 1000)) }),
    ...(caFile.value !== undefined && { ca: await readText(caFile.value) }),
  };
}

async function keyOf(settings: Settings): Promise<string> {
  const { env, platform: os } = platform();
  const found = await resolveKey(settings, { env, platform: os, openKeyring: openSystemKeyring });
  if (found.found) return found.key;
  throw new AuthError(`no API key found: ${found.places.join(', ')}`, {
    code: 'no_key',
    places: found.places,
  });
}
