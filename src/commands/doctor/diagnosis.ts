import type { Settings } from '../../config/resolve.ts';
import { AuthError, GatectlError, InterruptedError } from '../../errors/index.ts';
import type { Context } from '../framework/context.ts';
import { apiChecks } from './api-check.ts';
import { apiFindings } from './api-findings.ts';
import type { ApiName } from './api-names.ts';
import { cacheFindings } from './caches.ts';
import { configFindings } from './config.ts';
import { Area, type Finding } from './finding.ts';
import { installationFindings } from './installation.ts';
import { networkFindings } from './network.ts';
import { settingFindings } from './settings.ts';

interface Asked {
  readonly domain: string | undefined;
  /** None stands for all. */
  readonly surfaces: readonly ApiName[];
}

/** Everything that can be found out without changing anything. With `--curl` the questions are printed. */
export async function diagnosis(asked: Asked, context: Context): Promise<readonly Finding[]> {
  const findings = [...installationFindings(context), ...(await configFindings(context))];
  const settings = await readableSettings(findings, context);
  if (settings !== undefined) {
    findings.push(...settingFindings(settings, context), ...(await connection(settings, asked, context)));
  }
  findings.push(...(await cacheFindings(context)));
  return findings;
}

/** The settings; undefined where they can't be read, which is then among the findings. */
async function readableSettings(findings: Finding[], context: Context): Promise<Settings | undefined> {
  try {
    return await context.settings();
  } catch (error) {
    if (!(error instanceof GatectlError)) throw error;
    context.withoutSettings();
    const area = new Area('settings');
    const known = findings.some(({ state }) => state === 'wrong');
    if (known) area.waits('all', 'the profiles file comes first', 'mend it, then run gatectl doctor again');
    else area.wrong('all', { error, advice: await context.hintsFor(error) });
    findings.push(...area.findings);
    return undefined;
  }
}

/** The key, the way to the gateway, and its APIs. */
async function connection(settings: Settings, asked: Asked, context: Context): Promise<readonly Finding[]> {
  const { findings, hasKey } = await lookAtKey(context);
  if (settings.baseUrl.value === undefined) {
    const area = new Area('network');
    area.waits('all', 'there is no base URL', 'see the line about it above');
    return [...findings, ...area.findings];
  }
  const way = await networkFindings(new URL(settings.baseUrl.value), context);
  const surfaces = apiChecks(settings, asked.domain ?? settings.domain.value).filter(
    ({ name }) => asked.surfaces.length === 0 || asked.surfaces.includes(name),
  );
  if (way.isOpen) return [...findings, ...way.findings, ...(await apiFindings(surfaces, hasKey, context))];
  const area = new Area('surfaces');
  for (const { name } of surfaces)
    area.waits(name, 'the gateway is out of reach', 'see the lines about the network');
  return [...findings, ...way.findings, ...area.findings];
}

async function lookAtKey(context: Context): Promise<{ findings: readonly Finding[]; hasKey: boolean }> {
  const area = new Area('key');
  // Printed commands need no key, and a helper that asks for a passphrase is best left alone.
  if (context.globals.curl) return { findings: [], hasKey: true };
  try {
    area.ok('key', `there is one: ${await context.keyOrigin()}`);
    return { findings: area.findings, hasKey: true };
  } catch (error) {
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    const places = error instanceof AuthError ? error.places : [];
    const advice = (await context.hintsFor(error)).filter(sentence => !sentence.startsWith('looked in '));
    area.wrong('key', { error, advice, found: [error.message, ...places].join('; ') });
    return { findings: area.findings, hasKey: false };
  }
}
