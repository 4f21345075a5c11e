import { ApiError, AuthError, InvalidResponseError } from '../../errors/index.ts';
import type { ApiCheck } from '../../operations/probe/api-check.ts';
import { keyless, type ProbeResult, probeApi } from '../../operations/probe/probe.ts';
import type { Context } from '../framework/context.ts';
import { correction, profileSetCommand } from '../framework/profile-set-command.ts';
import type { Area } from './finding.ts';

/** An API that was not found at any known path. */
export interface UnreachableApi {
  readonly api: ApiCheck;
  /** The result at the configured path. */
  readonly used: ProbeResult;
}

/**
 * One finding instead of one per API: if no API is found, the base URL is wrong: its path if the APIs are found without it,
 * otherwise its host.
 */
export async function baseUrlHint(
  area: Area,
  unreachable: readonly UnreachableApi[],
  context: Context,
): Promise<void> {
  const settings = await context.settings();
  const { baseUrl, profile } = settings;
  const root = baseUrl.value ?? '';
  const { origin, pathname } = new URL(root);
  const statuses = unreachable.map(({ api, used }) => `${api.name} ${used.status}`).join(', ');
  const found = `no API found below ${root} (${statuses})`;
  if (pathname !== '/' && (await foundAt(new URL(origin), unreachable, context))) {
    area.wrong('base-url', {
      error: sameKind(unreachable, found),
      found: `${found}, but ${origin} has them: the path ${pathname} of the base URL is probably wrong`,
      advice: correction('baseUrl', baseUrl, profile, origin),
    });
    return;
  }
  area.wrong('base-url', {
    error: sameKind(unreachable, found),
    found: `${found}: this does not look like a gateway`,
    advice: [
      `check the base URL, which comes from ${settings.baseUrl.origin.replace(/^(flag|environment) /, '')}`,
      ...(unreachable.some(isForeignPage)
        ? ['a proxy, a firewall or a login page may respond in its place: check the network']
        : []),
      ...unreachable
        .map(({ api }) => profileSetCommand(profile, `prefix-${api.name} PATH`))
        .slice(0, 1)
        .map(command => `if its APIs have other paths, set each: ${command}`),
    ],
  });
}

/** Whether any of the APIs is below another base URL. Sends no key. */
async function foundAt(
  root: URL,
  unreachable: readonly UnreachableApi[],
  context: Context,
): Promise<boolean> {
  const sender = await context.gateway(root);
  for (const { api } of unreachable) {
    for (const prefix of api.prefixes) {
      const result = await probeApi(sender, api, prefix, keyless);
      if (result?.isPresent === true) return true;
    }
  }
  return false;
}

/** An error of the kind that a command would throw, without a request. */
function sameKind(unreachable: readonly UnreachableApi[], message: string): ApiError | InvalidResponseError {
  const isPage = unreachable[0]?.used.error instanceof InvalidResponseError;
  return isPage ? new InvalidResponseError(message, { code: 'html_response' }) : new ApiError(message);
}

/** Whether the response is a web page other than the server's own 404 page. */
function isForeignPage({ used: { error } }: UnreachableApi): boolean {
  const isKnown = error instanceof AuthError || error instanceof InvalidResponseError;
  return isKnown && error.request?.isWebPage === true;
}
