import { createHash } from 'node:crypto';
import { join } from 'node:path';
import {
  type ConfirmedState,
  readState,
  type UnconfirmedPurge,
  writeState,
} from '../../../../apis/cdn/changes/confirmed-state.ts';
import {
  isNumbered,
  type PurgePlan,
  planPurge,
  type Targets,
  targetsBeyond,
} from '../../../../apis/cdn/changes/plan.ts';
import { stateFolder } from '../../../../config/platform.ts';
import { FileError, UsageError } from '../../../../errors/index.ts';
import { makePrivateFolder } from '../../../../files/folders.ts';
import { withLock } from '../../../../files/lock.ts';
import { machineKey } from '../../../../files/machine-key.ts';
import { groupDigits, pluralize } from '../../../../terminal/numbers.ts';
import type { Context } from '../../../framework/context.ts';
import { gatewayName, lockMachine } from '../../../framework/lock-machine.ts';
import type { PurgeFlags } from '../flags.ts';
import type { PlannedRun, PrintedPurge } from '../purge-run.ts';
import type { PurgeResult } from '../result.ts';
import type { Revisions } from './git.ts';
import { MAP_HINT, type SiteSource, siteSource } from './site-source.ts';

/** Files that a message names at most. */
const MAX_NAMED = 5;

/** Where the confirmed state is stored, and what identifies this machine. */
interface StateStore {
  /** Undefined where the repository is not known, so that its state is neither read nor written. */
  readonly path: string | undefined;
  readonly machine: string;
}

/**
 * Purges what changed since the last confirmed purge, or in the range of `--git BASE..REF`, and confirms the new state once everything was
 * purged. Throws UsageError where nothing is confirmed yet, and for a site, map or repository that cannot be used; nothing is sent then.
 */
export async function purgeChanges(flags: PurgeFlags, context: Context): Promise<void> {
  const domain = await context.domain(flags.domain);
  const revisions = await namedRevisions(flags, context);
  const store = await stateStore(domain, revisions, context);
  const purge = async () => {
    const site = await siteSource(flags, domain, revisions, context);
    const confirmed = store.path === undefined ? undefined : await confirmedState(store.path, flags, context);
    const plan = await planOf(confirmed, site, store, flags);
    if (plan === undefined) throw nothingConfirmed(domain, flags);
    await assertPages(plan, confirmed, site, flags, context);
    printPlan(plan, flags, context);
    if (plan.scope !== 'everything' && plan.urls.length + plan.keys.length === 0)
      context.log.note(site.base === undefined ? nothingSince(confirmed) : `nothing changed in ${flags.git}`);
    const left = await leftByRange(plan, confirmed, site, store, flags);
    const change = new StateChange(store, { confirmed, site, plan, left }, flags, context);
    if (plan.scope === 'everything') return await purgeAll(domain, change, flags, context);
    await purgePlanned(domain, plan, change, flags, context);
  };
  if (store.path === undefined) return await purge();
  await withLock(store.path, { machine: lockMachine(context), wait: 0 }, purge);
}

async function namedRevisions({ git }: PurgeFlags, { io, signal }: Context): Promise<Revisions | undefined> {
  if (git === undefined) return undefined;
  const { revisionsOf } = await import('./git.ts');
  return await revisionsOf(git, io.cwd, io.env, signal);
}

/**
 * Without a map, files of a repository that browsers do not request lead to nothing: throws UsageError where only such files changed, and
 * warns about them otherwise.
 */
async function assertPages(
  plan: PurgePlan,
  confirmed: ConfirmedState | undefined,
  site: SiteSource,
  flags: PurgeFlags,
  context: Context,
): Promise<void> {
  const from = site.base?.commit ?? confirmed?.commit;
  if (flags.map !== undefined || from === undefined || plan.scope === 'everything') return;
  const files = (await site.differing?.(from)) ?? [];
  const others = files.filter(path => site.siteMap.effectsOf(path) === undefined);
  if (others.length === 0) return;
  const more = others.length > MAX_NAMED ? ` and ${groupDigits(others.length - MAX_NAMED)} more` : '';
  const named = `${others.slice(0, MAX_NAMED).join(', ')}${more}`;
  const count = pluralize(files.length, 'changed file');
  if (plan.urls.length + plan.keys.length > 0)
    return context.log.warn(
      `${groupDigits(others.length)} of ${count} ${others.length === 1 ? 'is' : 'are'} not purged, as browsers do not request such files: ${named}`,
      [MAP_HINT],
    );
  throw new UsageError(
    files.length === 1
      ? `the changed file does not look like a page: ${named}`
      : `none of the ${count} looks like a page: ${named}`,
    { code: 'invalid_input', hints: ['nothing was sent', MAP_HINT] },
  );
}

/** Purges everything of the domain. */
async function purgeAll(
  domain: string,
  change: StateChange,
  flags: PurgeFlags,
  context: Context,
): Promise<void> {
  const { purgeDomain } = await import('../domain.ts');
  if (flags.verify) context.log.note('a purge of the whole domain is not verified');
  if (flags.stage !== undefined) context.log.note('a purge of the whole domain has no stages');
  const all = { ...flags, domain, verify: false, stage: undefined };
  await purgeDomain(all, context, run => change.planned([], run));
}

async function purgePlanned(
  domain: string,
  plan: PurgePlan,
  change: StateChange,
  flags: PurgeFlags,
  context: Context,
): Promise<void> {
  const { purgeTargetsOf } = await import('./planned-targets.ts');
  await purgeTargetsOf({ ...plan, place: 'the map' }, domain, flags, context, run =>
    change.planned(plan.keys, run),
  );
}

/** The state file of the domain, for this gateway, profile and repository. Throws FileError where there is no folder for it. */
async function stateStore(
  domain: string,
  revisions: Revisions | undefined,
  context: Context,
): Promise<StateStore> {
  const folder = stateFolder(context.io);
  if (folder === undefined)
    throw new FileError('there is no folder for the confirmed state: HOME is not set', { path: '' });
  const key = await machineKey(join(folder, 'machine'));
  const machine = createHash('sha256').update(key).digest('hex').slice(0, 16);
  if (revisions !== undefined && revisions.identity === undefined) {
    context.log.note('the clone is shallow, so the confirmed state is neither used nor changed');
    return { path: undefined, machine };
  }
  const { profile } = await context.settings();
  const repository = revisions === undefined ? [] : [revisions.identity];
  const scope = JSON.stringify([await gatewayName(context), profile.value ?? '', domain, ...repository]);
  const states = join(folder, 'confirmed');
  await makePrivateFolder(states);
  const name = `${domain}-${createHash('sha256').update(scope).digest('hex').slice(0, 12)}.state`;
  return { path: join(states, name), machine };
}

/** A damaged state counts as none, with a warning. */
async function confirmedState(
  path: string,
  flags: PurgeFlags,
  context: Context,
): Promise<ConfirmedState | undefined> {
  try {
    return await readState(path);
  } catch (error) {
    if (!(error instanceof FileError) || error.code !== 'invalid_file' || !flags.orAll) throw error;
    context.log.warn(`${error.message}, so it is unknown what is cached`);
    return undefined;
  }
}

async function planOf(
  confirmed: ConfirmedState | undefined,
  site: SiteSource,
  store: StateStore,
  flags: PurgeFlags,
): Promise<PurgePlan | undefined> {
  const { base, snapshot } = site;
  if (base === undefined) return await sinceConfirmed(confirmed, site, store, flags);
  // The base commit names what is cached.
  const named: ConfirmedState = {
    id: '',
    at: '',
    machine: store.machine,
    urls: base.snapshot.urls,
    keys: base.snapshot.keys,
  };
  const history = await site.history?.(base.commit, base.snapshot.urls.keys());
  const evidence = { machine: store.machine, deploy: undefined, history };
  return planPurge(named, snapshot, evidence, flags.orAll);
}

/** What is to be purged since the confirmed purge, beyond a range: the next purge without one includes it. */
async function leftByRange(
  plan: PurgePlan,
  confirmed: ConfirmedState | undefined,
  site: SiteSource,
  store: StateStore,
  flags: PurgeFlags,
): Promise<Targets> {
  const all =
    site.base === undefined
      ? undefined
      : await sinceConfirmed(confirmed, site, store, { ...flags, orAll: false });
  return all === undefined ? { urls: [], keys: [] } : targetsBeyond(all, plan);
}

async function sinceConfirmed(
  confirmed: ConfirmedState | undefined,
  site: SiteSource,
  { machine }: StateStore,
  { deploy, orAll }: PurgeFlags,
): Promise<PurgePlan | undefined> {
  const needsHistory = confirmed?.commit !== undefined && !isNumbered(confirmed, deploy);
  const history = needsHistory
    ? await site.history?.(confirmed.commit ?? '', confirmed.urls.keys())
    : undefined;
  const isLost = needsHistory && site.history !== undefined && history === undefined;
  return planPurge(confirmed, site.snapshot, { machine, deploy, history, isLost }, orAll);
}

function nothingSince(confirmed: ConfirmedState | undefined): string {
  return `nothing changed since the confirmed purge${confirmed === undefined ? '' : ` of ${confirmed.at}`}`;
}

function nothingConfirmed(domain: string, { git }: PurgeFlags): UsageError {
  const hints = ['to purge the whole domain once and confirm this state, add --or-all --yes'];
  if (git !== undefined) hints.push('to name the revision that is cached, type --git BASE..REF');
  return new UsageError(
    `no purge of ${domain} is confirmed yet, so what changed is not known; nothing was sent`,
    { code: 'invalid_input', hints },
  );
}

function printPlan(plan: PurgePlan, { orAll }: PurgeFlags, { log }: Context): void {
  const { scope, reasons } = plan;
  const why = reasons.join('; ');
  if (scope === 'everything') log.warn(`purging the whole domain: ${why}`);
  else if (scope === 'widened') log.warn(`purging more than what changed: ${why}`);
  else if (scope === 'known') {
    const caution =
      'pages that only a missing deploy had stay cached; --or-all purges the whole domain instead';
    log.warn(`purging all known pages: ${why}`, orAll ? [] : [caution]);
  }
}

/** What a purge of changes rests on. */
interface ChangeFacts {
  readonly confirmed: ConfirmedState | undefined;
  readonly site: SiteSource;
  readonly plan: PurgePlan;
  /** What the state lacks beyond the plan. */
  readonly left: Targets;
}

/** Updates the stored state while a purge runs: targets are unconfirmed until they are cleared. */
class StateChange {
  readonly #store: StateStore;
  readonly #confirmed: ConfirmedState | undefined;
  readonly #site: SiteSource;
  readonly #plan: PurgePlan;
  readonly #left: Targets;
  readonly #flags: PurgeFlags;
  readonly #context: Context;
  readonly #cleared = new Set<string>();

  constructor(
    store: StateStore,
    { confirmed, site, plan, left }: ChangeFacts,
    flags: PurgeFlags,
    context: Context,
  ) {
    this.#store = store;
    this.#confirmed = confirmed;
    this.#site = site;
    this.#plan = plan;
    this.#left = left;
    this.#flags = flags;
    this.#context = context;
  }

  /** What a purge does to the state: `keys` are cleared after its URLs, and `run` is it. */
  planned(keys: readonly string[], run: () => PrintedPurge): PlannedRun {
    return {
      keys,
      onStart: () => this.#owe({}),
      onCleared: targets => {
        for (const target of targets) this.#cleared.add(target);
      },
      onEnd: async id => {
        const { result, isConfirmed, isDoubtful } = run();
        this.#describe(result);
        if (isConfirmed) await this.#confirm(id);
        // Pages that were cleared are cached as they are now.
        else if (!isDoubtful) await this.#owe({});
      },
    };
  }

  /** Records that the cache holds nothing older than the site as it is now, as far as the purge included all of it. */
  async #confirm(id = ''): Promise<void> {
    if (this.#store.path === undefined) return;
    const { git: range = '', deploy: number } = this.#flags;
    if (this.#isPartial) {
      const { urls, keys } = this.#left;
      this.#context.log.note(
        `${pluralize(urls.length + keys.length, 'more target')} changed since the confirmed purge${this.#confirmed === undefined ? '' : ` of ${this.#confirmed.at}`}; --git without a base purges ${urls.length + keys.length === 1 ? 'it' : 'them'}`,
      );
      return await this.#owe({ range });
    }
    const { snapshot, commit } = this.#site;
    const deploy = Math.max(number ?? 0, this.#confirmed?.deploy ?? 0);
    await writeState(this.#store.path, {
      id,
      at: this.#now(),
      machine: this.#store.machine,
      ...(number !== undefined && { deploy }),
      ...(commit !== undefined && { commit }),
      urls: snapshot.urls,
      keys: snapshot.keys,
    });
  }

  /** Whether the state lacks more than this purge includes, so that it cannot be confirmed. */
  get #isPartial(): boolean {
    if (this.#site.base === undefined) return false;
    const { urls, keys } = this.#left;
    return urls.length + keys.length > 0 || this.#confirmed?.unconfirmed?.everything === true;
  }

  /** Adds what changed to the output. */
  #describe(result: PurgeResult): void {
    const { scope, reasons, changed, added, removed, renamed } = this.#plan;
    const counts = { changed, added, removed, renamed };
    const parts = [
      pluralize(changed, 'changed URL'),
      `${groupDigits(added)} added`,
      `${groupDigits(removed)} removed`,
      ...(renamed > 0 ? [`${groupDigits(renamed)} of them renamed`] : []),
    ];
    result.describe(
      { scope, reasons: [...reasons], changes: counts },
      scope === 'everything'
        ? undefined
        : { title: 'Changes', data: [parts.join(', ')], view: { prose: true } },
    );
  }

  /** Stores what is not cleared yet. */
  async #owe(of: { readonly range?: string }): Promise<void> {
    const confirmed = this.#confirmed;
    // Without a confirmed state there is nothing that a failed purge could be compared with.
    if (confirmed === undefined || this.#store.path === undefined) return;
    const isEverything = this.#plan.scope === 'everything';
    const uncleared = (...targets: readonly string[]) => targets.filter(target => !this.#cleared.has(target));
    const { urls: now, keys: nowKeys } = this.#site.snapshot;
    const { deploy } = this.#flags;
    const unconfirmed: UnconfirmedPurge = {
      at: this.#now(),
      ...of,
      // The pages of a partial purge are not all accounted for, and its number must not say so.
      ...(deploy !== undefined &&
        !this.#isPartial && { deploy: Math.max(deploy, confirmed.unconfirmed?.deploy ?? 0) }),
      everything: isEverything || confirmed.unconfirmed?.everything === true,
      urls: uncleared(...this.#plan.urls, ...this.#left.urls),
      keys: uncleared(...this.#plan.keys, ...this.#left.keys),
    };
    await writeState(this.#store.path, {
      ...confirmed,
      urls: this.#advanced(confirmed.urls, now),
      keys: this.#advanced(confirmed.keys, nowKeys),
      unconfirmed,
    });
  }

  #advanced(
    before: ReadonlyMap<string, string>,
    now: ReadonlyMap<string, string>,
  ): ReadonlyMap<string, string> {
    if (this.#cleared.size === 0) return before;
    const advanced = new Map(before);
    for (const target of this.#cleared) {
      const hash = now.get(target);
      if (hash !== undefined) advanced.set(target, hash);
      else advanced.delete(target);
    }
    return advanced;
  }

  #now(): string {
    return new Date(this.#context.clock.now()).toISOString();
  }
}
