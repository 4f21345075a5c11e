import { engines, version } from '../../../package.json';
import type { Settings } from '../../config/resolve.ts';
import { AuthError, GatectlError, InterruptedError, UsageError } from '../../errors/index.ts';
import { type ApiName, apiChecks } from '../../operations/probe/api-check.ts';
import type { Context } from '../framework/context.ts';
import { apiFindings } from './api-findings.ts';
import { cacheFindings } from './caches.ts';
import { configFindings } from './config.ts';
import { exportFindings } from './exports.ts';
import { Area, type Finding } from './finding.ts';
import { networkFindings } from './network.ts';
import { settingFindings } from './settings.ts';
import { writeFindings } from './writes.ts';

interface DiagnosisOptions {
  readonly domain: string | undefined;
  /** Empty for all. */
  readonly apis: readonly ApiName[];
  /** The sync file to check; undefined for that of the current folder, if there is one. */
  readonly sync: string | undefined;
}

/** Runs every check; none changes anything. With `--curl`, requests are printed and not sent. */
export async function diagnosis(options: DiagnosisOptions, context: Context): Promise<readonly Finding[]> {
  const findings = [...installationFindings(context), ...(await configFindings(context))];
  const settings = await readableSettings(findings, context);
  if (settings !== undefined) {
    findings.push(
      ...settingFindings(settings, context),
      ...(await writeFindings(context)),
      ...(await connection(settings, options, context)),
    );
  }
  findings.push(...(await cacheFindings(context)), ...(await exportFindings(context)));
  // No printed command shows what a database is asked.
  if (!context.globals.curl) {
    const { syncFindings } = await import('./sync.ts');
    findings.push(...(await syncFindings(options.sync, context)));
  }
  return findings;
}

/** The settings; undefined if they cannot be read, which is added to the findings. */
async function readableSettings(findings: Finding[], context: Context): Promise<Settings | undefined> {
  try {
    return await context.settings();
  } catch (error) {
    if (!(error instanceof GatectlError)) throw error;
    context.withoutSettings();
    const area = new Area('settings');
    const known = findings.some(({ state }) => state === 'wrong');
    if (known) area.blocked('all', 'requires the files above', 'fix them, then run gatectl doctor again');
    else area.wrong('all', { error, advice: await context.hintsFor(error) });
    findings.push(...area.findings);
    return undefined;
  }
}

/** The key, the connection to the gateway, and its APIs. */
async function connection(
  settings: Settings,
  options: DiagnosisOptions,
  context: Context,
): Promise<readonly Finding[]> {
  const domain = options.domain === undefined ? settings.domain.value : await context.domain(options.domain);
  const { findings, hasKey } = await checkKey(context);
  if (settings.baseUrl.value === undefined) {
    const area = new Area('network');
    area.blocked('all', 'requires a base URL', 'see settings base-url');
    return [...findings, ...area.findings];
  }
  const network = await networkFindings(new URL(settings.baseUrl.value), context);
  const apis = apiChecks(settings, domain).filter(
    ({ name }) => options.apis.length === 0 || options.apis.includes(name),
  );
  if (network.isOpen)
    return [...findings, ...network.findings, ...(await apiFindings(apis, hasKey, context))];
  const area = new Area('apis');
  for (const { name } of apis) area.blocked(name, 'the gateway is unreachable', 'see network');
  return [...findings, ...network.findings, ...area.findings];
}

async function checkKey(context: Context): Promise<{ findings: readonly Finding[]; hasKey: boolean }> {
  const area = new Area('key');
  // Printed commands need no key, and a helper may prompt for a passphrase.
  if (context.globals.curl) return { findings: [], hasKey: true };
  try {
    area.ok('key', `found: ${await context.keyOrigin()}`);
    return { findings: area.findings, hasKey: true };
  } catch (error) {
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    const places = error instanceof AuthError ? error.places : [];
    const advice = (await context.hintsFor(error)).filter(sentence => !sentence.startsWith('searched '));
    area.wrong('key', { error, advice, found: [error.message, ...places].join('; ') });
    return { findings: area.findings, hasKey: false };
  }
}

/** gatectl itself and its environment. */
function installationFindings({ io }: Context): readonly Finding[] {
  const area = new Area('gatectl');
  area.ok('version', version);
  const required = engines.node.replace(/^[^\d]*/, '');
  if (isAtLeast(io.runtime.node, required))
    area.ok('node', `${io.runtime.node} (${required} or newer is required)`);
  else {
    const error = new UsageError(`Node ${io.runtime.node} is older than ${required}`);
    area.wrong('node', { error, advice: `install Node ${required} or newer` });
  }
  area.ok('system', `${io.platform} ${io.runtime.arch}`);
  return area.findings;
}

function isAtLeast(version: string, required: string): boolean {
  const [have, minimum] = [version, required].map(text => text.split('.').map(Number));
  for (const [index, number] of (minimum ?? []).entries()) {
    const own = have?.[index] ?? 0;
    if (own !== number) return own > number;
  }
  return true;
}
