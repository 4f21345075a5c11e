import { version } from '../../../package.json';
import { configPath } from '../../config/platform.ts';
import { readProfiles } from '../../config/profiles-file.ts';
import { FileError } from '../../errors/index.ts';
import { writeAtomic } from '../../files/atomic-file.ts';
import { type Json, stringifyJson } from '../../json/index.ts';
import type { Context } from '../framework/context.ts';
import type { Finding } from './finding.ts';
import { Removal } from './removal.ts';

/** Variables that change what gatectl does; no other one is included. */
const VARIABLES =
  /^(GATECTL_.*|(HTTPS?|ALL|NO)_PROXY|NODE_(EXTRA_CA_CERTS|OPTIONS|TLS_REJECT_UNAUTHORIZED|USE_ENV_PROXY)|NO_COLOR|FORCE_COLOR|TERM|LANG|LC_.*|TZ|XDG_(CONFIG|CACHE|STATE)_HOME|MSYSTEM|MSYS_NO_PATHCONV|CI)$/i;

/** Writes a support bundle that only its owner can read. It lists what was removed. Throws FileError. */
export async function writeBundle(
  path: string,
  findings: readonly Finding[],
  context: Context,
): Promise<void> {
  const { io, clock } = context;
  const removal = new Removal(io, text => context.redactor.redact(text));
  const config = await storedConfig(removal, context);
  const environment = Object.fromEntries(
    Object.entries(io.env)
      .filter(([name, value]) => VARIABLES.test(name) && value !== undefined)
      .map(([name, value = '']) => [name, removal.variable(name, value)]),
  );
  const bundle: Json = {
    made: new Date(clock.now()).toISOString(),
    gatectl: version,
    node: io.runtime.node,
    system: `${io.platform} ${io.runtime.arch}`,
    findings: findings.map(({ area, check, state, found, advice }) => ({
      area,
      check,
      state,
      found: removal.text(found, findingName(area, check)),
      advice: advice === null ? null : removal.text(advice, findingName(area, check)),
    })),
    config,
    environment,
    removed: [...removal.removed],
  };
  await writeAtomic(path, `${stringifyJson(bundle, 2)}\n`, { mode: 0o600 });
  context.log.note(`wrote ${path} for a support request; review it before you send it`);
  for (const what of removal.removed) context.log.note(`removed: ${what}`);
}

function findingName(area: string, check: string): string {
  return `what was found about ${area === check ? `the ${area}` : `${area} ${check}`}`;
}

/** The profiles file without its secrets; an invalid one is omitted, because its secrets cannot be located. */
async function storedConfig(removal: Removal, { io }: Context): Promise<Json> {
  try {
    const { json } = await readProfiles(configPath(io), io.platform);
    return removal.config(json);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    removal.note('the profiles file, which is not valid');
    return null;
  }
}
