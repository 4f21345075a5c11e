import type { Settings } from '../../config/resolve.ts';
import { ApiError, AuthError } from '../../errors/index.ts';
import type { Transfer } from '../../http/response-body.ts';
import type { RawSender } from '../../http/sender.ts';
import type { ApiCheck } from '../../operations/probe/api-check.ts';
import { keyless, type ProbeResult, probeApi } from '../../operations/probe/probe.ts';
import { formatBytes } from '../../terminal/numbers.ts';
import type { Context } from '../framework/context.ts';
import { profileSetCommand } from '../framework/profile-set-command.ts';
import { baseUrlHint, type UnreachableApi } from './base-url.ts';
import { Area, type Finding } from './finding.ts';

interface ApiVisit {
  readonly api: ApiCheck;
  /** By path; empty if the call requires a domain and none is set. */
  readonly probed: ReadonlyMap<string, ProbeResult>;
  /** Whether the ping succeeds without a key too, so that it shows nothing. */
  readonly ignoresKey: boolean;
}

/** Tests the key, if there is one, at each API, and each API at every known path. */
export async function apiFindings(
  apis: readonly ApiCheck[],
  hasKey: boolean,
  context: Context,
): Promise<readonly Finding[]> {
  const sender = await context.gateway();
  const visits: ApiVisit[] = [];
  // One after the other, so that no rate limit is exceeded.
  for (const api of apis) visits.push(await visit(api, hasKey, sender));
  const network = new Area('network');
  checkCompression(network, visits, await context.settings());
  const keys = new Area('apis');
  const paths = new Area('paths');
  for (const each of visits) await checkKey(keys, each, hasKey, context);
  const unreachable = unreachableApis(visits);
  if (unreachable !== undefined) await baseUrlHint(paths, unreachable, context);
  else for (const each of visits) await checkPaths(paths, each, context);
  return [...network.findings, ...keys.findings, ...paths.findings];
}

/** Whether the largest response was compressed, because servers do not compress small ones. */
function checkCompression(area: Area, visits: readonly ApiVisit[], { compression }: Settings): void {
  const largest = visits
    .flatMap(({ probed }) => [...probed.values()].flatMap(({ transfer }) => transfer ?? []))
    .reduce<Transfer | undefined>((a, b) => (a !== undefined && a.bytes >= b.bytes ? a : b), undefined);
  if (!compression.value) area.ok('compression', `not requested (${compression.origin})`);
  else if (largest?.encoding !== undefined) {
    const { encoding, wireBytes, bytes } = largest;
    area.ok('compression', `${encoding}: ${formatBytes(wireBytes)} received for ${formatBytes(bytes)}`);
  } else if (largest !== undefined)
    area.ok('compression', `none: the largest response, ${formatBytes(largest.bytes)}, is not compressed`);
}

/** The APIs that were probed, if none was found at any path; undefined otherwise. */
function unreachableApis(visits: readonly ApiVisit[]): readonly UnreachableApi[] | undefined {
  const unreachable: UnreachableApi[] = [];
  for (const { api, probed } of visits) {
    const used = probed.get(api.prefix);
    if (used === undefined) continue;
    if ([...probed.values()].some(({ isPresent }) => isPresent !== false)) return undefined;
    unreachable.push({ api, used });
  }
  return unreachable.length === 0 ? undefined : unreachable;
}

async function visit(api: ApiCheck, hasKey: boolean, sender: RawSender): Promise<ApiVisit> {
  const probed = new Map<string, ProbeResult>();
  for (const prefix of api.prefixes) {
    const result = await probeApi(sender, api, prefix, hasKey ? call => call : keyless);
    if (result !== undefined) probed.set(prefix, result);
  }
  const unsure = hasKey && api.mayIgnoreKey && probed.get(api.prefix)?.error === undefined;
  const without = unsure ? await probeApi(sender, api, api.prefix, keyless) : undefined;
  return { api, probed, ignoresKey: without !== undefined && without.error === undefined };
}

async function checkKey(area: Area, visited: ApiVisit, hasKey: boolean, context: Context): Promise<void> {
  const { api, probed, ignoresKey } = visited;
  const { name, requests, prefix } = api;
  const result = probed.get(prefix);
  const { profile } = await context.settings();
  if (result === undefined) {
    area.notTried(
      name,
      'requires a domain',
      `add --domain DOMAIN, set GATECTL_DOMAIN, or store it: ${profileSetCommand(profile, 'domain DOMAIN')}`,
    );
    return;
  }
  if (!hasKey) area.blocked(name, 'requires a key', 'see key');
  else if (result.error === undefined && ignoresKey) {
    area.notTried(
      name,
      'reachable; ping does not check the key, and every other call would clear something',
      'to test the key, purge one page: gatectl cdn purge URL',
    );
  } else if (result.error === undefined) area.ok(name, `the key is accepted (${requests})`);
  else if (visited.probed.get(visited.api.prefix)?.isPresent === false)
    area.blocked(name, `API not found (${result.status})`, 'see paths');
  else area.wrong(name, { error: result.error, advice: await context.hintsFor(result.error) });
}

async function checkPaths(area: Area, { api, probed }: ApiVisit, context: Context): Promise<void> {
  const { name, prefix } = api;
  const used = probed.get(prefix);
  const { profile } = await context.settings();
  if (used === undefined) {
    area.blocked(name, 'requires a domain', 'see apis');
    return;
  }
  const found = [...probed]
    .map(([path, { isPresent, status }]) => `${path} ${presence(isPresent)} (${status})`)
    .join(', ');
  const better = [...probed].find(([, { isPresent }]) => isPresent === true)?.[0];
  if (used.isPresent === true) area.ok(name, found);
  else if (used.error instanceof AuthError) area.blocked(name, found, 'see apis');
  else if (used.isPresent === undefined) area.notTried(name, found, 'run gatectl doctor again later');
  else if (better !== undefined) {
    const error = used.error ?? new ApiError(`nothing found at ${prefix}`);
    area.wrong(name, { error, found, advice: profileSetCommand(profile, `prefix-${name} ${better}`) });
  } else if (used.error !== undefined) {
    const error = used.error;
    const known = await context.hintsFor(error);
    area.wrong(name, {
      error,
      found,
      advice:
        known.length > 0
          ? known
          : [`check the base URL, or set the path: ${profileSetCommand(profile, `prefix-${name} PATH`)}`],
    });
  }
}

function presence(isPresent: boolean | undefined): string {
  if (isPresent === undefined) return 'unclear';
  return isPresent ? 'found' : 'not found';
}
