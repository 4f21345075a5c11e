import type { Clock } from './clock.ts';
import type { Sender } from './sender.ts';

/**
 * A sender that starts a request at most every `intervalMs` milliseconds, so that several processes together stay within the rate of an
 * account. Retries of a request are not delayed further: they have pauses of their own.
 */
export function pacedSender(
  sender: Sender,
  {
    intervalMs,
    clock,
    signal,
  }: { readonly intervalMs: number; readonly clock: Clock; readonly signal: AbortSignal },
): Sender {
  let next = Number.NEGATIVE_INFINITY;
  const turn = async (): Promise<void> => {
    const now = clock.now();
    const start = Math.max(now, next);
    next = start + intervalMs;
    if (start > now) await clock.sleep(start - now, signal);
  };
  return {
    capacity: api => sender.capacity(api),
    async send(request) {
      await turn();
      return await sender.send(request);
    },
    async stream(request, ahead) {
      await turn();
      return await sender.stream(request, ahead);
    },
  };
}
