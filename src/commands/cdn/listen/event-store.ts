import { createHash } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import type { EventMap } from '../../../apis/cdn/events/fan-out.ts';
import { stateFolder } from '../../../config/platform.ts';
import { FileError } from '../../../errors/index.ts';
import { makePrivateFolder } from '../../../files/folders.ts';
import { withLock } from '../../../files/lock.ts';
import type { EntryStore, EventStore } from '../../../operations/listen/event-store.ts';
import type { Context } from '../../framework/context.ts';
import { gatewayName, lockMachine, machineClock } from '../../framework/lock-machine.ts';
import type { ListenerLog } from './log.ts';

/** How long a listener waits for another one of this machine that ends. */
const TURN_MS = 5000;

interface StoreOptions {
  /** The folder of the command line. */
  readonly queue: string | undefined;
  /** The URL of the engine on the command line. */
  readonly engine: string | undefined;
  readonly domain: string;
  readonly events: EventMap;
  /** For how long the id of an event is remembered. */
  readonly rememberMs: number;
}

/** Where accepted events are, and what entries were. */
export interface OpenStore {
  readonly queue: EventStore;
  readonly entries: EntryStore;
  /**
   * Calls `work` while this listener is the one that purges, until `stop` aborts: again after as many milliseconds as it returns. Throws the
   * errors of `work`.
   */
  readonly inTurn: (stop: AbortSignal, work: (signal: AbortSignal) => Promise<number>) => Promise<void>;
}

/**
 * Runs `work` with the events of a folder, which one listener uses at a time, or with those of an engine, which several share. Throws
 * UsageError, FileError, LockedError, AuthError, NetworkError and the errors of `work`.
 */
export async function withEventStore(
  options: StoreOptions,
  log: ListenerLog,
  context: Context,
  work: (store: OpenStore) => Promise<void>,
): Promise<void> {
  if (options.engine !== undefined) return await withEngine(options.engine, options, log, context, work);
  const folder = await queueFolder(options.queue, options.domain, context);
  // The lock lies beside it.
  await makePrivateFolder(dirname(folder));
  await withLock(folder, { machine: lockMachine(context), wait: TURN_MS }, async () => {
    const { EventQueue } = await import('../../../operations/listen/event-queue.ts');
    const { EntryFolder } = await import('../../../operations/listen/entry-folder.ts');
    const queue = await EventQueue.open(folder, {
      now: machineClock(context).now,
      rememberMs: options.rememberMs,
      onDamage: place => log('warn', 'a line of the queue cannot be read', { place }),
    });
    const entries = new EntryFolder(join(folder, 'entries'), place =>
      log('warn', 'what an entry was cannot be read, and is moved aside', { place }),
    );
    try {
      const inTurn: OpenStore['inTurn'] = async (stop, purge) => {
        await purge(stop);
      };
      await work({ queue, entries, inTurn });
    } finally {
      await queue.close();
    }
  });
}

async function withEngine(
  url: string,
  { domain, events, rememberMs }: StoreOptions,
  log: ListenerLog,
  context: Context,
  work: (store: OpenStore) => Promise<void>,
): Promise<void> {
  const { engineOf } = await import('../../framework/engine.ts');
  const { connectEngine } = await import('../../../sync/engine/connect.ts');
  const { SharedEventQueue } = await import('../../../operations/listen/shared-event-queue.ts');
  const engine = engineOf(url, context);
  const clock = machineClock(context);
  const connection = await connectEngine(engine, true, clock);
  try {
    if (!connection.isDurable)
      log('warn', 'a restart of the queue server loses accepted events: set appendonly yes', {
        engine: engine.name,
      });
    const { host, pid } = context.io.self.identify();
    const queue = await SharedEventQueue.open({
      ...{ connection, clock, rememberMs, map: events },
      name: `gatectl-events-${scopeName(domain, [await gatewayName(context), domain])}`,
      listener: `${host}/${pid}`,
      onTurn: () => log('info', 'this listener purges now', {}),
      onEngineError: error => log('error', 'the queue failed, and is tried again', { error }),
      onOtherMap: () =>
        log('warn', 'events were accepted with another map, and are purged as that says', { domain }),
      onEmptied: () =>
        log('error', 'the queue was emptied: accepted events, and what entries were, are lost', {
          engine: engine.name,
        }),
      onDamage: place => log('warn', 'an event of the queue cannot be read', { place }),
    });
    try {
      await work({ queue, entries: queue.entries, inTurn: (stop, purge) => queue.inTurn(stop, purge) });
    } finally {
      await queue.close();
    }
  } finally {
    await connection.close();
  }
}

/** The folder of the queue: one for each gateway, profile and domain. Throws FileError where there is none for state. */
async function queueFolder(given: string | undefined, domain: string, context: Context): Promise<string> {
  if (given !== undefined) return resolve(context.io.cwd, given);
  const folder = stateFolder(context.io);
  if (folder === undefined)
    throw new FileError('there is no folder for accepted events: HOME is not set; add --queue', { path: '' });
  const { profile } = await context.settings();
  return join(folder, 'events', scopeName(domain, [await gatewayName(context), profile.value ?? '', domain]));
}

/** A name with the domain, for people, and a hash of the whole scope. */
function scopeName(domain: string, scope: readonly string[]): string {
  return `${domain}-${createHash('sha256').update(JSON.stringify(scope)).digest('hex').slice(0, 12)}`;
}
