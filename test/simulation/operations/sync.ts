import { createHash } from 'node:crypto';
import { parquetReadObjects } from 'hyparquet';
import type { SandboxReply, SandboxRequest } from '../../../src/sandbox/routing.ts';
import type { Operation, Stage } from '../history.ts';
import type { Run } from '../program.ts';

const FILE = '/data/gatectl.sync.yaml';
const LAKE = '/data/lake';
const TABLE = 'pages';
const SITES = { 'example.com': 1001, 'example.org': 1002 };
/** The last of them is requested again in each run. */
const DAYS = ['2026-03-11', '2026-03-12', '2026-03-13'];
const MOST_COMMANDS = 16;

/** A row of the gateway without its day. */
interface Row {
  readonly device: string;
  readonly visits: number;
  readonly revenue: string;
}

/** What the gateway has of one day of one site. */
interface Partition {
  readonly site: number;
  readonly day: string;
  /** Of its rows, the first and those that it was restated to. */
  readonly versions: (readonly Row[])[];
  /** Which of them is held at least, because a run said so. */
  confirmed: number;
  /** Whether the ledger had it before the last run, which then did not have to request a final one. */
  wasHeld: boolean;
}

/** An entry in force in the ledger of a site. */
interface Entry {
  readonly partition: string;
  readonly state: string;
  readonly rows: number;
  readonly sha256: string | null;
  readonly bytes: number;
}

/**
 * Syncs into a folder that are ended at any step, while others of the same sync run and the gateway restates its figures: no reader ever
 * sees a part of a partition, and after a run that succeeded, each partition has the rows of the gateway, whatever happens then.
 */
export const sync: Operation = {
  name: 'sync',
  steps: 700,
  async run(stage) {
    const { world, machine, must } = stage;
    const partitions = partitionsOf(stage);
    machine.respond = request => answerOf(request, partitions);
    stage.disk.put(FILE, syncFile(world.random() < 0.3));
    let restatements = 0;
    let isDue = false;
    const restate = () => {
      const { versions } = world.pick(partitions);
      versions.push(rowsOf(stage, versions.length));
      restatements += 1;
      isDue = true;
    };
    machine.onExchange = () => {
      if (world.random() < 0.02) restate();
    };
    let rounds = world.below(3);
    /** Units of an earlier plan. */
    const plans: string[] = [];
    for (let count = 0; ; count += 1) {
      must(count < MOST_COMMANDS, 'the sync never ends');
      if (world.random() < 0.3 && rounds > 0) restate();
      const isRefetched = isDue && world.random() < 0.8;
      const before = restatements;
      for (const each of partitions) each.wasHeld = ledgerOf(stage, each.site).has(each.day);
      const { runs, isOld } = await once(stage, plans, isRefetched ? ['--refetch', '2026-03'] : []);
      for (const { code, stderr } of runs) must(code !== 1 && code !== 2, stderr());
      await checkLake(stage, partitions);
      // What was restated meanwhile may or may not be in it, and an earlier plan may not have all that is missing.
      if (isOld || runs.some(({ code }) => code !== 0) || restatements > before) continue;
      await confirm(stage, partitions, isRefetched);
      // Two shares of a plan do not know of each other's files.
      if (!isShared(runs)) checkFiles(stage);
      if (world.random() < 0.5) {
        machine.cutPower();
        await checkLake(stage, partitions);
      }
      if (isDue && !isRefetched) continue;
      isDue = false;
      rounds -= 1;
      if (rounds < 0) break;
    }
  },
};

const isShared = (runs: readonly Run[]) => runs.some(({ args }) => args.includes('--shard'));

const syncFile = (hasHistory: boolean) => `destination: lake
domains: [${Object.keys(SITES).join(', ')}]
lookback: 1d
tables:
  ${TABLE}:
    data_set: pageview
    dimensions: [device]
    metrics: [visits, revenue]
    start: ${DAYS[0]}
    partition: day
${hasHistory ? '    history: true\n' : ''}`;

function partitionsOf(stage: Stage): Partition[] {
  return Object.values(SITES).flatMap(site =>
    DAYS.map(day => ({ site, day, versions: [rowsOf(stage, 0)], confirmed: -1, wasHeld: false })),
  );
}

/** The rows of a version, which differ from those of all others; none in one of five. */
function rowsOf({ world }: Stage, version: number): readonly Row[] {
  return Array.from({ length: world.below(5) }, (_, index) => ({
    device: `device ${index}`,
    visits: 100 * version + index,
    revenue: world.random() < 0.2 ? '0.12345' : '1.5',
  }));
}

/** Answers a query from the current versions. */
function answerOf(
  { method, path, body }: SandboxRequest,
  partitions: readonly Partition[],
): SandboxReply | undefined {
  if (method !== 'POST' || !path.endsWith('/query')) return undefined;
  const { domain_id, date_range, limit, offset = 0 } = JSON.parse(body.toString());
  const rows = partitions
    .filter(
      ({ site, day }) => site === domain_id && day >= date_range.start_date && day <= date_range.end_date,
    )
    .flatMap(({ day, versions }) =>
      (versions.at(-1) as readonly Row[]).map(
        ({ device, visits, revenue }) =>
          `{"report_day":"${day}","device":"${device}","visits":${visits},"revenue":${revenue}}`,
      ),
    );
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: `{"rows":[${rows.slice(offset, offset + limit)}],"total_rows":${rows.length}}`,
  };
}

/** Runs the sync once: as one process, as two of them, or in two shares of a plan, which may be an earlier one. */
async function once(
  stage: Stage,
  plans: string[],
  refetch: readonly string[],
): Promise<{ readonly runs: readonly Run[]; readonly isOld: boolean }> {
  const { world } = stage;
  const sync = (verb: string, ...args: readonly string[]) => ['bda', 'sync', verb, ...args];
  const way = world.random();
  let starts: (() => Run)[] = [() => stage.start([...sync('run', ...refetch), '--quiet'])];
  const isOld = way >= 0.4 && way < 0.5 && plans.length > 0;
  if (way < 0.2) starts = [...starts, ...starts];
  else if (way < 0.4 || isOld) {
    if (!isOld) {
      const plan = await stage.command([...sync('plan', '--units', ...refetch), '--quiet']);
      if (plan.code !== 0) return { runs: [plan], isOld };
      plans.push(plan.stdout());
    }
    const units = isOld ? world.pick(plans) : plans.at(-1);
    starts = ['1/2', '2/2'].map(
      shard => () => stage.start([...sync('run', '--units', '-', '--shard', shard), '--quiet'], units),
    );
  }
  const runs = starts.map(start => start());
  await stage.until(() => runs.every(({ process }) => process.isDead));
  return { runs, isOld };
}

/** Each file is complete, of a version that is not older than what was confirmed, and is the one that its ledger tells of. */
async function checkLake(stage: Stage, partitions: readonly Partition[]): Promise<void> {
  for (const partition of partitions) {
    const { site, day, confirmed } = partition;
    const held = await heldVersion(stage, partition);
    stage.must(held >= confirmed, `${site} ${day} is version ${held}, although ${confirmed} was written`);
    const entry = ledgerOf(stage, site).get(day);
    if (entry === undefined) continue;
    const text = stage.disk.text(pathOf(site, day));
    const sha256 = text === undefined ? null : createHash('sha256').update(text, 'latin1').digest('hex');
    stage.must(entry.sha256 === sha256, `the ledger has another file of ${site} ${day} than the lake`);
  }
}

/** After a run that succeeded, the lake has what the gateway has: of final days, where they were requested again. */
async function confirm(stage: Stage, partitions: readonly Partition[], isRefetched: boolean): Promise<void> {
  for (const partition of partitions) {
    const { site, day, versions, wasHeld } = partition;
    const held = await heldVersion(stage, partition);
    const isLatest = held === versions.length - 1;
    const isFinal = day !== DAYS.at(-1) && wasHeld && !isRefetched;
    stage.must(isLatest || isFinal, `${site} ${day} is version ${held} of ${versions.length} after a run`);
    const entry = ledgerOf(stage, site).get(day);
    stage.must(
      entry?.rows === versions[held]?.length,
      `the ledger has ${entry?.rows} rows of ${site} ${day}`,
    );
    partition.confirmed = held;
  }
}

const pathOf = (site: number, day: string) => `${LAKE}/${TABLE}/domain_id=${site}/day=${day}/data.parquet`;

/** The version whose rows the file of a partition has; without a file, one without rows, or -1. */
async function heldVersion(stage: Stage, { site, day, versions }: Partition): Promise<number> {
  const text = stage.disk.text(pathOf(site, day));
  const rows = text === undefined ? '' : await readRows(text, site, day);
  const held = versions.findLastIndex(
    version =>
      version.map(row => `${row.device}|${row.visits}|${Number(row.revenue).toFixed(5)}\n`).join('') === rows,
  );
  stage.must(text === undefined || held >= 0, `the file of ${site} ${day} has no version of it: ${rows}`);
  return held;
}

/** The rows of files, which many histories have in common. */
const known = new Map<string, string>();

async function readRows(text: string, site: number, day: string): Promise<string> {
  const read = known.get(text);
  if (read !== undefined) return read;
  let rows: string;
  try {
    const file = new Uint8Array(Buffer.from(text, 'latin1')).buffer;
    rows = (await parquetReadObjects({ file }))
      .map(({ domain_id, report_day, device, visits, revenue }) => {
        const isOwn = Number(domain_id) === site && (report_day as Date).toISOString().startsWith(day);
        return `${isOwn ? '' : 'foreign '}${device}|${visits}|${Number(revenue).toFixed(5)}\n`;
      })
      .join('');
  } catch (error) {
    rows = `not readable: ${error}`;
  }
  known.set(text, rows);
  return rows;
}

/** The entries in force of a site, by day: of complete lines, the last one of each. */
function ledgerOf({ disk, must }: Stage, site: number): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  const lines = (disk.text(`${LAKE}/_gatectl/ledger/${TABLE}/${site}.ndjson`) ?? '').split('\n').slice(0, -1);
  for (const [index, line] of lines.entries()) {
    let entry: Entry | undefined;
    try {
      entry = JSON.parse(line);
    } catch {
      must(false, `line ${index + 1} of the ledger of ${site} is damaged`);
    }
    if (entry?.state === 'replacing') entries.delete(entry.partition);
    else if (entry !== undefined) entries.set(entry.partition, entry);
  }
  return entries;
}

const OWN = /^(?:lake\.json|runs\.ndjson|tables\/\w+\.json|(?:ledger|history)\/\w+\/\d+\.ndjson)$/;

/** No process that was killed left a file behind that the last run should have removed. */
function checkFiles({ disk, must }: Stage): void {
  for (const path of disk.files(LAKE)) {
    const name = path.slice(LAKE.length + 1);
    const isData =
      /^(?:_history\/)?pages\/domain_id=\d+\/day=[\d-]+\/(?:valid_from=\w+\/)?data\.parquet$/.test(name);
    const isOwn = name.startsWith('_gatectl/') && OWN.test(name.slice('_gatectl/'.length));
    // The marker of a lake that another process may be beginning, and locks that nobody holds.
    const isLeft = /^_gatectl\/(?:\.lake\.json\.\w+\.tmp|.*\.lock\/.*)$/.test(name);
    must(isData || isOwn || isLeft, `${name} does not belong into the lake`);
  }
}
