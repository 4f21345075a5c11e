import { UsageError } from '../../../errors/index.ts';

/** Why surrogate keys cannot be purged with `--max-impact`. */
export function impactOfKeys(hint: string): UsageError {
  return new UsageError('the impact of surrogate keys is not known: analytics count URLs', {
    code: 'conflicting_options',
    hints: [hint],
  });
}
