import { ApiError, AuthError } from '../../errors/index.ts';
import type { RawSender } from '../../http/sender.ts';
import type { Context } from '../framework/context.ts';
import { profileSetCommand } from '../framework/profile-set-command.ts';
import type { ApiCheck } from './api-check.ts';
import { baseUrlHint, type UnreachableApi } from './base-url.ts';
import { Area, type Finding } from './finding.ts';
import { keyless, type Probed, probeSurface } from './probe.ts';

interface Visit {
  readonly surface: ApiCheck;
  /** By prefix; without the one in use where the call lacks something. */
  readonly probed: ReadonlyMap<string, Probed>;
  /** True where the ping was taken without a key as well, so that it proves nothing. */
  readonly takesNoKey: boolean;
}

/** Tries the key, where there is one, against each surface, and each surface at every prefix that gateways are known for. */
export async function apiFindings(
  surfaces: readonly ApiCheck[],
  hasKey: boolean,
  context: Context,
): Promise<readonly Finding[]> {
  const sender = await context.gateway();
  const visits: Visit[] = [];
  // One after the other: a diagnosis is no reason to run into a limit.
  for (const surface of surfaces) visits.push(await visit(surface, hasKey, sender));
  const keys = new Area('surfaces');
  const paths = new Area('paths');
  for (const each of visits) await tellKey(keys, each, hasKey, context);
  const lost = lostOnes(visits);
  if (lost !== undefined) await baseUrlHint(paths, lost, context);
  else for (const each of visits) await tellPaths(paths, each, context);
  return [...keys.findings, ...paths.findings];
}

/** All surfaces that could be asked, where not one answers anywhere; undefined where any does, or may. */
function lostOnes(visits: readonly Visit[]): readonly UnreachableApi[] | undefined {
  const lost: UnreachableApi[] = [];
  for (const { surface, probed } of visits) {
    const used = probed.get(surface.prefix);
    if (used === undefined) continue;
    if ([...probed.values()].some(({ answers }) => answers !== false)) return undefined;
    lost.push({ surface, used });
  }
  return lost.length === 0 ? undefined : lost;
}

async function visit(surface: ApiCheck, hasKey: boolean, sender: RawSender): Promise<Visit> {
  const probed = new Map<string, Probed>();
  for (const prefix of surface.prefixes) {
    const result = await probeSurface(sender, surface, prefix, hasKey ? call => call : keyless);
    if (result !== undefined) probed.set(prefix, result);
  }
  const unsure = hasKey && surface.keyMayNotMatter && probed.get(surface.prefix)?.error === undefined;
  const without = unsure ? await probeSurface(sender, surface, surface.prefix, keyless) : undefined;
  return { surface, probed, takesNoKey: without !== undefined && without.error === undefined };
}

async function tellKey(area: Area, visited: Visit, hasKey: boolean, context: Context): Promise<void> {
  const { surface, probed, takesNoKey } = visited;
  const { name, asks, prefix } = surface;
  const result = probed.get(prefix);
  const { profile } = await context.settings();
  if (result === undefined) {
    area.notTried(
      name,
      'a domain is needed to ask',
      `type --domain DOMAIN, set GATECTL_DOMAIN, or store it: ${profileSetCommand(profile, 'domain DOMAIN')}`,
    );
    return;
  }
  if (!hasKey) area.waits(name, 'there is no key', 'see the line about the key');
  else if (result.error === undefined && takesNoKey) {
    area.notTried(
      name,
      'it responds; ping takes no notice of the key, and every other call would clear something',
      'to be certain, clear a page that may be cleared: gatectl cdn purge URL',
    );
  } else if (result.error === undefined) area.ok(name, `the key is accepted (${asks})`);
  else if (isElsewhere(visited))
    area.waits(name, `no API there to try the key on (${result.status})`, 'see paths below');
  else area.wrong(name, { error: result.error, advice: await context.hintsFor(result.error) });
}

/** The API is not where the settings have it. */
function isElsewhere({ surface, probed }: Visit): boolean {
  return probed.get(surface.prefix)?.answers === false;
}

async function tellPaths(area: Area, { surface, probed }: Visit, context: Context): Promise<void> {
  const { name, prefix } = surface;
  const used = probed.get(prefix);
  const { profile } = await context.settings();
  if (used === undefined) {
    area.waits(name, 'a domain is needed to ask', 'see the line above');
    return;
  }
  const found = [...probed]
    .map(([path, { answers, status }]) => `${path} ${answering(answers)} (${status})`)
    .join(', ');
  const better = [...probed].find(([, { answers }]) => answers === true)?.[0];
  if (used.answers === true) area.ok(name, found);
  else if (used.error instanceof AuthError) area.waits(name, found, 'see the line about the key above');
  else if (used.answers === undefined) area.notTried(name, found, 'run gatectl doctor again later');
  else if (better !== undefined) {
    const error = used.error ?? new ApiError(`nothing answers at ${prefix}`);
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

function answering(answers: boolean | undefined): string {
  if (answers === undefined) return "can't be told";
  return answers ? 'answers' : 'does not answer';
}
