import type { Fault } from './spec.ts';

/** The faults that affect one request. */
export interface Injection {
  /** The specs of these faults, in the order of the options. */
  readonly specs: readonly string[];
  /** Sum of their delays. */
  readonly delayMs: number;
  /** The first of them with an action. */
  readonly fault?: Fault;
  /** Seconds for `Retry-After`. */
  readonly retryAfter?: number;
}

interface Progress {
  readonly fault: Fault;
  seen: number;
  hits: number;
  /** Times (ms) of the requests within the rate limit, oldest first. */
  readonly passed: number[];
}

/** Returns a function that selects the faults for each request, in the order of arrival. */
export function createFaultPlan(
  faults: readonly Fault[],
  now: () => number,
): (request: { method: string; path: string }) => Injection {
  const all = faults.map((fault): Progress => ({ fault, seen: 0, hits: 0, passed: [] }));
  return ({ method, path }) => {
    const specs: string[] = [];
    let delayMs = 0;
    for (const progress of all) {
      const { fault } = progress;
      if (fault.method !== undefined && fault.method !== method) continue;
      if (fault.path !== undefined && !path.startsWith(fault.path) && !path.endsWith(fault.path)) continue;
      if (!isTurn(progress)) continue;
      const retryAfter = rateLimitWait(progress, now());
      if (retryAfter === 'free') continue;
      progress.hits += 1;
      specs.push(fault.spec);
      delayMs += fault.delayMs;
      if (fault.action === undefined) continue;
      return { specs, delayMs, fault, ...(retryAfter === undefined ? {} : { retryAfter }) };
    }
    return { specs, delayMs };
  };
}

function isTurn(progress: Progress): boolean {
  const { count, after, every } = progress.fault;
  if (progress.hits >= count) return false;
  progress.seen += 1;
  return progress.seen > after && (progress.seen - after) % every === 0;
}

/** `free` below the rate limit; else the value of `Retry-After`, undefined for none. */
function rateLimitWait({ fault, passed }: Progress, now: number): number | 'free' | undefined {
  const { action } = fault;
  if (action?.kind !== 'rate-limit') return fault.retryAfter;
  while (passed[0] !== undefined && passed[0] <= now - action.windowMs) passed.shift();
  if (passed.length < action.requests) {
    passed.push(now);
    return 'free';
  }
  const oldest = passed[0] ?? now;
  return fault.retryAfter ?? Math.max(1, Math.ceil((oldest + action.windowMs - now) / 1000));
}
