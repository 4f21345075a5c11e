import { createHash, randomUUID } from 'node:crypto';
import type { EventMap } from '../../apis/cdn/events/fan-out.ts';
import { isRecord } from '../../json/index.ts';
import { JobQueue } from '../../sync/engine/job-queue.ts';
import { knownIn } from './entry-folder.ts';
import type { EntryStore, KnownEntry } from './event-store.ts';
import { PATIENCE_MS, type SharedEngine } from './purge-turn.ts';

interface SharedMemoryOptions {
  readonly engine: SharedEngine;
  /** What events that this listener accepts lead to, wherever they are purged. */
  readonly map: EventMap;
  /** Proves that this listener has the turn to purge. Throws NetworkError where it has not. */
  readonly assertTurn: () => Promise<void>;
  /** Called once for each other map with which events were accepted that this listener purges. */
  readonly onOtherMap: () => void;
  /** Called when the engine was emptied while this listener ran. */
  readonly onEmptied: () => void;
  /** Called for a map that is not in the engine. */
  readonly onDamage: (place: string) => void;
}

/** What is kept beside the events: what an entry was, a map, or the marker. */
interface Kept {
  readonly entries?: readonly KnownEntry[];
  readonly map?: EventMap;
  /** Another one after the engine was emptied. */
  readonly marker?: string;
}

/** The job that is gone when the engine was emptied. BullMQ itself has a key `marker`. */
const MARKER = 'opened';

/** What the listeners of several machines know beside the events: what entries were, and the maps with which events were accepted. */
export class SharedMemory implements EntryStore {
  /** Of the map of this listener. */
  readonly fingerprint: string;
  readonly #options: SharedMemoryOptions;
  readonly #kept: JobQueue<Kept>;
  /** By their fingerprints; undefined for one that is not in the engine. */
  readonly #maps = new Map<string, EventMap | undefined>();
  #marker: string | undefined;
  #losses = 0;
  #lostAt = Number.NEGATIVE_INFINITY;

  constructor(options: SharedMemoryOptions) {
    const { connection, name, clock } = options.engine;
    this.#options = options;
    this.fingerprint = fingerprintOf(options.map);
    this.#kept = new JobQueue(connection, `${name}-entries`, clock, PATIENCE_MS);
  }

  /** How often the engine was emptied while this listener ran. */
  get losses(): number {
    return this.#losses;
  }

  /** Milliseconds since the engine was emptied; infinite where it never was. */
  get sinceLoss(): number {
    return this.#options.engine.clock.now() - this.#lostAt;
  }

  async read(name: string): Promise<readonly KnownEntry[]> {
    const job = await this.#kept.run(queue => queue.getJob(name));
    return knownIn(job?.data.entries) ?? [];
  }

  async write(entries: ReadonlyMap<string, readonly KnownEntry[]>): Promise<void> {
    // What another listener has stored meanwhile is later.
    await this.#options.assertTurn();
    await this.#kept.run(async queue => {
      const writeOne = async ([name, known]: readonly [string, readonly KnownEntry[]]) => {
        const data = { entries: known };
        const job = await queue.getJob(name);
        if (job === undefined) await queue.add('entry', data, { jobId: name });
        else await job.updateData(data);
      };
      await Promise.all([...entries].map(writeOne));
    });
  }

  /** The map of an event that was accepted with another one than this listener's. Throws NetworkError. */
  async otherMap(fingerprint: string | undefined): Promise<EventMap | undefined> {
    if (fingerprint === undefined || fingerprint === this.fingerprint) return undefined;
    if (!this.#maps.has(fingerprint)) {
      const job = await this.#kept.run(queue => queue.getJob(mapId(fingerprint)));
      const { onDamage, onOtherMap, engine } = this.#options;
      this.#maps.set(fingerprint, job?.data.map);
      if (job?.data.map === undefined) onDamage(`${engine.name} ${mapId(fingerprint)}`);
      else onOtherMap();
    }
    return this.#maps.get(fingerprint);
  }

  /** Finds out whether the engine was emptied, and stores there again what has to be. Throws NetworkError. */
  async look(): Promise<void> {
    const marker = await this.#kept.run(async queue => {
      const found = await queue.getJob(MARKER);
      if (found !== undefined) return found.data.marker;
      await queue.add('marker', { marker: randomUUID() }, { jobId: MARKER });
      return (await queue.getJob(MARKER))?.data.marker;
    });
    if (marker === this.#marker) return;
    const { map, engine, onEmptied } = this.#options;
    await this.#kept.run(queue => queue.add('map', { map }, { jobId: mapId(this.fingerprint) }));
    if (this.#marker !== undefined) {
      this.#losses += 1;
      this.#lostAt = engine.clock.now();
      onEmptied();
    }
    this.#marker = marker;
  }

  /** Ends the connection. */
  async close(): Promise<void> {
    await this.#kept.close();
  }
}

function mapId(fingerprint: string): string {
  return `map-${fingerprint}`;
}

/** The same for maps that say the same. */
function fingerprintOf(map: EventMap): string {
  const sorted = (_: string, value: unknown) =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).sort()) : value;
  return createHash('sha256').update(JSON.stringify(map, sorted)).digest('hex');
}
