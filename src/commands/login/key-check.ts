import type { Settings } from '../../config/resolve.ts';
import { AuthError, CurlPrinted, type GatectlError, NetworkError } from '../../errors/index.ts';
import type { RawSender } from '../../http/sender.ts';
import { type ApiCheck, type ApiName, apiChecks } from '../../operations/probe/api-check.ts';
import { keyless, type ProbeResult, probeApi } from '../../operations/probe/probe.ts';
import type { Context } from '../framework/context.ts';

/** What a key permits at one API. */
export interface ApiAccess {
  readonly api: ApiName;
  /** `unknown` if no request was sent, or if the response does not depend on the key. */
  readonly access: 'yes' | 'no' | 'unknown';
  readonly detail: string;
  /** The path below the base URL where it was found. */
  readonly prefix: string;
  readonly error: GatectlError | undefined;
}

/**
 * Sends one harmless request with the key to each API, at each known path until it is found. Throws NetworkError if the gateway
 * cannot be reached, the API's error if every API rejects the key, and CurlPrinted with `--curl`.
 */
export async function checkKeyAccess(
  settings: Settings,
  key: string,
  context: Context,
): Promise<readonly ApiAccess[]> {
  const sender = await context.gatewayFor(settings, key);
  const found: ApiAccess[] = [];
  for (const check of apiChecks(settings, settings.domain.value)) {
    const access = await accessTo(check, sender);
    if (access.error instanceof NetworkError) throw access.error;
    found.push(access);
  }
  if (context.globals.curl) throw new CurlPrinted();
  const errors = found.flatMap(({ error }) => error ?? []);
  const error = errors.find(each => each instanceof AuthError) ?? errors[0];
  if (error !== undefined && !found.some(({ access }) => access === 'yes')) throw error;
  return found;
}

async function accessTo(check: ApiCheck, sender: RawSender): Promise<ApiAccess> {
  const { name: api, prefix: usual } = check;
  const [prefix, result] = await locate(check, sender);
  if (result === undefined)
    return {
      api,
      prefix: usual,
      access: 'unknown',
      detail: 'not checked: requires a domain',
      error: undefined,
    };
  const { error, status } = result;
  if (error === undefined) {
    if (check.mayIgnoreKey && (await probeApi(sender, check, prefix, keyless))?.error === undefined) {
      const detail = 'reachable; its ping does not check the key';
      return { api, prefix, access: 'unknown', detail, error };
    }
    return { api, prefix, access: 'yes', detail: 'key accepted', error };
  }
  if (error instanceof AuthError) return { api, prefix, access: 'no', detail: error.message, error };
  const detail = result.isPresent === false ? `not found at ${check.prefixes.join(' or ')}` : error.message;
  return { api, prefix: usual, access: 'unknown', detail: `${detail} (${status})`, error };
}

/** The first known path where the API exists; the configured path if there is none. */
async function locate(check: ApiCheck, sender: RawSender): Promise<[string, ProbeResult | undefined]> {
  let first: ProbeResult | undefined;
  for (const prefix of check.prefixes) {
    const result = await probeApi(sender, check, prefix, request => request);
    first ??= result;
    if (result?.isPresent !== false) return [prefix, result];
  }
  return [check.prefix, first];
}
