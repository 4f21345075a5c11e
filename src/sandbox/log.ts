import { API_KEY_PARAMETER } from '../wire/key.ts';

/** One finished exchange. Holds no key, no header and no body. */
export interface RequestLogEntry {
  /** Milliseconds of the sandbox's clock when the request line was read. */
  readonly at: number;
  readonly method: string;
  /** Path and query, the key replaced. */
  readonly target: string;
  /** Absent when the connection ended before there was an answer. */
  readonly status?: number;
  readonly elapsedMs: number;
  /** The faults that hit, as they were written. */
  readonly faults?: readonly string[];
  /** What was thrown inside the sandbox, answered with a 500 where there was still time. */
  readonly failure?: unknown;
}

/** A request target without the API key, however the parameter's name was encoded. */
export function withoutKey(target: string): string {
  const [path = '', ...rest] = target.split('?');
  if (rest.length === 0) return path;
  const isKey = (pair: string) => new URLSearchParams(pair).has(API_KEY_PARAMETER);
  const pairs = rest.join('?').split('&');
  return `${path}?${pairs.map(pair => (isKey(pair) ? `${API_KEY_PARAMETER}=***` : pair)).join('&')}`;
}
