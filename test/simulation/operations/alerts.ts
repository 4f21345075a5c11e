import type { SandboxReply, SandboxRequest } from '../../../src/sandbox/routing.ts';
import { DAY_MS } from '../../../src/wire/day.ts';
import type { Operation, Stage } from '../history.ts';

const METRICS = '/data/gatectl.prom';
const NIGHTS = 4;
const MOST_COMMANDS = 14;
const ALERT = 3;
/** Days whose figures may still change. */
const UNSETTLED = 2;
const FIRST_DAY = '2025-12-01';
const ORDINARY = 4000;

interface Printed {
  readonly settled_to: string;
  readonly alerts: number;
  readonly figures: readonly {
    readonly status: string;
    readonly event: string | null;
    readonly since: string | null;
  }[];
}

/**
 * A watch of each night, by processes that are ended at any step and started again: an alert is reported, never forgotten, not reported
 * again once a run has ended with it, and over as soon as its day is ordinary, also by a restatement.
 */
export const alerts: Operation = {
  name: 'alerts',
  steps: 110,
  async run(stage) {
    const { world, machine, must } = stage;
    /** The figures that are no ordinary ones, by day. */
    const unusual = new Map<string, number>();
    machine.respond = request => answer(request, unusual, dayText(world.now));
    /** Whether an alert was reported that is not over. */
    let isReported = false;
    /** Whether the last run that ended left one open; undefined where it may not have stored that. */
    let isKnown: boolean | undefined = false;
    for (let night = 0; night < NIGHTS; night += 1) {
      const day = dayText(world.now - UNSETTLED * DAY_MS);
      if (world.random() < 0.5) unusual.set(day, world.pick([0, 40, 400]));
      for (let count = 0, isRestated = false; ; count += 1) {
        must(count < MOST_COMMANDS, 'the watch never ends');
        const run = await stage.command([
          ...['bda', 'watch', '--data-set', 'pageview', '-m', 'visits', '-o', 'json', '--exit-code'],
          ...['--metrics-file', METRICS],
        ]);
        must(run.code !== 1, run.stderr());
        const isUnusual = unusual.has(day);
        if (isUnusual && /^warning: Visits /m.test(run.stderr())) isReported = true;
        checkMetrics(stage);
        if (run.stdout() === '') {
          // It may or may not have stored what it reported.
          isKnown = undefined;
          continue;
        }
        const printed = JSON.parse(run.stdout()) as Printed;
        must(printed.settled_to === day, `${printed.settled_to} is not ${day}`);
        const event = printed.figures[0]?.event ?? null;
        const isOpen = event === 'opened' || event === 'open';
        must(isOpen === isUnusual, `the figure of ${day} is ${unusual.get(day) ?? 'ordinary'}: ${event}`);
        must(event !== 'open' || isReported, 'an alert is open that was never reported');
        must(event !== 'cleared' || isReported, 'an alert is over that was never reported');
        // A run that cannot read what is remembered says so, and each alert counts as new.
        const remembers = !run.stderr().includes('alerts are not stored');
        if (remembers && isKnown === true) {
          must(event !== 'opened', 'an alert was reported twice');
          must(event !== null, 'the end of an alert was not reported');
        }
        isReported = isOpen || (isReported && !remembers);
        if (run.code !== (isOpen ? ALERT : 0)) {
          isKnown = undefined;
          continue;
        }
        isKnown = remembers ? isOpen : undefined;
        if (isRestated || !isUnusual || world.random() < 0.7) break;
        isRestated = true;
        unusual.delete(day);
      }
      if (world.random() < 0.3) machine.cutPower();
      world.now += DAY_MS;
    }
  },
};

/** The days that there are, or the figures of the days of a query; undefined for another request. */
function answer(
  { path, body }: SandboxRequest,
  unusual: ReadonlyMap<string, number>,
  today: string,
): SandboxReply | undefined {
  const headers = { 'content-type': 'application/json' };
  if (path.endsWith('/v2/date-range'))
    return { status: 200, headers, body: JSON.stringify({ earliest_date: FIRST_DAY, latest_date: today }) };
  if (!path.endsWith('/v2/query')) return undefined;
  const { date_range: range, offset = 0 } = JSON.parse(body.toString()) as {
    readonly offset?: number;
    readonly date_range: { readonly start_date: string; readonly end_date: string };
  };
  const rows: { readonly report_day: string; readonly visits: number }[] = [];
  for (let at = Date.parse(range.start_date); dayText(at) <= range.end_date; at += DAY_MS) {
    const day = dayText(at);
    // Noise that follows from the day.
    rows.push({
      report_day: day,
      visits: unusual.get(day) ?? ORDINARY + ((at / DAY_MS) % 7) * 300 + ((at / DAY_MS) % 11) * 20,
    });
  }
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ rows: rows.slice(offset), total_rows: rows.length }),
  };
}

function dayText(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** The file for Prometheus is a whole one, where it is there. */
function checkMetrics({ disk, must }: Stage): void {
  const text = disk.text(METRICS);
  must(
    text === undefined ||
      /^gatectl_watch_alert\{.*\} [01]$[\s\S]*^gatectl_watch_run_timestamp_seconds \d.*\n$/m.test(text),
    `the figures for Prometheus are cut: ${text}`,
  );
}
