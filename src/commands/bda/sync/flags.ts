import { type DatePhrase, readDatePhrase } from '../../../analysis/relative-dates.ts';
import type { Day } from '../../../apis/bda/days.ts';
import { UsageError } from '../../../errors/index.ts';
import { list, optional, string } from '../../framework/define-command.ts';

/** The argument of every sync command. */
export const SYNC_ARGUMENT = {
  file: optional('file', 'sync file (default gatectl.sync.yaml)', { completes: 'file' }),
};

/** The flags that narrow a sync to some tables and sites. */
export const SCOPE_FLAGS = {
  table: list('--table <names>', 'only these tables, comma-separated or repeated'),
  domain: list('--domain <names>', 'only these sites, comma-separated or repeated', {
    completes: 'domain',
    isPasted: true,
  }),
};

/** The flags that decide which partitions are requested. */
export const PLAN_FLAGS = {
  lookback: string(
    '--lookback <days>',
    'request the last days again: 7d, or auto (default: the sync file, or 7d)',
  ),
  refetch: string('--refetch <days>', "request these days again: 2026-03, 2026-03-14, 'last month'"),
};

/** The days of `--refetch`. Throws UsageError. */
export function refetchDays(text: string | undefined, today: Day): DatePhrase | undefined {
  if (text === undefined) return undefined;
  const days = readDatePhrase(text, today);
  if (days !== undefined) return days;
  throw new UsageError(`invalid --refetch '${text}'`, {
    code: 'invalid_value',
    hints: ['pass a day such as 2026-03-14, a month such as 2026-03, or words such as yesterday'],
  });
}
