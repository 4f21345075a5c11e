import { GatectlError, InterruptedError, PartialError, UsageError } from '../../../errors/index.ts';
import type { Plan } from '../../../export/plan.ts';
import { type Grain, grainsOf } from '../../../families/bda/buckets.ts';
import { type DayRange, dayIn, isDay } from '../../../families/bda/dates.ts';
import { isFilledStructure, isPresent, wholeNumberOf } from '../../../families/bda/reading.ts';
import { withDataParts } from '../../../families/bda/v1/data-request.ts';
import type { ReportFacts } from '../../../families/bda/v1/definition.ts';
import { reportRows } from '../../../families/bda/v1/report-rows.ts';
import type { DataTarget } from '../../../families/bda/v1/requests.ts';
import type { JsonRecord } from '../../../json/index.ts';
import { existingTimeZone } from '../../../profile/resolve.ts';
import { listOf } from '../../answers.ts';
import type { Context } from '../../context.ts';
import { leaf, optional } from '../../define.ts';
import { unitsOf } from '../known-columns.ts';
import { listingOf } from '../listings.ts';
import { checkLookFlags } from '../look-flags.ts';
import { requestFrom } from '../query-input.ts';
import { checkRowFlags } from '../row-flags.ts';
import { bdaV1Site } from '../site.ts';
import { pointingAtCustom } from './known-reports.ts';
import {
  checkColumns,
  inlineColumns,
  inlineMetrics,
  orderOf,
  partsFromFlags,
  RUN_FLAGS,
  type RunFlags,
} from './run-parts.ts';
import { factsOf, targetName, targetOf } from './run-target.ts';

/** Rows at once where nothing is said: the API insists on a number. */
const ROWS_DEFAULT = 100;
/** Rows at once with `--all`. The API states no maximum. */
const PAGE_DEFAULT = 10_000;

export const reportRun = leaf({
  name: 'run',
  summary: 'run a saved report, or ask for columns',
  description: `Runs a predefined report by its name, a custom one by --id, or asks for columns named with -d and -m. --request takes the API's data request from JSON; flags take the place of its fields.

Some reports have a range of days of their own. For the others, and for columns, say the days: --last 7d, --previous month, or --from and --to.

A filter is a column, an operator and one value: 'visits>3', 'visits>=3', or an operator word of the API between colons: 'page_url:contains:news'. For one of several values, such as countries, make a segment and name it with --segment. Several segments give each row once for every segment.

--all brings every row in pages, of 10,000 unless --page-size says otherwise, until one is short, empty, or the same as the one before: this API tells no total.`,
  arguments: { name: optional('name', 'a predefined report', { completes: 'report' }) },
  options: RUN_FLAGS,
  examples: [
    {
      does: 'a predefined report over the last month',
      command: 'gatectl bda report run Countries --previous month --limit 10',
    },
    {
      does: 'all rows of a custom report, split by two segments, for a spreadsheet',
      command:
        "gatectl bda report run --id 101 --last 4w --segment 'North America' --segment 2 --all --out report.csv",
    },
    {
      does: 'a report beside that of a year earlier, as a page for mail',
      command: 'gatectl bda report run Countries --last 4w --all --compare year -o html > countries.html',
    },
    {
      does: 'columns without a saved report, week by week',
      command:
        'gatectl bda report run -d country -m visits,revenue --sort visits:desc --group-by week --last 4w',
    },
  ],
  answers: listOf({
    '(column)': ['any', 'each column of the report, digit for digit as the API sent it'],
  }),
  async run(flags, context) {
    checkRowFlags(flags);
    checkLookFlags(flags);
    const body = await requestFrom(flags.request, context, 'data request');
    const target = targetOf(flags, body);
    const { parts, days } = await partsFromFlags(flags, body, context);
    const { brand } = await context.settings();
    const inFull = withDataParts(body, parts, brand.value);
    const whole = flags.completeOnly ? await wholeDays(inFull, context) : undefined;
    const unordered = whole === undefined ? inFull : withDataParts(inFull, whole, brand.value);
    checkColumns(inlineColumns(unordered));
    const facts = await deciding(target, unordered, flags, context);
    checkDays(unordered, target, facts);
    const order =
      flags.sort === undefined
        ? undefined
        : orderOf(
            flags.sort,
            'inline' in target ? inlineColumns(unordered) : facts?.columns,
            targetName(target),
          );
    if (!('inline' in target) && (order !== undefined || parts.filters !== undefined))
      context.note(
        'the API documents filters and order for columns (-d, -m); a saved report may take no notice of them',
      );
    tellOverridden(target, unordered, facts, context);
    const plan = planOf(body, flags);
    const { StartItem: _, MaxItems: __, ...request } = withDataParts(unordered, { order }, brand.value);
    let repeated = false;
    const [gateway, site] = [await context.gateway(), await bdaV1Site(context)];
    const rowsOf = (asked: JsonRecord) =>
      reportRows(gateway, site, {
        target,
        request: asked,
        columns: isSplit(asked) ? [] : inlineColumns(asked),
        onRepeated: () => {
          repeated = true;
          context.warn('the gateway sent the same rows twice, as if it did not page: the rows end there');
        },
      });
    const exact = whole ?? (days.isRelative ? days : undefined);
    // The export engine is large, and only a request that is sent needs it.
    const { deliverRows } = await import('../deliver-rows.ts');
    try {
      await deliverRows(
        {
          source: rowsOf(request),
          plan,
          figures: inlineMetrics(request),
          flags,
          request: { ...target, ...request, ...(await askedOn(request, context)) },
          days: isPresent(request.StartDate)
            ? { StartDate: request.StartDate, EndDate: request.EndDate }
            : null,
          question: {
            dimensions: inlineColumns(request).filter(name => !inlineMetrics(request).includes(name)),
            days: daysOf(request),
            over: other => ({
              source: rowsOf(withDataParts(request, other, brand.value)),
              plan: { start: 0, pageSize: flags.pageSize ?? PAGE_DEFAULT },
            }),
            isSorted: isPresent(request.Order),
            units: () => unitsOf(inlineMetrics(request), context, () => listingOf('columns', 'v1', context)),
          },
          resumeWith: exact === undefined ? '' : `--from ${exact.from} --to ${exact.to} for the days and `,
        },
        context,
      );
    } catch (error) {
      throw 'reportName' in target ? await pointingAtCustom(error, target.reportName, context) : error;
    }
    if (repeated && flags.strict)
      throw new PartialError('the rows may not be complete (--strict)', { code: 'partial' });
  },
});

const GROUPED: Readonly<Record<string, Grain>> = { DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month' };

/** The days of complete weeks or months alone. */
async function wholeDays(request: JsonRecord, context: Context): Promise<DayRange> {
  const { completeDays } = await import('../whole-stretches.ts');
  const grouped = typeof request.DateGrouping === 'string' ? GROUPED[request.DateGrouping] : undefined;
  const named = grainsOf(inlineColumns(request)).map(({ grain }) => grain);
  return await completeDays(daysOf(request), grouped === undefined ? named : [grouped], context);
}

/** The days that a request names. */
function daysOf({ StartDate: from, EndDate: to }: JsonRecord): DayRange | undefined {
  if (typeof from !== 'string' || typeof to !== 'string' || !isDay(from) || !isDay(to)) return undefined;
  return { from, to };
}

/** Whether the answer has columns that the request does not name. */
function isSplit({ SegmentIds, DateGrouping }: JsonRecord): boolean {
  return isFilledStructure(SegmentIds) || isPresent(DateGrouping);
}

/** The definition of a saved report where something hangs on it; undefined where nothing does. */
async function deciding(
  target: DataTarget,
  request: JsonRecord,
  flags: RunFlags,
  context: Context,
): Promise<ReportFacts | undefined> {
  if ('inline' in target) return undefined;
  if (context.globals.curl) {
    if (flags.sort === undefined) return undefined;
    throw new UsageError('with --curl nothing is asked, so the number of the --sort column is not known', {
      hints: ['leave --sort out, or send Order with --request'],
    });
  }
  const lacksDays = !isPresent(request.StartDate) && !isPresent(request.EndDate);
  if (lacksDays || flags.sort !== undefined) return await factsOf(target, context);
  const mayOverride = 'customReportId' in target && isFilledStructure(request.SegmentIds);
  return mayOverride ? await factsIfTold(target, context) : undefined;
}

/** For a note alone: a run does not end because it can't be told. */
async function factsIfTold(target: DataTarget, context: Context): Promise<ReportFacts | undefined> {
  try {
    return await factsOf(target, context);
  } catch (error) {
    if (!(error instanceof GatectlError) || error instanceof InterruptedError) throw error;
    return undefined;
  }
}

/** Throws UsageError for days that are missing, half there or turned round. */
function checkDays(request: JsonRecord, target: DataTarget, facts: ReportFacts | undefined): void {
  const { StartDate: start, EndDate: end } = request;
  const hints = ['type --last 7d, --previous month, or --from DAY --to DAY'];
  if (!isPresent(start) && !isPresent(end)) {
    if ('inline' in target) throw new UsageError('columns need days', { hints });
    if (facts?.dateBase !== 'BASE_NOT_SELECTED') return;
    throw new UsageError(`${targetName(target)} has no days of its own (BASE_NOT_SELECTED)`, { hints });
  }
  for (const [field, day] of [
    ['StartDate', start],
    ['EndDate', end],
  ] as const) {
    if (typeof day === 'string' && isDay(day)) continue;
    throw new UsageError(`${field} ${isPresent(day) ? 'is no day, written YYYY-MM-DD' : 'is missing'}`, {
      hints,
    });
  }
  if (String(start) > String(end))
    throw new UsageError(`the days begin on ${start}, after their end on ${end}`, { hints });
}

function tellOverridden(
  target: DataTarget,
  request: JsonRecord,
  facts: ReportFacts | undefined,
  context: Context,
): void {
  if (!('customReportId' in target) || facts === undefined || facts.segments.length === 0) return;
  const own = `${facts.segments.length === 1 ? 'segment' : 'segments'} ${facts.segments.join(', ')}`;
  if (isFilledStructure(request.SegmentIds))
    context.note(`the segments asked for take the place of the report's own ${own}`);
}

/** A range of the report's own moves on with the days: an export must not go on with another one tomorrow. */
async function askedOn(request: JsonRecord, context: Context): Promise<JsonRecord> {
  if (isPresent(request.StartDate)) return {};
  const timeZone = existingTimeZone(await context.settings()) ?? 'UTC';
  return { AskedOn: dayIn(context.clock.now(), timeZone) };
}

function planOf(body: JsonRecord, flags: RunFlags): Plan {
  const start = flags.offset ?? countIn(body, 'StartItem', 0) ?? 0;
  const rows = countIn(body, 'MaxItems', 1);
  if (flags.all) return { start, pageSize: flags.pageSize ?? rows ?? PAGE_DEFAULT };
  return { start, pageSize: flags.limit ?? rows ?? ROWS_DEFAULT, single: true };
}

function countIn(body: JsonRecord, field: string, min: number): number | undefined {
  const value = body[field];
  if (!isPresent(value)) return undefined;
  const count = wholeNumberOf(value);
  if (count !== undefined && count >= min) return count;
  throw new UsageError(`${field} in the request must be a whole number from ${min}`);
}
