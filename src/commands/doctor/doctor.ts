import { CurlPrinted } from '../../errors/index.ts';
import { invalidValue } from '../../errors/usage.ts';
import type { Json } from '../../json/index.ts';
import { API_NAMES, type ApiName } from '../../operations/probe/api-check.ts';
import type { Outcome } from '../../output/view.ts';
import type { Context, OutputSection } from '../framework/context.ts';
import { defineCommand, list, outputFile, string } from '../framework/define-command.ts';
import { listOf } from '../framework/output-schema.ts';
import type { Finding, State } from './finding.ts';

export const doctor = defineCommand({
  name: 'doctor',
  effect: 'read',
  summary: 'diagnose configuration, network and API problems',
  description:
    "Checks the profiles file and the project file, every setting and its origin, the key, the connection to the gateway (proxy, DNS, TLS, the server's clock), the key at each API, the paths of the APIs, the files that gatectl keeps, what exports left in the current folder, and the destination of a sync file there. Changes nothing: each API receives one harmless request. Prints the problems and how to fix them, and counts the rest; --verbose lists every check, and so do json and csv. The exit code is that of the first check that failed.",
  options: {
    domain: string('--domain <domain>', "the domain to query Subscriptions for (default: the profile's)", {
      completes: 'domain',
    }),
    api: list('--api <name...>', `check only these APIs: ${API_NAMES.join(', ')}`, {
      completes: API_NAMES,
    }),
    sync: string(
      '--sync <file>',
      'check the destination of this sync file (default: gatectl.sync.yaml here)',
    ),
    bundle: outputFile('--bundle <file>', 'also write a support bundle, with all secrets removed'),
  },
  examples: {
    'gatectl doctor': 'show problems',
    'gatectl doctor --verbose': 'list every check',
    'gatectl doctor --bundle gatectl-support.json': 'for a support request',
  },
  output: listOf({
    area: ['string', 'gatectl, config, settings, writes, key, network, apis, paths, caches, exports or sync'],
    check: ['string', 'what was checked'],
    state: ['string', 'ok, warning, wrong or not tried'],
    found: ['string', 'what was found, in words'],
    advice: ['string | null', 'how to fix it'],
  }),
  async run(flags, context) {
    const apis = chosenApis(flags.api);
    const { diagnosis } = await import('./diagnosis.ts');
    const findings = await diagnosis({ domain: flags.domain, apis, sync: flags.sync }, context);
    if (context.globals.curl) throw new CurlPrinted();
    const rows = findings.map(({ area, check, state, found, advice }) => ({
      area,
      check,
      state,
      found,
      advice,
    }));
    const sections = [...(context.globals.verbose ? [allChecks(rows)] : []), ...problems(findings, context)];
    await context.out.printSections(rows, sections, rows);
    if (flags.bundle !== undefined) {
      const { writeBundle } = await import('./bundle.ts');
      await writeBundle(flags.bundle, findings, context);
    }
    const wrong = findings.find(({ error }) => error !== undefined);
    if (wrong?.error !== undefined) throw wrong.error;
  },
});

const OUTCOMES: Readonly<Record<State, Outcome>> = {
  ok: 'good',
  warning: 'warning',
  wrong: 'bad',
  'not tried': 'skipped',
};

function allChecks(rows: Json): OutputSection {
  return {
    title: 'Checks',
    data: rows,
    view: {
      columns: [
        { key: 'area', title: 'Area', kind: 'text' },
        { key: 'check', title: 'Check', kind: 'text' },
        { key: 'state', title: 'State', kind: 'text', outcomes: OUTCOMES },
        { key: 'found', title: 'Found', kind: 'text' },
      ],
    },
  };
}

/** One line per problem, and one for all other checks unless those are listed. */
function problems(findings: readonly Finding[], { globals }: Context): readonly OutputSection[] {
  const isProblem = ({ state, isBlocked }: Finding) => state !== 'ok' && isBlocked !== true;
  const found = findings.filter(isProblem);
  const lines = found.map(
    ({ area, check, state, found, advice }) =>
      `${state}: ${area === check ? area : `${area} ${check}`}: ${found}. Fix: ${advice}.`,
  );
  const outcomes = found.length === 0 ? ['good' as const] : found.map(({ state }) => OUTCOMES[state]);
  const shown = {
    title: 'Problems',
    data: lines,
    view: { prose: true, empty: 'no problems found', outcomes },
  };
  if (globals.verbose) return [shown];
  const passed = findings.filter(({ state }) => state === 'ok').length;
  const skipped = findings.filter(({ isBlocked }) => isBlocked === true).length;
  const counts = `${passed} passed${skipped === 0 ? '' : `, ${skipped} skipped`}`;
  return [shown, { title: 'Other checks', data: [`${counts}; --verbose lists them`], view: { prose: true } }];
}

function chosenApis(names: readonly string[]): readonly ApiName[] {
  return names.map(name => {
    const found = API_NAMES.find(known => known === name);
    if (found !== undefined) return found;
    throw invalidValue(`unknown API '${name}' for --api`, `one of: ${API_NAMES.join(', ')}`);
  });
}
