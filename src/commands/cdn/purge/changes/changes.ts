import { createHash } from 'node:crypto';
import { join } from 'node:path';
import {
  type ConfirmedState,
  readState,
  type UnconfirmedPurge,
  writeState,
} from '../../../../apis/cdn/changes/confirmed-state.ts';
import { isNumbered, type PurgePlan, planPurge, withMore } from '../../../../apis/cdn/changes/plan.ts';
import { stateFolder } from '../../../../config/platform.ts';
import { FileError, PartialError, UsageError } from '../../../../errors/index.ts';
import { makePrivateFolder } from '../../../../files/folders.ts';
import { withLock } from '../../../../files/lock.ts';
import { machineKey } from '../../../../files/machine-key.ts';
import { groupDigits, pluralize } from '../../../../terminal/numbers.ts';
import type { Context } from '../../../framework/context.ts';
import { lockMachine } from '../../../framework/lock-machine.ts';
import { collectUrls } from '../collect-urls.ts';
import type { PurgeFlags } from '../flags.ts';
import { gatewayName } from '../history.ts';
import { newJournal } from '../journal-folders.ts';
import { PurgeRun } from '../purge-run.ts';
import type { PurgeResult } from '../result.ts';
import { type SiteSource, siteSource } from './site-source.ts';

/** Where the confirmed state of a domain is stored, and what identifies this machine. */
interface StateStore {
  readonly path: string;
  readonly machine: string;
}

/**
 * Purges what changed since the last confirmed purge of the domain, and confirms the new state once everything was purged. Throws
 * UsageError where nothing is confirmed yet, and for a site, map or repository that cannot be used; nothing is sent then.
 */
export async function purgeChanges(flags: PurgeFlags, context: Context): Promise<void> {
  const domain = await context.domain(flags.domain);
  const store = await stateStore(domain, context);
  const machine = lockMachine(context);
  await withLock(store.path, { machine, wait: 0 }, async () => {
    const site = await siteSource(flags, domain, context);
    const confirmed = await confirmedState(store.path, flags, context);
    const plan = await planOf(confirmed, site, store, flags);
    if (plan === undefined) throw nothingConfirmed(domain, flags);
    printPlan(plan, flags, context);
    if (plan.scope !== 'everything' && plan.urls.length + plan.keys.length === 0)
      context.log.note(`nothing changed since the confirmed purge${since(confirmed)}`);
    const change = new StateChange(store, confirmed, site, plan, flags, context);
    if (plan.scope === 'everything') return await purgeAll(domain, change, flags, context);
    await purgePlanned(domain, plan, change, flags, context);
  });
}

async function purgeAll(
  domain: string,
  change: StateChange,
  flags: PurgeFlags,
  context: Context,
): Promise<void> {
  const { purgeDomain } = await import('../domain.ts');
  if (flags.verify) context.log.note('a purge of the whole domain is not verified');
  if (flags.stage !== undefined) context.log.note('a purge of the whole domain has no stages');
  await purgeDomain({ ...flags, domain }, context, {
    onStart: () => change.start(),
    async onEnd(id, result) {
      change.describe(result);
      await change.confirm(id);
    },
  });
}

async function purgePlanned(
  domain: string,
  plan: PurgePlan,
  change: StateChange,
  flags: PurgeFlags,
  context: Context,
): Promise<void> {
  const journal = await newJournal(new Date(context.clock.now()).toISOString(), context);
  let isStale = false;
  const run = new PurgeRun(journal, flags, context, {
    domain,
    isResumed: false,
    planned: {
      keys: plan.keys,
      onStart: () => change.start(),
      onCleared: targets => change.cleared(targets),
      async onEnd({ id, result, isDone, stale }) {
        change.describe(result);
        isStale = stale > 0;
        if (isStale) return;
        if (isDone && result.outcome.confirmed) await change.confirm(id);
        else await change.advance();
      },
    },
  });
  await run.execute(async () => {
    const entries = [plan.urls.map(text => ({ place: 'the map', text }))];
    if (plan.urls.length > 0) await collectUrls({ ...flags, domain }, journal, context, entries);
    await journal.endList(false);
    await run.checkImpact();
    return true;
  });
  if (isStale)
    throw new PartialError('pages were stale after the purge, so it is not confirmed', {
      code: 'partial_failure',
    });
}

/** The state file of the domain, for this gateway and profile. Throws FileError where there is no folder for it. */
async function stateStore(domain: string, context: Context): Promise<StateStore> {
  const folder = stateFolder(context.io);
  if (folder === undefined)
    throw new FileError('there is no folder for the confirmed state: HOME is not set', { path: '' });
  const { profile } = await context.settings();
  const scope = JSON.stringify([await gatewayName(context), profile.value ?? '', domain]);
  const states = join(folder, 'confirmed');
  await makePrivateFolder(states);
  const name = `${domain}-${createHash('sha256').update(scope).digest('hex').slice(0, 12)}.state`;
  const key = await machineKey(join(folder, 'machine'));
  return {
    path: join(states, name),
    machine: createHash('sha256').update(key).digest('hex').slice(0, 16),
  };
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
    context.log.warn(`${error.message}, so what is cached is not known`);
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
  const plan = planPurge(named, snapshot, evidence, flags.orAll);
  if (plan === undefined || confirmed === undefined) return plan;
  // This purge confirms the new state, so it has to include what the stored one still lacks.
  const stored = await sinceConfirmed(confirmed, site, store, flags);
  return stored === undefined
    ? plan
    : withMore(plan, stored, `changes since the confirmed purge of ${confirmed.at} are included`);
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

function since(confirmed: ConfirmedState | undefined): string {
  return confirmed === undefined ? '' : ` of ${confirmed.at}`;
}

function nothingConfirmed(domain: string, { git }: PurgeFlags): UsageError {
  const hints = ['to purge all of it once and confirm this state, add --or-all --yes'];
  if (git !== undefined) hints.push('to name the revision that is cached, type --git BASE..REF');
  return new UsageError(
    `no purge of ${domain} is confirmed yet, so what changed is not known; nothing was sent`,
    {
      code: 'invalid_input',
      hints,
    },
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

/** Updates the stored state while a purge runs: targets are unconfirmed until they are cleared. */
class StateChange {
  readonly #store: StateStore;
  readonly #confirmed: ConfirmedState | undefined;
  readonly #site: SiteSource;
  readonly #plan: PurgePlan;
  readonly #deploy: number | undefined;
  readonly #context: Context;
  readonly #cleared = new Set<string>();

  constructor(
    store: StateStore,
    confirmed: ConfirmedState | undefined,
    site: SiteSource,
    plan: PurgePlan,
    flags: PurgeFlags,
    context: Context,
  ) {
    this.#store = store;
    this.#confirmed = confirmed;
    this.#site = site;
    this.#plan = plan;
    this.#deploy = flags.deploy;
    this.#context = context;
  }

  /** Records that the purge is to be sent. */
  async start(): Promise<void> {
    await this.#owe(this.#plan.urls, this.#plan.keys);
  }

  cleared(targets: readonly string[]): void {
    for (const target of targets) this.#cleared.add(target);
  }

  /** Records the part of a purge that succeeded: pages that were cleared are cached as they are now. */
  async advance(): Promise<void> {
    const left = (targets: readonly string[]) => targets.filter(target => !this.#cleared.has(target));
    await this.#owe(left(this.#plan.urls), left(this.#plan.keys));
  }

  /** Records that the cache holds nothing older than the site as it is now. */
  async confirm(id = ''): Promise<void> {
    const { snapshot, commit } = this.#site;
    const deploy = Math.max(this.#deploy ?? 0, this.#confirmed?.deploy ?? 0);
    await writeState(this.#store.path, {
      id,
      at: this.#now(),
      machine: this.#store.machine,
      ...(this.#deploy !== undefined && { deploy }),
      ...(commit !== undefined && { commit }),
      urls: snapshot.urls,
      keys: snapshot.keys,
    });
  }

  /** Adds what changed to the output. */
  describe(result: PurgeResult): void {
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

  async #owe(urls: readonly string[], keys: readonly string[]): Promise<void> {
    const confirmed = this.#confirmed;
    const isEverything = this.#plan.scope === 'everything';
    // Without a confirmed state there is nothing that a failed purge could be compared with.
    if (confirmed === undefined) return;
    const { urls: now, keys: nowKeys } = this.#site.snapshot;
    const unconfirmed: UnconfirmedPurge = {
      at: this.#now(),
      ...(this.#deploy !== undefined && {
        deploy: Math.max(this.#deploy, confirmed.unconfirmed?.deploy ?? 0),
      }),
      everything: isEverything || confirmed.unconfirmed?.everything === true,
      urls,
      keys,
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
