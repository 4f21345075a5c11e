import { DIRECTIONS } from '../../../analysis/metric-health.ts';
import { invalidValue } from '../../../errors/usage.ts';
import { DEFAULT_RULES, SETTLE_DAYS } from '../../../operations/watch/watch-metrics.ts';
import {
  boolean,
  converted,
  flagName,
  inGroup,
  integer,
  list,
  type Option,
  oneOf,
  outputFile,
  string,
  type ValuesOf,
} from '../../framework/define-command.ts';
import { shareOf } from '../../framework/share.ts';
import { shellCommand } from '../../framework/shell-command.ts';
import { QUERY_FLAGS } from '../flags/query-flags.ts';
import { HOLIDAY_FLAG, HOLIDAYS_FLAG } from './holidays.ts';

const { threshold, minChange, minVolume } = DEFAULT_RULES;
const { dataSet, metric, filter, anyOf, filterJson } = QUERY_FLAGS;
const { domain, domainId, platform, queryParams, fragments, caseNormalization } = QUERY_FLAGS;

/** What is watched, in flags or in a file. */
export const WATCHED_FLAGS = {
  ...inGroup('Metrics', {
    dataSet,
    metric,
    filter,
    anyOf,
    filterJson,
    query: string('--query <name>', 'watch the metrics of this saved query', { completes: 'query' }),
    additive: list('--additive <columns>', 'metrics that are sums of their parts, for --why'),
  }),
  ...inGroup('Rules', {
    threshold: number(
      '--threshold <n>',
      'how unusual a change must be, in usual deviations',
      { min: 1, max: 100 },
      threshold,
    ),
    minChange: percentage(
      '--min-change <percent>',
      'smallest change that is an alert, such as 5%',
      minChange,
    ),
    minVolume: integer(
      '--min-volume <n>',
      'smallest usual count for an alert; of money, time and ratios, of visits',
      {
        min: 0,
        fallback: minVolume,
      },
    ),
    direction: oneOf('--direction <word>', 'drop (the default), rise or both', DIRECTIONS),
    holiday: HOLIDAY_FLAG,
    holidays: HOLIDAYS_FLAG,
    settle: integer('--settle <days>', 'days until the figures of a day are final', {
      min: 0,
      max: 60,
      fallback: SETTLE_DAYS,
    }),
  }),
  ...inGroup('Pages', { domain, domainId, platform, queryParams, fragments, caseNormalization }),
};

/** What is done about alerts. A file has none of these: it runs no commands and names no files. */
export const ALERT_FLAGS = inGroup('Alerts', {
  onAlert: shellCommand(
    '--on-alert <command>',
    'shell command for a new alert, which gets it as JSON on stdin',
  ),
  onClear: shellCommand('--on-clear <command>', 'shell command for an alert that has ended'),
  why: boolean('--why', 'explain a new alert, as gatectl bda why does'),
  exitCode: {
    ...boolean('--exit-code', 'exit 3 while there is an alert'),
    decidesExitCode: true as const,
  },
  strict: boolean('--strict', 'exit 7 if a metric cannot be judged for lack of data'),
  state: outputFile('--state <file>', 'file with the reported alerts (default: in the state folder)'),
  chart: outputFile('--chart <file>', 'draw figures and expected bands: .svg, .png, .html'),
  metricsFile: outputFile('--metrics-file <file>', 'write the figures for Prometheus to this file'),
});

export type WatchedFlags = ValuesOf<typeof WATCHED_FLAGS>;
export type WatchFlags = WatchedFlags & ValuesOf<typeof ALERT_FLAGS>;

/** A flag with a number that may have decimals. */
function number(
  flags: string,
  summary: string,
  { min, max }: { readonly min: number; readonly max: number },
  fallback: number,
): Option<number> {
  const read = (given: string): number => {
    const value = /^\d{1,6}(?:\.\d{1,6})?$/.test(given) ? Number(given) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw invalidValue(
      `invalid ${flagName(flags)} '${given}'`,
      `pass a number from ${min} to ${max}, such as ${fallback}`,
    );
  };
  return { ...converted(flags, summary, read), fallback, shownDefault: String(fallback), read };
}

/** A flag with a share in percent: `10%`. A number without the sign is refused, because it may be meant as percent or as a part of 1. */
function percentage(flags: string, summary: string, fallback: number): Option<number> {
  const shownDefault = `${fallback * 100}%`;
  const read = (given: string): number => {
    const share = shareOf(given);
    if (share !== undefined) return Number(share.percent) / 100;
    const number = Number(given.trim() || Number.NaN);
    const part = shareOf(`${Number((number * 100).toFixed(6))}%`);
    const meant = [shareOf(`${number}%`), ...(number > 0 && number <= 1 ? [part] : [])].flatMap(
      one => one?.text ?? [],
    );
    throw invalidValue(
      `invalid ${flagName(flags)} '${given}'`,
      meant.length > 0
        ? `type it with its sign: ${meant.join(' or ')}`
        : `pass a share from 0% to 100%, such as ${shownDefault}`,
    );
  };
  return { ...converted(flags, summary, read), fallback, shownDefault, read };
}
