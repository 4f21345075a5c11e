import type { ContentEvent, RefusalCode } from '../../apis/cdn/events/content-event.ts';
import { EventRefused } from '../../apis/cdn/events/content-event.ts';
import { reply } from '../../apis/cdn/events/receive.ts';
import { FileError } from '../../errors/index.ts';
import { type Metric, prometheusText } from '../../output/prometheus.ts';
import type { EventStore } from './event-store.ts';
import type { Receipt } from './purge-events.ts';

/** What a listener counts, and says of its health. */
export class Listener {
  readonly #queue: EventStore;
  readonly #now: () => number;
  readonly #received = new Map<string, number>();
  readonly #outcomes = new Map<string, number>();
  #targets = 0;
  #lastReceipt = 0;

  constructor(queue: EventStore, now: () => number) {
    this.#queue = queue;
    this.#now = now;
  }

  /** Queues an event, and returns the response to its sender, which is sent once the event is on the disk. Throws EventRefused. */
  async accept(event: ContentEvent, sender: string): Promise<Response> {
    const queued = { event, sender, accepted_at: new Date(this.#now()).toISOString() };
    const isNew = await this.#queue.append(queued).catch(error => {
      if (!(error instanceof FileError)) throw error;
      throw new EventRefused('busy', 'the event cannot be stored now');
    });
    const status = isNew ? 'queued' : 'duplicate';
    this.count(status);
    return reply(isNew ? 202 : 200, { status, id: event.id });
  }

  /** Counts a request by what became of it. */
  count(status: string): void {
    this.#received.set(status, (this.#received.get(status) ?? 0) + 1);
  }

  /** Counts an event that is done. */
  done({ outcome, cleared }: Receipt): void {
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
    this.#targets += cleared;
    this.#lastReceipt = this.#now();
  }

  /** 200 while events are accepted and purged; 503 where the last one could not be stored, for a minute after the queue was emptied, and while they cannot be purged. */
  health(): Response {
    const { waiting, trouble, losses } = this.#queue;
    const code: RefusalCode = 'busy';
    if (!this.#queue.isAvailable) return reply(503, { status: 'refusing', waiting, code });
    if (losses.isRecent) return reply(503, { status: 'emptied', waiting });
    if (trouble === undefined) return reply(200, { status: 'ok', waiting });
    return reply(503, { status: 'failing', waiting, code: trouble });
  }

  /** For Prometheus. */
  metrics(): Response {
    const counter = (
      name: string,
      help: string,
      label: string,
      counts: ReadonlyMap<string, number>,
    ): Metric => ({
      ...{ name, help, type: 'counter' },
      samples: [...counts].map(([key, value]) => ({ labels: { [label]: key }, value })),
    });
    const gauge = (name: string, help: string, value: number): Metric => ({
      ...{ name, help, type: 'gauge', samples: [{ value }] },
    });
    const text = prometheusText([
      counter('gatectl_events_received_total', 'Requests, by what became of them.', 'status', this.#received),
      counter('gatectl_events_done_total', 'Events that are done, by outcome.', 'outcome', this.#outcomes),
      gauge('gatectl_events_waiting', 'Accepted events that are not done.', this.#queue.waiting),
      {
        ...gauge('gatectl_queue_lost_total', 'How often the queue was emptied.', this.#queue.losses.count),
        type: 'counter',
      },
      {
        ...gauge(
          'gatectl_events_targets_cleared_total',
          'Targets of events that were cleared.',
          this.#targets,
        ),
        type: 'counter',
      },
      gauge(
        'gatectl_events_failing',
        '1 while purges fail and are repeated.',
        this.#queue.trouble === undefined ? 0 : 1,
      ),
      gauge(
        'gatectl_events_last_done_timestamp_seconds',
        'When an event was done last.',
        this.#lastReceipt / 1000,
      ),
    ]);
    return new Response(text, { headers: { 'Content-Type': 'text/plain; version=0.0.4' } });
  }
}
