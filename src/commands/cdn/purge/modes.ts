import { UsageError } from '../../../errors/index.ts';
import type { Option } from '../../framework/define-command.ts';
import { Modes } from '../../framework/modes.ts';
import { OPTIONS, type PurgeFlags } from './flags.ts';

/** What `cdn purge` is given: each mode by the argument or flag that selects it. */
export type Mode = (typeof SELECTORS)[number][0];
type Flag = keyof typeof OPTIONS;

/** The flags and the argument that select a mode, in the order of messages. */
const SELECTORS = [
  ['explain', '--explain', 'explain'],
  ['urls', 'URL', 'urls'],
  ['file', '--file', 'file'],
  ['sitemap', '--sitemap', 'sitemap'],
  ['prefix', '--prefix', 'prefix'],
  ['key', '--key', 'key'],
  ['keyFile', '--key-file', 'keyFile'],
  ['keysFromPage', '--keys-from-page', 'keysFromPage'],
  ['all', '--all', 'all'],
  ['changed', '--changed', 'changed'],
  ['git', '--git', 'git'],
  ['event', '--event', 'event'],
  ['repeatPlan', '--repeat-plan', 'repeatPlan'],
  ['resume', '--resume', 'resume'],
] as const;

const LISTS: readonly Mode[] = ['urls', 'file', 'sitemap', 'prefix'];
const CHANGES: readonly Mode[] = ['changed', 'git'];
const URLS: readonly Mode[] = [...LISTS, ...CHANGES, 'event', 'resume'];
const KEYS: readonly Mode[] = ['key', 'keyFile', 'keysFromPage'];
const SENDING: readonly Mode[] = [...URLS, ...KEYS, 'all'];

interface Applies {
  readonly modes: readonly Mode[];
  /** It requires one of these. */
  readonly requires?: readonly Flag[];
  /** It has no effect with --dry-run. */
  readonly needsPurge?: true;
}

/** What each flag applies to. */
const APPLIES: Readonly<Record<Flag, Applies>> = {
  file: { modes: ['file'] },
  sitemap: { modes: ['sitemap'] },
  changedSince: { modes: ['sitemap'] },
  prefix: { modes: ['prefix'] },
  knownFrom: { modes: ['prefix'] },
  key: { modes: ['key'] },
  keyFile: { modes: ['keyFile'] },
  keysFromPage: { modes: ['keysFromPage'] },
  all: { modes: ['all'] },
  // With --explain, they name the site.
  changed: { modes: ['changed', 'explain'] },
  git: { modes: ['git', 'explain'] },
  resume: { modes: ['resume'] },
  autoResume: { modes: [...LISTS, ...KEYS] },
  event: { modes: ['event', 'explain'], requires: ['map'] },
  map: { modes: [...CHANGES, 'event', 'explain'] },
  explain: { modes: ['explain'], requires: ['map', 'changed'] },
  deploy: { modes: CHANGES },
  orAll: { modes: CHANGES },
  repeatPlan: { modes: ['repeatPlan'] },
  impact: { modes: [...URLS, 'all'] },
  maxImpact: { modes: [...URLS, 'all'] },
  stage: { modes: URLS, needsPurge: true },
  pause: { modes: URLS, requires: ['stage'], needsPurge: true },
  warm: { modes: [...URLS, 'all'], needsPurge: true },
  warmRate: { modes: [...URLS, 'all'], requires: ['warm'], needsPurge: true },
  domain: { modes: [...SENDING, 'explain'] },
  // With --all, where pages are warmed.
  anyDomain: { modes: [...URLS, 'all', 'keysFromPage'] },
  skipInvalid: { modes: URLS },
  concurrency: { modes: [...URLS, ...KEYS] },
  split: { modes: URLS },
  failedFile: { modes: [...URLS, ...KEYS], needsPurge: true },
  summary: { modes: SENDING },
  dryRun: { modes: SENDING },
  planOut: { modes: SENDING },
  planFor: { modes: SENDING, requires: ['planOut'] },
  repeatAfter: { modes: SENDING, needsPurge: true },
  verify: { modes: URLS, needsPurge: true },
  receipt: { modes: URLS, requires: ['verify'], needsPurge: true },
  yes: { modes: ['all', ...CHANGES], requires: ['all', 'orAll'] },
  confirm: { modes: ['all', ...CHANGES], requires: ['all', 'orAll'] },
};

const FLAGS = Object.keys(APPLIES) as Flag[];
/** The flags with which nothing is purged. */
const UNSENT = ['dryRun', 'planOut'] as const;

/** Whether a flag has no effect with one of these. A plan does not say how its requests are sent. */
function isIdle(flag: Flag, unsent: (typeof UNSENT)[number]): boolean {
  if (APPLIES[flag].needsPurge) return true;
  return unsent === 'planOut' && ['concurrency', 'split', 'summary', 'dryRun'].includes(flag);
}

/** The modes of `cdn purge`. */
export const PURGE_MODES = new Modes(
  Object.fromEntries(SELECTORS.map(([mode, label]) => [mode, { label }])) as Record<Mode, { label: string }>,
  OPTIONS,
  Object.fromEntries(FLAGS.map(flag => [flag, APPLIES[flag].modes])),
);

/** The mode of a command line; undefined without one. Throws UsageError for two modes, and for flags that do not apply to it. */
export function modeOf(flags: PurgeFlags): Mode | undefined {
  const isTyped = (flag: Flag) => PURGE_MODES.isTyped(flag, flags);
  const nameOf = (flag: Flag) => PURGE_MODES.nameOf(flag);
  const named = SELECTORS.filter(([, , key]) => (key === 'urls' ? flags.urls.length > 0 : isTyped(key)));
  const [first, ...others] = named;
  if (first === undefined) return undefined;
  const [mode, label] = first;
  const other = others.find(([, , key]) => key === 'urls' || !PURGE_MODES.has(mode, key));
  if (other !== undefined)
    throw new UsageError(`${label} and ${other[1]} cannot be combined`, {
      code: 'conflicting_options',
      hints: ['use one of them'],
    });
  PURGE_MODES.assertApplies(mode, flags);
  for (const unsent of UNSENT) {
    const idle = isTyped(unsent) && FLAGS.find(flag => isIdle(flag, unsent) && isTyped(flag));
    if (idle)
      throw new UsageError(`${nameOf(unsent)} and ${nameOf(idle)} cannot be combined`, {
        code: 'conflicting_options',
        hints: [`remove ${nameOf(idle)}: with ${nameOf(unsent)}, nothing is purged`],
      });
  }
  if (mode === 'all' && flags.anyDomain && flags.warm === undefined)
    throw new UsageError('--all and --any-domain cannot be combined', {
      code: 'conflicting_options',
      hints: ['remove --any-domain: it applies to --all only with --warm'],
    });
  for (const flag of FLAGS) {
    const { requires } = APPLIES[flag];
    if (requires === undefined || !isTyped(flag) || requires.some(isTyped)) continue;
    const names = requires.map(nameOf).join(' or ');
    throw new UsageError(`${nameOf(flag)} requires ${names}`, {
      hints: [`add ${names}, or remove ${nameOf(flag)}`],
    });
  }
  return mode;
}

/** The flags that a purge does not keep when it is resumed. */
export function optionsNotResumed(): readonly Option<unknown>[] {
  return FLAGS.filter(flag => !PURGE_MODES.has('resume', flag) || flag === 'resume').map(
    flag => OPTIONS[flag] as Option<unknown>,
  );
}
