import { accepted } from '../../config/resolve.ts';
import { checkDomain } from '../../config/values.ts';
import { CurlPrinted, UsageError } from '../../errors/index.ts';
import type { Json } from '../../json/index.ts';
import type { OutputSection } from '../framework/context.ts';
import { defineCommand, list, outputFile, string } from '../framework/define-command.ts';
import { listOf } from '../framework/output-schema.ts';
import { API_NAMES, type ApiName } from './api-names.ts';
import type { Finding } from './finding.ts';

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'find out what is wrong, and what to do about it',
  description:
    "Looks at the profiles file and its permissions, where each setting came from, the key, the way to the gateway (proxy, name, TLS, the server's clock), the key against each API, the paths that answer, and what is kept on this machine. Nothing is changed anywhere: each API is asked something harmless. Each line that is not ok says what to do. The exit code is that of the first line that is wrong.",
  options: {
    domain: string(
      '--domain <domain>',
      "the domain to ask the Subscriptions API about (default: the profile's)",
      {
        completes: 'domain',
        isPasted: true,
      },
    ),
    surface: list('--surface <name...>', `ask these APIs alone: ${API_NAMES.join(', ')}`, {
      completes: API_NAMES,
    }),
    bundle: outputFile(
      '--bundle <file>',
      'also write everything for a support request, with all secrets removed',
    ),
  },
  examples: [
    { does: 'what is wrong here?', command: 'gatectl doctor' },
    { does: 'only what is not ok', command: 'gatectl doctor --jq \'.[] | select(.state != "ok")\'' },
    { does: 'for a support request', command: 'gatectl doctor --bundle gatectl-support.json' },
  ],
  answers: listOf({
    area: ['string', 'what part of the way was looked at'],
    check: ['string', 'what was looked at'],
    state: ['string', 'ok, warning, wrong or not tried'],
    found: ['string', 'what was found, in words'],
    advice: ['string | null', 'what to do about it'],
  }),
  async run(flags, context) {
    const surfaces = chosenSurfaces(flags.surface);
    const domain =
      flags.domain === undefined
        ? undefined
        : accepted(checkDomain(flags.domain), `the domain ${flags.domain}`);
    const { diagnosis } = await import('./diagnosis.ts');
    const findings = await diagnosis({ domain, surfaces }, context);
    if (context.globals.curl) throw new CurlPrinted();
    const rows = findings.map(({ area, check, state, found, advice }) => ({
      area,
      check,
      state,
      found,
      advice,
    }));
    await context.out.printSections(rows, partsOf(findings, rows), rows);
    if (flags.bundle !== undefined) {
      const { writeBundle } = await import('./bundle.ts');
      await writeBundle(flags.bundle, findings, context);
    }
    const wrong = findings.find(({ error }) => error !== undefined);
    if (wrong?.error !== undefined) throw wrong.error;
  },
});

/** For people: all lines at a glance, then what to do, which wants more room than a column has. */
function partsOf(findings: readonly Finding[], rows: Json): readonly OutputSection[] {
  const toDo = findings.filter(({ state, waits }) => state !== 'ok' && waits !== true);
  return [
    {
      title: 'What was looked at',
      data: rows,
      view: {
        columns: [
          { key: 'area', title: 'Area', kind: 'text' },
          { key: 'check', title: 'Check', kind: 'text' },
          { key: 'state', title: 'State', kind: 'text' },
          { key: 'found', title: 'Found', kind: 'text' },
        ],
      },
    },
    {
      title: 'What is not well',
      data: toDo.map(
        ({ area, check, found, advice }) => `${area} ${check}: ${found}. What to do: ${advice}.`,
      ),
      view: { prose: true, empty: 'nothing: all is well' },
    },
  ];
}

function chosenSurfaces(names: readonly string[]): readonly ApiName[] {
  return names.map(name => {
    const found = API_NAMES.find(known => known === name);
    if (found !== undefined) return found;
    throw new UsageError(`--surface can't be '${name}'`, {
      code: 'invalid_value',
      hints: [`one of: ${API_NAMES.join(', ')}`],
    });
  });
}
