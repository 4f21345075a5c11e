import type { Settings } from '../../config/resolve.ts';
import { ApiError, AuthError, InvalidResponseError } from '../../errors/index.ts';
import type { Context } from '../framework/context.ts';
import { correction, profileSetCommand } from '../framework/profile-set-command.ts';
import type { ApiCheck } from './api-check.ts';
import type { Area } from './finding.ts';
import { keyless, type Probed, probeSurface } from './probe.ts';

/** A surface that does not answer at any prefix that gateways are known for. */
export interface UnreachableApi {
  readonly surface: ApiCheck;
  /** What was found at the prefix in use. */
  readonly used: Probed;
}

/**
 * One line in place of one for each surface, for where none of them is the base URL itself is to blame: its path, where they
 * answer without it, or else what listens there.
 */
export async function baseUrlHint(
  area: Area,
  lost: readonly UnreachableApi[],
  context: Context,
): Promise<void> {
  const settings = await context.settings();
  const { baseUrl, profile } = settings;
  const root = baseUrl.value ?? '';
  const { origin, pathname } = new URL(root);
  const statuses = lost.map(({ surface, used }) => `${surface.name} ${used.status}`).join(', ');
  const nowhere = `nothing of this gateway's APIs is below ${root} (${statuses})`;
  if (pathname !== '/' && (await answersAt(new URL(origin), lost, context))) {
    area.wrong('base-url', {
      error: alike(lost, nowhere),
      found: `${nowhere}, and ${origin} answers: the path ${pathname} of the base URL is probably wrong`,
      advice: correction('baseUrl', baseUrl, profile, origin),
    });
    return;
  }
  area.wrong('base-url', {
    error: alike(lost, nowhere),
    found: `${nowhere}: it does not look like a gateway`,
    advice: [
      `check the base URL, which comes from ${whereFrom(settings)}`,
      ...(lost.some(isLedAstray)
        ? ['a proxy, a firewall or a login page may answer in its place: look at the network']
        : []),
      ...lost
        .map(({ surface }) => profileSetCommand(profile, `prefix-${surface.name} PATH`))
        .slice(0, 1)
        .map(command => `where its APIs have other paths, set each: ${command}`),
    ],
  });
}

/** Whether any of the surfaces is below another base URL. It is asked without the key. */
async function answersAt(root: URL, lost: readonly UnreachableApi[], context: Context): Promise<boolean> {
  const sender = await context.gateway(root);
  for (const { surface } of lost) {
    for (const prefix of surface.prefixes) {
      const result = await probeSurface(sender, surface, prefix, keyless);
      if (result?.answers === true) return true;
    }
  }
  return false;
}

/** An error of the kind that a command would meet, without a request that would be to blame. */
function alike(lost: readonly UnreachableApi[], message: string): ApiError | InvalidResponseError {
  const isPage = lost[0]?.used.error instanceof InvalidResponseError;
  return isPage ? new InvalidResponseError(message, { code: 'html_response' }) : new ApiError(message);
}

/** A web page where one would expect an API to answer, and not the page of a server that knows no such path. */
function isLedAstray({ used: { error } }: UnreachableApi): boolean {
  const isTold = error instanceof AuthError || error instanceof InvalidResponseError;
  return isTold && error.request?.isWebPage === true;
}

function whereFrom({ baseUrl }: Settings): string {
  return baseUrl.origin.replace(/^(flag|environment) /, '');
}
