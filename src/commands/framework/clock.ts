import { UsageError } from '../../errors/index.ts';

/** A clock that shows `start` (RFC 3339) now and runs on from there. Throws UsageError that names where the bad time stood. */
export function systemClock(start: string, where: string, now: () => number): () => number {
  const at = Date.parse(start);
  if (Number.isNaN(at))
    throw new UsageError(`${where} is not a time`, {
      code: 'invalid_value',
      hints: ['type one such as 2026-03-01T12:00:00Z'],
    });
  const offset = at - now();
  return () => now() + offset;
}
