import type { SandboxRequest } from '../../../src/sandbox/routing.ts';
import type { Operation, Stage } from '../history.ts';
import type { Run } from '../program.ts';

const LIST = '/data/billing.csv';
const OUT = '/data/findings.ndjson';
const STATE = '/home/user/.local/state';
const READERS = 48;
/** Results that are written together. */
const BATCH = 16;
const MOST_COMMANDS = 14;
const DAY_MS = 86_400_000;

const UNAVAILABLE = {
  status: 503,
  headers: { 'content-type': 'application/json' },
  body: '{"success":false,"error":{"code":"unavailable","message":"later"}}',
};

type Decision = 'allowed' | 'denied';
/** The decision on each reader, by e-mail. */
type Decisions = ReadonlyMap<string, Decision>;

/** What `-o json` prints. */
interface Printed {
  readonly startedAt: string;
  readonly checked: number;
  readonly paidWithoutAccess: number;
  readonly accessWithoutPayment: number;
  readonly notChecked: number;
  readonly against: string | null;
  readonly changes: readonly { readonly readers: number }[] | null;
  readonly findings: readonly {
    readonly email: string;
    readonly finding: string;
    readonly decision: string | null;
    readonly before?: string | null;
  }[];
}

/**
 * An audit of each night, after some decisions have changed, by processes that are ended at any step and resumed or started again: what an
 * audit reports is what the gateway decided that night, and what has changed is so since the audit that it names.
 */
export const audit: Operation = {
  name: 'audit',
  steps: 260,
  async run(stage) {
    const { world, machine, disk, must } = stage;
    const emails = Array.from({ length: READERS }, (_, index) => `reader-${index}@example.com`);
    disk.put(
      LIST,
      `email,plan\n${emails.map(email => `${email},${isPaid(email) ? 'premium' : 'free'}\n`).join('')}`,
    );
    const decisions = new Map(emails.map(email => [email, world.pick<Decision>(['allowed', 'denied'])]));
    /** What was so when an audit was started, by the time of its start. */
    const starts = new Map<string, { readonly night: number; readonly decisions: Decisions }>();
    let asked = new Set<string>();
    machine.respond = request => {
      const email = emailOf(request);
      if (email === undefined) return undefined;
      asked.add(email);
      if (email === unavailable) return UNAVAILABLE;
      const decision = decisions.get(email);
      return {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ success: true, data: { decision, reasonCode: decision } }),
      };
    };
    /** The starts of audits that lack readers. */
    const incomplete = new Set<string>();
    let unavailable: string | undefined;
    let isStored = false;
    for (let night = 0; night < 2; night += 1) {
      for (const email of emails)
        if (world.random() < 0.1) decisions.set(email, world.pick(['allowed', 'denied']));
      let isInterrupted = false;
      let wasKilled = false;
      /** Results that an interrupted audit of this night has, at least. */
      let least = 0;
      for (let count = 0; ; count += 1) {
        must(count < MOST_COMMANDS, 'the audit never ends');
        const concurrency = world.pick([1, 3]);
        const isResumed = isInterrupted && world.random() < 0.7;
        const { boots } = machine;
        unavailable = count === 0 && world.random() < 0.2 ? world.pick(emails) : undefined;
        asked = new Set();
        starts.set(new Date(Math.floor(world.now)).toISOString(), { night, decisions: new Map(decisions) });
        const run = await stage.command([
          ...['access', 'audit', '--from-file', LIST, '--expect-column', 'plan', '--product', 'premium'],
          ...['--against', 'last', '--out', OUT, '-o', 'json', '--concurrency', String(concurrency)],
          ...(isResumed ? ['--resume'] : []),
        ]);
        must(run.code !== 1, run.stderr());
        checkStored(stage);
        const known = resumedFrom(run);
        // An interrupted audit of another night has decisions of that night, as the note says.
        const isOfTonight = known === undefined || starts.get(known.startedAt)?.night === night;
        if (known !== undefined && !isOfTonight) starts.delete(known.startedAt);
        if (known !== undefined) {
          incomplete.delete(known.startedAt);
          must(known.results >= least, `${least} results were found, ${known.results} are stored`);
          // What a process sent before it was killed arrives later.
          if (run.code === 0 && !wasKilled)
            must(asked.size === READERS - known.results, `${asked.size} readers were checked again`);
        }
        if (isOfTonight && run.stdout() !== '') {
          const printed = JSON.parse(run.stdout()) as Printed;
          const { against, notChecked, startedAt } = printed;
          must(
            against === null || !incomplete.has(against),
            'an audit is compared with one that is not complete',
          );
          if (notChecked > 0) incomplete.add(known?.startedAt ?? startedAt);
          must(!isStored || printed.against !== null, 'the audit before is lost');
          checkPrinted(stage, printed, decisions, starts);
        }
        if (run.code === 0 && isOfTonight) break;
        isInterrupted = run.code !== 2;
        wasKilled = run.code === undefined;
        const found = machine.exchanges.filter(
          each => each.process === run.process && each.isDelivered && each.status === 200,
        );
        const isWhole = machine.boots === boots && !stage.hasFailed && isOfTonight;
        least = isWhole ? Math.max(0, (known?.results ?? 0) + found.length - BATCH - concurrency) : 0;
      }
      isStored = !stage.hasFailed;
      if (world.random() < 0.3) machine.cutPower();
      world.now += DAY_MS;
    }
  },
};

/** Whether the list says that a reader has paid. */
function isPaid(email: string): boolean {
  return Number(/\d+/.exec(email)) % 2 === 0;
}

/** The reader that a request is about. */
function emailOf({ headers }: SandboxRequest): string | undefined {
  return Object.values(headers).find(value => typeof value === 'string' && value.endsWith('@example.com')) as
    | string
    | undefined;
}

/** The interrupted audit that a command says it resumes. */
function resumedFrom(run: Run): { readonly startedAt: string; readonly results: number } | undefined {
  const [, startedAt, results] =
    /resuming the audit of (\S+): (\d+) results are stored/.exec(run.stderr()) ?? [];
  return startedAt === undefined ? undefined : { startedAt, results: Number(results) };
}

/** No file of the state has an address. */
function checkStored({ disk, must }: Stage): void {
  for (const path of disk.files(STATE))
    must(!(disk.text(path) ?? '').includes('@example'), `${path} has an address`);
}

/** The findings and the changes are those of the decisions, and the totals count them. */
function checkPrinted(
  { must }: Stage,
  printed: Printed,
  decisions: Decisions,
  starts: ReadonlyMap<string, { readonly decisions: Decisions }>,
): void {
  const findings = new Map(printed.findings.map(each => [each.email, each]));
  must(findings.size === printed.findings.length, 'a reader is reported twice');
  const count = (kind: string) => printed.findings.filter(({ finding }) => finding === kind).length;
  must(
    count('paid_without_access') === printed.paidWithoutAccess &&
      count('access_without_payment') === printed.accessWithoutPayment &&
      count('not_checked') === printed.notChecked &&
      printed.checked + printed.notChecked === READERS,
    'the totals are not those of the findings',
  );
  const earlier = printed.against === null ? undefined : starts.get(printed.against)?.decisions;
  let changed = 0;
  for (const [email, decision] of decisions) {
    const found = findings.get(email);
    if (found?.finding === 'not_checked') continue;
    const hasChanged = earlier !== undefined && earlier.get(email) !== decision;
    changed += Number(hasChanged);
    const mismatch = isPaid(email)
      ? decision === 'denied' && 'paid_without_access'
      : decision === 'allowed' && 'access_without_payment';
    const expected = mismatch || (hasChanged && 'changed') || undefined;
    if (printed.against !== null && earlier === undefined) {
      if (found?.finding === 'changed') continue;
      must(
        found?.finding === (mismatch || undefined),
        `${email} is ${decision}, reported: ${found?.finding}`,
      );
      continue;
    }
    must(found?.finding === expected, `${email} is ${decision}, reported: ${found?.finding}`);
    if (found === undefined) continue;
    must(found.decision === decision, `${email} is ${decision}, not ${found.decision}`);
    const isChanged = (found.before ?? null) !== null;
    must(isChanged === hasChanged, `${email} was ${found.before} before`);
  }
  if (earlier === undefined) return;
  const sum = (printed.changes ?? []).reduce((total, { readers }) => total + readers, 0);
  must(sum === changed, `${changed} decisions have changed, not ${sum}`);
}
