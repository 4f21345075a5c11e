import { describe, expect, onTestFinished, test } from 'vitest';
import { OPTIONS } from '../../../../src/commands/cdn/purge/flags.ts';
import { flagName } from '../../../../src/commands/framework/define-command.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { run } from '../../../support/run.ts';
import { wireServer } from '../../../support/wire-server.ts';

type Flag = keyof typeof OPTIONS;

/** A command line of each mode. */
const MODES = {
  URL: ['https://example.com/'],
  '--file': ['--file', 'urls.txt'],
  '--sitemap': ['--sitemap', 'sitemap.xml'],
  '--prefix': ['--prefix', 'https://example.com/'],
  '--key': ['--key', 'a'],
  '--key-file': ['--key-file', 'keys.txt'],
  '--keys-from-page': ['--keys-from-page', 'https://example.com/'],
  '--all': ['--all'],
  '--changed': ['--changed', 'dist'],
  '--git': ['--git', 'HEAD'],
  '--event': ['--event', 'event.json', '--map', 'map.yaml'],
  '--explain': ['--explain', 'a.md', '--map', 'map.yaml'],
  '--repeat-plan': ['--repeat-plan', '20260314-1'],
  '--resume': ['--resume'],
};
type Mode = keyof typeof MODES;

const LISTS: readonly Mode[] = ['URL', '--file', '--sitemap', '--prefix'];
const CHANGES: readonly Mode[] = ['--changed', '--git'];
const URLS: readonly Mode[] = [...LISTS, ...CHANGES, '--event', '--resume'];
const KEYS: readonly Mode[] = ['--key', '--key-file', '--keys-from-page'];
const SENDING: readonly Mode[] = [...URLS, ...KEYS, '--all'];

/** Each flag as it is typed, with what it requires, and the modes in which it has an effect. */
const FLAGS: Readonly<Record<Flag, readonly [words: readonly string[], modes: readonly Mode[]]>> = {
  file: [MODES['--file'], ['--file']],
  sitemap: [MODES['--sitemap'], ['--sitemap']],
  changedSince: [['--changed-since', 'last'], ['--sitemap']],
  prefix: [MODES['--prefix'], ['--prefix']],
  knownFrom: [['--known-from', 'sitemap'], ['--prefix']],
  key: [MODES['--key'], ['--key']],
  keyFile: [MODES['--key-file'], ['--key-file']],
  keysFromPage: [MODES['--keys-from-page'], ['--keys-from-page']],
  all: [MODES['--all'], ['--all']],
  changed: [MODES['--changed'], ['--changed', '--explain']],
  git: [MODES['--git'], ['--git', '--explain']],
  resume: [MODES['--resume'], ['--resume']],
  autoResume: [['--no-resume'], [...LISTS, ...KEYS]],
  event: [MODES['--event'], ['--event', '--explain']],
  map: [
    ['--map', 'map.yaml'],
    [...CHANGES, '--event', '--explain'],
  ],
  explain: [['--explain', 'a.md'], ['--explain']],
  deploy: [['--deploy', '1'], CHANGES],
  orAll: [['--or-all'], CHANGES],
  repeatPlan: [MODES['--repeat-plan'], ['--repeat-plan']],
  impact: [['--impact'], [...URLS, '--all']],
  maxImpact: [
    ['--max-impact', '5%'],
    [...URLS, '--all'],
  ],
  stage: [['--stage', '5%,100%'], URLS],
  pause: [['--pause', '1s'], URLS],
  warm: [
    ['--warm', 'top:5'],
    [...URLS, '--all'],
  ],
  warmRate: [
    ['--warm-rate', '5/s'],
    [...URLS, '--all'],
  ],
  domain: [
    ['--domain', 'example.com'],
    [...SENDING, '--explain'],
  ],
  anyDomain: [['--any-domain'], [...URLS, '--keys-from-page']],
  skipInvalid: [['--skip-invalid'], URLS],
  concurrency: [
    ['--concurrency', '2'],
    [...URLS, ...KEYS],
  ],
  split: [['--no-split'], URLS],
  failedFile: [
    ['--failed-file', 'failed.txt'],
    [...URLS, ...KEYS],
  ],
  summary: [['--summary', '/dev/null'], SENDING],
  dryRun: [['--dry-run'], SENDING],
  planOut: [['--plan-out', 'plan.json'], SENDING],
  planFor: [['--plan-for', '2h'], SENDING],
  repeatAfter: [['--repeat-after', '1'], SENDING],
  verify: [['--verify'], URLS],
  receipt: [['--receipt', 'receipt.json'], URLS],
  yes: [['--yes'], ['--all', ...CHANGES]],
  confirm: [
    ['--confirm', 'example.com'],
    ['--all', ...CHANGES],
  ],
};

const MATRIX = Object.keys(MODES).flatMap(mode =>
  (Object.keys(FLAGS) as Flag[])
    .filter(flag => flagName(OPTIONS[flag].flags) !== mode || OPTIONS[flag].flags.startsWith('--no-'))
    .map(flag => [mode as Mode, flagName(OPTIONS[flag].flags), flag] as const),
);

/** The flags that have no effect if nothing is purged. */
const OF_PURGES: readonly Flag[] = [
  'failedFile',
  'pause',
  'receipt',
  'repeatAfter',
  'stage',
  'verify',
  'warm',
  'warmRate',
];

const DRY_RUNS = MATRIX.filter(
  ([mode, , flag]) => SENDING.includes(mode) && FLAGS[flag][1].includes(mode) && OF_PURGES.includes(flag),
);

async function refusal(mode: Mode, words: readonly string[]): Promise<{ code: string; message: string }> {
  const server = await wireServer(() => ({ body: '{"Success":true,"Error":""}' }));
  onTestFinished(() => server.close());
  const ran = await run(['cdn', 'purge', ...MODES[mode], ...words], {
    cwd: temporaryFolder(),
    env: {
      GATECTL_BASE_URL: server.baseUrl,
      GATECTL_API_KEY: 'some-key',
      GATECTL_DOMAIN: 'example.com',
      GATECTL_CONFIG_DIR: temporaryFolder(),
      GATECTL_OUTPUT: 'json',
    },
  });
  expect([ran.code, ran.stdout, server.received]).toEqual([2, '', []]);
  return JSON.parse(ran.stderr).error;
}

describe('each flag of cdn purge with each mode', () => {
  test.each(MATRIX)('%s with %s: refused in one wording, or accepted', async (mode, name, flag) => {
    const [words, modes] = FLAGS[flag];
    if (modes.includes(mode) || (flag === 'explain' && [...CHANGES, '--event'].includes(mode))) return;
    const error = await refusal(mode, words);
    expect(error.code).toBe('conflicting_options');
    expect(error.message).toMatch(/^(?:URL|--[a-z-]+) and (?:URL|--[a-z-]+) cannot be combined$/);
    expect(error.message).toContain(mode);
    expect(error.message).toContain(name);
  });

  test.each(DRY_RUNS)('%s with --dry-run and %s is refused', async (mode, name, flag) => {
    expect(await refusal(mode, [...FLAGS[flag][0], '--dry-run'])).toMatchObject({
      code: 'conflicting_options',
      message: `--dry-run and ${name} cannot be combined`,
    });
  });
});
