import { type ContentEvent, contentEvent } from '../../../src/apis/cdn/events/content-event.ts';
import type { Json } from '../../../src/json/index.ts';
import type { QueuedEvent } from '../../../src/operations/listen/event-store.ts';

export const NOW = Date.UTC(2026, 2, 20, 10);

/** An accepted event of an article. */
export function queued(id: string, value: { readonly [name: string]: Json } = {}): QueuedEvent {
  const event: ContentEvent = contentEvent(
    { kind: 'updated', type: 'article', entry: id, path: `/${id}/`, ...value },
    { id, time: NOW },
  );
  return { event, sender: 'cms', accepted_at: new Date(NOW).toISOString() };
}
