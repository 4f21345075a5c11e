import { resolveKey } from '../../../config/key.ts';
import { openSystemKeyring } from '../../../config/keyring.ts';
import { gatewayNetwork } from '../../../config/network.ts';
import { configPath } from '../../../config/platform.ts';
import { readProfiles } from '../../../config/profiles-file.ts';
import { findProjectFile } from '../../../config/project-file.ts';
import { resolveSettings } from '../../../config/resolve.ts';
import { AuthError } from '../../../errors/index.ts';
import { missingSetting } from '../../../errors/usage.ts';
import { readText } from '../../../files/text-source.ts';
import type { Responder } from '../../../sandbox/index.ts';
import { pluralize } from '../../../terminal/numbers.ts';
import { USER_AGENT } from '../../../wire/user-agent.ts';
import type { Context } from '../../framework/context.ts';
import { recordingProxy } from './proxy.ts';
import { Pseudonyms } from './pseudonyms.ts';
import { Recorder } from './recorder.ts';

/** A recording in progress. */
export interface ActiveRecording {
  readonly respond: Responder;
  /** The brand word of the gateway. */
  readonly brand: string;
  /** The domain that clients name, if the profile has one. */
  readonly domain: string | undefined;
  /** Completes the files. Returns a summary. */
  finish(): Promise<string>;
}

/**
 * Starts to record what the gateway of a profile responds, in a new folder. Variables of a gateway do not override the profile: they may
 * lead to this very server. Throws UsageError, AuthError and FileError.
 */
export async function startRecording(
  { profile, folder, clientKey }: { profile: string; folder: string; clientKey: string },
  context: Context,
): Promise<ActiveRecording> {
  const { io, globals, redactor, signal, log } = context;
  const { GATECTL_BASE_URL: _, GATECTL_API_KEY: __, GATECTL_DOMAIN: ___, ...env } = io.env;
  const file = await readProfiles(configPath(io), io.platform);
  const { project } = await findProjectFile(io);
  const settings = resolveSettings({ named: profile, flags: globals.flags, env, file, project });
  if (settings.baseUrl.value === undefined) throw missingSetting(`profile ${profile} has no base URL`);
  const found = await resolveKey(settings, {
    env,
    platform: io.platform,
    openKeyring: openSystemKeyring,
    signal,
  });
  if (!found.found) throw new AuthError('no API key found', { code: 'no_key', places: found.places });
  for (const warning of found.warnings) log.warn(warning);
  redactor.add(found.key);

  const baseUrl = new URL(settings.baseUrl.value);
  const domain = settings.domain.value;
  const pseudonyms = new Pseudonyms();
  pseudonyms.addSecret(found.key, 'made-up-key');
  pseudonyms.addSecret(clientKey, 'sandbox-key');
  pseudonyms.addSecret(baseUrl.hostname, 'gateway.example.com');
  if (domain !== undefined) pseudonyms.addDomain(domain);
  const brand = settings.brand.value;
  const recorder = await Recorder.start(folder, { brand, apiKey: clientKey, pseudonyms });
  const ca = settings.caFile.value === undefined ? undefined : await readText(settings.caFile.value);
  const { insecureHttp } = globals.flags;
  const proxy = recordingProxy({
    baseUrl,
    key: found.key,
    clientKey,
    settings,
    network: gatewayNetwork(baseUrl, { env, ca, userAgent: USER_AGENT, insecureHttp, redactor }),
    recorder,
    signal,
    note: text => log.note(text),
    warn: text => log.warn(text),
  });
  return {
    respond: proxy.respond,
    brand,
    domain,
    async finish() {
      await proxy.close();
      await recorder.close();
      const { reader, token, id } = pseudonyms.counts;
      const replaced = `${pluralize(reader, 'reader')}, ${pluralize(token, 'token')} and ${pluralize(id, 'id')}`;
      return `${pluralize(recorder.recorded, 'response')} recorded in ${folder}; replaced ${replaced}`;
    },
  };
}
