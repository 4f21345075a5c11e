import { API_KEY_PARAMETER } from '../wire/key.ts';

/** One finished request, without key, headers and body. */
export interface RequestLogEntry {
  /** Start time in milliseconds. */
  readonly at: number;
  readonly method: string;
  /** Path and query, with the key redacted. */
  readonly target: string;
  /** Absent if the connection closed before the response. */
  readonly status?: number;
  readonly elapsedMs: number;
  /** The specs of the faults that affected it. */
  readonly faults?: readonly string[];
  /** An internal error of the sandbox; the response is a 500 if it was not sent yet. */
  readonly failure?: unknown;
}

/** Redacts the API key in a request target, however the parameter's name is encoded. */
export function withoutKey(target: string): string {
  const [path = '', ...rest] = target.split('?');
  if (rest.length === 0) return path;
  const isKey = (pair: string) => new URLSearchParams(pair).has(API_KEY_PARAMETER);
  const pairs = rest.join('?').split('&');
  return `${path}?${pairs.map(pair => (isKey(pair) ? `${API_KEY_PARAMETER}=***` : pair)).join('&')}`;
}
