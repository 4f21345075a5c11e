import type { ContentEvent, EVENT_LISTS } from '../../apis/cdn/events/content-event.ts';
import type { EventMap } from '../../apis/cdn/events/fan-out.ts';

/** An event that its sender was told is accepted. */
export interface QueuedEvent {
  readonly event: ContentEvent;
  readonly sender: string;
  /** RFC 3339. */
  readonly accepted_at: string;
  /** The map of the listener that accepted it, where that is not the one of this listener. */
  readonly map?: EventMap;
}

/** The first events that are not done. */
export interface EventBatch {
  readonly events: readonly QueuedEvent[];
  /** Records that they are done. Throws FileError or NetworkError where that is not stored: they may be returned again. */
  readonly done: () => Promise<void>;
}

/** Accepted events, in the order in which they were accepted, until they are done: on the disk of one machine, or in a queue of several. */
export interface EventStore {
  /** Accepted events that are not done. */
  readonly waiting: number;
  /** Whether events can be stored now, as far as it is known. */
  readonly isAvailable: boolean;
  /** Whether listeners of several machines share the events: one whose purge fails gives the turn up. */
  readonly isShared: boolean;
  /** The code of the error for which purges fail, whichever machine tried last; undefined while they work. */
  readonly trouble: string | undefined;
  /** How often the store was emptied by somebody else since it was opened, and whether that was a moment ago. */
  readonly losses: { readonly count: number; readonly isRecent: boolean };
  /** Sets `trouble` for all that share the events. Throws NetworkError. */
  setTrouble(code: string | undefined): Promise<void>;
  /**
   * Stores an event and resolves when a kill can no longer lose it: to false for one that was accepted before. Throws FileError, and
   * EventRefused where it cannot be stored now.
   */
  append(queued: QueuedEvent): Promise<boolean>;
  /** Resolves when an event waits, or the signal aborts. */
  untilWaiting(signal: AbortSignal): Promise<void>;
  /** The first events that are not done, `most` at most. Throws FileError or NetworkError. */
  next(most: number): Promise<EventBatch>;
}

/** What an entry was when its last event was purged, in one locale. */
export type KnownEntry = Pick<ContentEvent, 'type' | 'locale' | (typeof EVENT_LISTS)[number]>;

/** Where it is stored what entries were, by a name of 64 hexadecimal digits. */
export interface EntryStore {
  /** None for an entry that was never stored, or whose record was damaged. Throws NetworkError. */
  read(name: string): Promise<readonly KnownEntry[]>;
  /** Replaces what is stored of entries. Throws FileError or NetworkError where some of it is not stored. */
  write(entries: ReadonlyMap<string, readonly KnownEntry[]>): Promise<void>;
}

/** The number of events that may wait. */
export const MOST_WAITING = 1_000_000;

/** Lets a loop sleep until there is something to do. */
export class Wake {
  #wake: () => void = () => {};

  /** Wakes the loop that sleeps. */
  now(): void {
    this.#wake();
  }

  /** Resolves with the next `now`, or when the signal aborts. */
  async next(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    let end = () => {};
    await new Promise<void>(resolve => {
      end = resolve;
      this.#wake = resolve;
      signal.addEventListener('abort', end);
    });
    signal.removeEventListener('abort', end);
    this.#wake = () => {};
  }
}
