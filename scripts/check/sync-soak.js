// Syncs that are killed at random, while the gateway breaks connections and restates figures: after one more run, the destination has
// to equal the source cell for cell, read by DuckDB, with no file that does not belong there, and a reader who polls the lake meanwhile
// must never see a wrong number of rows. Then a disk fills up, and SYNC_SITES sites (100) are synced in constant memory. SYNC_KILLS says
// how many kills (100), SYNC_SEED repeats a sequence.
import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { startSandbox } from '../../dist/library/sandbox.mjs';

const KILLS = Number(process.env.SYNC_KILLS ?? 100);
const SEED = Number(process.env.SYNC_SEED ?? Date.now() % 1_000_000);
/** Sites of the sync whose memory is measured. */
const MANY = Number(process.env.SYNC_SITES ?? 100);
const MOST_MB = 200;
const KINDS = (process.env.SYNC_DESTINATIONS ?? 'lake,duckdb').split(',');
/** Kills between two comparisons. */
const ROUND = 10;
/** How many states of the source a reader may still see. */
const STATES = 3 * ROUND;
const BIN = new URL('../../bin/gatectl.js', import.meta.url).pathname;
const DAY_MS = 86_400_000;
const POLL_MS = 150;
/** One of so many polls is by `bda sql`, which starts a process. */
const SQL_POLLS = 7;
const COUNTS = 'SELECT domain_id::VARCHAR AS site, report_day::VARCHAR AS day, count(*)::INTEGER AS rows';
const FROM = '2026-02-20';
const TO = '2026-03-05';
const SITES = [7, 8];
const FAULTS = [
  ...['status=503,path=/query,every=5', 'reset,path=/query,every=3', 'truncate=700,path=/query,every=4'],
  ...['reset=body,path=/query,every=7', 'status=429,path=/query,every=19', 'delay=20ms,path=/query'],
];
const METRICS = ['visits', 'revenue', 'bounce_rate'];
const TABLES = {
  pages: { dimensions: ['device'], partition: 'day' },
  countries: { dimensions: ['country'], partition: 'month' },
};

const say = text => process.stdout.write(`${text}\n`);
let state = (SEED % 2_147_483_646) + 1;
/** A number from 0 to 1, the same sequence for the same seed. */
const random = () => {
  state = (state * 48_271) % 2_147_483_647;
  return state / 2_147_483_647;
};

/** Everything is requested again in each run: what the gateway restates, it restates at any age. */
const configOf = (destination, history) => `destination: ${destination}
lookback: 9999d
tables:
${Object.entries(TABLES)
  .map(
    ([name, { dimensions, partition }]) => `  ${name}:
    data_set: pageview
    dimensions: [${dimensions}]
    metrics: [${METRICS}]
    start: ${FROM}
    end: ${TO}
    partition: ${partition}
${history ? '    history: true\n' : ''}`,
  )
  .join('')}`;

/** Starts gatectl; resolves to its exit code and stderr when it has ended. */
function start(args, { cwd, env, home }) {
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd,
    env: { ...process.env, ...env, GATECTL_CONFIG_DIR: home, HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', chunk => {
    stdout += chunk;
  });
  child.stderr.on('data', chunk => {
    stderr += chunk;
  });
  const ended = new Promise(resolve => {
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return { child, ended };
}

/** The rows of the source: a line of its cells for each row, by table, site and day. Read without any of gatectl's code. */
async function sourceRows({ baseUrl, apiKey }) {
  const days = new Map();
  for (const [table, { dimensions }] of Object.entries(TABLES))
    for (const site of SITES) {
      const columns = ['report_day', ...dimensions, ...METRICS];
      const response = await fetch(`${baseUrl}/bda/v2/query`.replace('/bda/v2', apiPath), {
        method: 'POST',
        headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json' },
        body: JSON.stringify({
          data_set: 'pageview',
          date_range: { start_date: FROM, end_date: TO },
          dimensions: ['report_day', ...dimensions],
          metrics: METRICS,
          domain_id: site,
          limit: 100_000,
        }),
      });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`the source: ${response.status} ${text}`);
      const rows = text.slice(text.indexOf('[') + 1, text.lastIndexOf(']'));
      for (const [row] of rows.matchAll(/\{[^}]*\}/g)) {
        const cells = new Map(
          [...row.matchAll(/"(\w+)":("(?:[^"\\]|\\.)*"|[^,}]+)/g)].map(([, name, value]) => [name, value]),
        );
        const line = columns.map(name => cellText(cells.get(name) ?? 'null')).join('|');
        const key = `${table}/${site}/${cells.get('report_day').slice(1, -1)}`;
        days.set(key, [...(days.get(key) ?? []), line]);
      }
    }
  for (const lines of days.values()) lines.sort();
  return days;
}

let apiPath = '';

/** A JSON value as text; numbers without trailing zeros. */
function cellText(value) {
  if (value.startsWith('"')) return JSON.parse(value);
  if (value === 'null') return '';
  return plain(value);
}

function plain(number) {
  if (/e/i.test(number)) return String(Number(number));
  return number.includes('.') ? number.replace(/^(-?)\./, '$10.').replace(/\.?0+$/, '') : number;
}

/** Runs a statement in a DuckDB of its own. */
async function query(sql, path = ':memory:') {
  const instance = await DuckDBInstance.create(path, path === ':memory:' ? {} : { access_mode: 'READ_ONLY' });
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** The rows of a destination, in the form of `sourceRows`. */
async function storedRows({ kind, folder }) {
  const days = new Map();
  for (const [table, { dimensions }] of Object.entries(TABLES)) {
    const columns = ['report_day', ...dimensions, ...METRICS];
    const from =
      kind === 'lake'
        ? `read_parquet('${folder}/lake/${table}/**/*.parquet', hive_partitioning = false)`
        : table;
    const list = columns.map(name => `${name}::VARCHAR AS ${name}`);
    const rows = await query(
      `SELECT domain_id::VARCHAR AS site, ${list} FROM ${from}`,
      kind === 'lake' ? undefined : join(folder, 'figures.duckdb'),
    );
    for (const row of rows) {
      const line = columns
        .map(name => (METRICS.includes(name) && row[name] !== null ? plain(row[name]) : (row[name] ?? '')))
        .join('|');
      const key = `${table}/${row.site}/${row.report_day}`;
      days.set(key, [...(days.get(key) ?? []), line]);
    }
  }
  for (const lines of days.values()) lines.sort();
  return days;
}

function compare(expected, found, when) {
  for (const key of new Set([...expected.keys(), ...found.keys()])) {
    const [one, other] = [expected.get(key) ?? [], found.get(key) ?? []];
    if (one.join('\n') === other.join('\n')) continue;
    throw new Error(
      `${when}: ${key} has ${other.length} rows, the source ${one.length}\n${one.slice(0, 3).join('\n')}\n---\n${other.slice(0, 3).join('\n')}`,
    );
  }
}

const partitionOf = (table, day) => (TABLES[table].partition === 'day' ? day : day.slice(0, 7));

/** Throws for files that do not belong into a lake, and for partitions without their file. */
function checkFiles(folder, expected) {
  const lake = join(folder, 'lake');
  const wanted = new Set();
  for (const key of expected.keys()) {
    const [table, site, day] = key.split('/');
    wanted.add(
      `${table}/domain_id=${site}/${TABLES[table].partition}=${partitionOf(table, day)}/data.parquet`,
    );
  }
  const recorded = new Set();
  const files = readdirSync(lake, { recursive: true, withFileTypes: true })
    .filter(entry => !entry.isDirectory())
    .map(entry => relative(lake, join(entry.parentPath, entry.name)));
  for (const path of files.filter(name => /^_gatectl\/history\/.+\.ndjson$/.test(name)))
    for (const line of readFileSync(join(lake, path), 'utf8').split('\n'))
      if (line !== '') recorded.add(JSON.parse(line).path);
  for (const path of files) {
    if (wanted.delete(path) || recorded.has(path)) continue;
    // Removed a minute later: another process may be writing it.
    if (/^_gatectl\/\.lake\.json\.\w+\.tmp$/.test(path)) continue;
    if (path.endsWith('.lock/holder.json') && isUnfinished(join(lake, path))) continue;
    if (
      /^_gatectl\/(lake\.json|runs\.ndjson|tables\/\w+\.json|(ledger|history)\/\w+\/\d+\.ndjson)$/.test(path)
    )
      continue;
    throw new Error(`a file that does not belong into the lake: ${path}`);
  }
  if (wanted.size > 0) throw new Error(`${wanted.size} partitions have no file: ${[...wanted][0]}`);
}

/** Whether a process was killed while it wrote a JSON file. */
function isUnfinished(path) {
  try {
    JSON.parse(readFileSync(path, 'utf8'));
    return false;
  } catch {
    return true;
  }
}

/**
 * Copies the files of a table, each opened once: DuckDB opens a file a second time for its rows, and would read those of another version
 * if it was replaced in between. Returns how many there were.
 */
function copyFiles(from, to) {
  mkdirSync(to, { recursive: true });
  let count = 0;
  for (const path of readdirSync(from, { recursive: true }).filter(path => path.endsWith('.parquet')))
    try {
      writeFileSync(join(to, `${count}.parquet`), readFileSync(join(from, path)));
      count += 1;
    } catch (error) {
      // A partition whose rows the gateway withdrew.
      if (error.code !== 'ENOENT') throw error;
    }
  return count;
}

/** The row counts of a table by site and day, read by DuckDB, or undefined if there are none yet. */
async function countsByDuckDb(folder, table) {
  if (!existsSync(join(folder, 'lake', table))) return undefined;
  const copy = join(folder, 'read');
  if (copyFiles(join(folder, 'lake', table), copy) === 0) return undefined;
  const rows = await query(
    `${COUNTS} FROM read_parquet('${copy}/*.parquet', hive_partitioning = false) GROUP BY ALL`,
  );
  rmSync(copy, { recursive: true, force: true });
  return rows;
}

/** As above, by `bda sql`, which reads the files that runs replace. */
async function countsBySql(process_, table) {
  const sql = `${COUNTS} FROM ${table} GROUP BY ALL`;
  const { code, stdout, stderr } = await start(['bda', 'sql', sql, '--sync', '-o', 'ndjson'], process_).ended;
  if (code === 2 && /has no rows yet/.test(stderr)) return undefined;
  if (code !== 0 || stderr !== '') throw new Error(`bda sql: exit ${code}\n${stderr}`);
  return stdout.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line)]));
}

/** Reads the row counts of the lake all the while: those of a partition must be of one state of the source. */
function poller(process_, states) {
  const folder = process_.cwd;
  let isOver = false;
  let polls = 0;
  let queries = 0;
  let turn = 0;
  const counted = new WeakMap();
  const counts = state => {
    const known = counted.get(state);
    if (known !== undefined) return known;
    const partitions = new Map();
    for (const [key, lines] of state) {
      const [table, site, day] = key.split('/');
      const partition = `${table}/${site}/${partitionOf(table, day)}`;
      partitions.set(partition, { ...partitions.get(partition), [day]: lines.length });
    }
    const texts = new Map([...partitions].map(([key, value]) => [key, JSON.stringify(value)]));
    counted.set(state, texts);
    return texts;
  };
  const work = async () => {
    for (; !isOver; await pause(POLL_MS)) {
      for (const table of Object.keys(TABLES)) {
        const bySql = turn % SQL_POLLS === 0;
        turn += 1;
        const rows = bySql ? await countsBySql(process_, table) : await countsByDuckDb(folder, table);
        if (rows === undefined) continue;
        polls += 1;
        if (bySql) queries += 1;
        rows.sort((one, other) => (one.day < other.day ? -1 : 1));
        const seen = new Map();
        for (const { site, day, rows: count } of rows) {
          const partition = `${table}/${site}/${partitionOf(table, day)}`;
          seen.set(partition, { ...seen.get(partition), [day]: count });
        }
        const valid = states().map(counts);
        for (const [partition, value] of seen)
          if (!valid.some(each => each.get(partition) === JSON.stringify(value)))
            throw new Error(`a reader saw ${partition} as ${JSON.stringify(value)}, which it never was`);
      }
    }
    return { polls, queries };
  };
  const done = work();
  done.catch(() => {});
  return {
    async end() {
      isOver = true;
      return await done;
    },
  };
}

/** Kills syncs into one kind of destination, and compares after each round. */
async function soak(kind, kills, root) {
  const folder = join(root, kind);
  const home = join(root, `${kind}-home`);
  mkdirSync(folder);
  mkdirSync(home);
  let now = Date.parse('2026-02-26T12:00:00Z');
  const sandbox = await startSandbox({
    clock: now,
    restates: true,
    fixtures: { domains: SITES.map(id => ({ domain: `site-${id}.example.com`, id })) },
  });
  const process_ = {
    cwd: folder,
    home,
    env: { GATECTL_BASE_URL: sandbox.baseUrl, GATECTL_API_KEY: sandbox.apiKey },
  };
  const isLake = kind === 'lake';
  writeFileSync(
    join(folder, 'gatectl.sync.yaml'),
    configOf(isLake ? 'lake' : 'duckdb:figures.duckdb', isLake),
  );
  const states = [await sourceRows(sandbox)];
  /** Advances the clock, so that the gateway restates figures. */
  const restate = async () => {
    now += Math.ceil(random() * 9) * DAY_MS;
    if (now >= Date.parse('2026-11-01')) now = Date.parse('2026-03-01');
    sandbox.setFaults();
    sandbox.clock.set(now);
    states.push(await sourceRows(sandbox));
    states.splice(0, states.length - STATES);
  };
  let broken = 0;
  const countBroken = () => {
    broken += sandbox.requests.filter(({ faults }) =>
      faults.some(fault => !fault.startsWith('delay')),
    ).length;
    sandbox.reset();
    sandbox.clock.set(now);
  };
  const polling = isLake ? poller(process_, () => states) : undefined;
  const sync = (...args) => start(['bda', 'sync', ...args, '--quiet', '--retries', '9'], process_);
  let killed = 0;
  let told = 0;
  let ended = 0;
  let partial = 0;
  let took = 2500;
  try {
    while (killed < kills) {
      for (let count = 0; count < ROUND && killed < kills; ) {
        if (random() < 0.5) await restate();
        sandbox.setFaults(...FAULTS);
        // Two processes share the work now and then; a database file takes one.
        const isShared = isLake && random() < 0.25 && killed > 0;
        let runs;
        if (isShared) {
          const planned = await start(['bda', 'sync', 'plan', '--units', '--retries', '9'], process_).ended;
          writeFileSync(join(folder, 'units.ndjson'), planned.stdout);
          runs = [1, 2].map(shard => sync('run', '--units', 'units.ndjson', '--shard', `${shard}/2`));
        } else runs = [sync(random() < 0.8 ? 'run' : 'sweep')];
        const started = performance.now();
        await Promise.race([
          pause(took * (0.3 + 0.7 * random())),
          Promise.all(runs.map(each => each.ended)).then(() => {
            // On this machine they take less time than expected.
            took = performance.now() - started;
          }),
        ]);
        for (const { child } of runs) child.kill('SIGKILL');
        for (const { code, signal, stderr } of await Promise.all(runs.map(each => each.ended))) {
          if (signal === 'SIGKILL') {
            killed += 1;
            count += 1;
          } else if (code === 0) ended += 1;
          else if (code === 7 || code === 6 || code === 8) partial += 1;
          else throw new Error(`exit ${code}: ${stderr}`);
        }
        countBroken();
      }
      const began = performance.now();
      const last = await sync('run').ended;
      took = performance.now() - began;
      if (last.code !== 0)
        throw new Error(`the run after ${killed} kills: exit ${last.code}\n${last.stderr}`);
      const expected = states.at(-1);
      compare(expected, await storedRows({ kind, folder }), `${kind}, after ${killed} kills`);
      if (isLake) checkFiles(folder, expected);
      if (Math.floor(killed / 100) > Math.floor(told / 100)) say(`${kind}: ${killed} kills so far`);
      told = killed;
    }
    const read = await polling?.end();
    const seen =
      read === undefined
        ? ''
        : `; a reader polled ${read.polls} times, ${read.queries} of them with bda sql, and saw no wrong count`;
    say(
      `${kind}: ${killed} kills and ${broken} broken responses (${ended} syncs ended before their kill, ${partial} failed on faults), equal to the source each time${seen}`,
    );
  } finally {
    await polling?.end().catch(() => {});
    await sandbox.close();
  }
}

/** A disk that is full: one clear error, nothing lost, and complete once there is space. Requires a file system of its own. */
async function fullDisk(root) {
  const folder = join(root, 'small');
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return say('a full disk: not tried, because a file system cannot be mounted here');
  }
  const sandbox = await startSandbox({
    clock: '2026-02-28T12:00:00Z',
    restates: true,
    fixtures: { domains: SITES.map(id => ({ domain: `site-${id}.example.com`, id })) },
  });
  const env = { GATECTL_BASE_URL: sandbox.baseUrl, GATECTL_API_KEY: sandbox.apiKey };
  const home = join(root, 'small-home');
  mkdirSync(home);
  const sync = async (...args) =>
    await start(['bda', 'sync', ...args, '--quiet'], { cwd: folder, env, home }).ended;
  try {
    writeFileSync(join(folder, 'gatectl.sync.yaml'), configOf('lake', false));
    const first = await sourceRows(sandbox);
    let full = 0;
    for (const left of [8_000, 30_000, 60_000, 100_000, 200_000, 400_000, 2_000_000]) {
      writeFileSync(join(folder, 'filler'), Buffer.alloc(Math.max(0, statfsFree(folder) - left)));
      const { code, stderr } = await sync('run');
      if (code !== 0) {
        full += 1;
        if (code !== 9 || !/no space left|disk is full/i.test(stderr))
          throw new Error(`a full disk: exit ${code}\n${stderr}`);
      }
      rmSync(join(folder, 'filler'));
    }
    if (full === 0) throw new Error('the disk was never full');
    const clean = await sync('run');
    if (clean.code !== 0) throw new Error(`after a full disk: exit ${clean.code}\n${clean.stderr}`);
    compare(first, await storedRows({ kind: 'lake', folder }), 'after a full disk');
    checkFiles(folder, first);
    sandbox.clock.advance(20 * DAY_MS);
    const second = await sourceRows(sandbox);
    writeFileSync(join(folder, 'filler'), Buffer.alloc(Math.max(0, statfsFree(folder) - 24_000)));
    const { code, stderr } = await sync('run');
    if (code !== 9) throw new Error(`a full disk, with a lake: exit ${code}\n${stderr}`);
    // What is there is readable: each partition as it was, or as it is now.
    const held = await storedRows({ kind: 'lake', folder });
    for (const [key, lines] of held)
      if (![first, second].some(state => (state.get(key) ?? []).join() === lines.join()))
        throw new Error(`a full disk left ${key} with ${lines.length} rows`);
    rmSync(join(folder, 'filler'));
    const repaired = await sync('run');
    if (repaired.code !== 0)
      throw new Error(`after a full disk, with a lake: exit ${repaired.code}\n${repaired.stderr}`);
    compare(second, await storedRows({ kind: 'lake', folder }), 'after a full disk, with a lake');
    checkFiles(folder, second);
    say(`a full disk: ${full + 1} runs stopped with one line and exit 9, and the next one completed them`);
  } finally {
    await sandbox.close();
    execFileSync('umount', [folder]);
  }
}

function statfsFree(folder) {
  const [, line = ''] = execFileSync('df', ['-B1', '--output=avail', folder], { encoding: 'utf8' }).split(
    '\n',
  );
  return Number(line);
}

/** Many sites, three years: planned in seconds, and synced in memory that does not grow. */
async function manySites(root) {
  const folder = join(root, 'many');
  const home = join(root, 'many-home');
  for (const each of [folder, home]) mkdirSync(each);
  const sandbox = await startSandbox({
    clock: '2026-03-14T12:00:00Z',
    fixtures: {
      domains: Array.from({ length: MANY }, (_, at) => ({
        domain: `site-${at + 1}.example.com`,
        id: at + 1,
      })),
    },
  });
  const process_ = {
    cwd: folder,
    home,
    env: { GATECTL_BASE_URL: sandbox.baseUrl, GATECTL_API_KEY: sandbox.apiKey },
  };
  writeFileSync(
    join(folder, 'gatectl.sync.yaml'),
    `destination: lake\ntables:\n  pages:\n    data_set: pageview\n    metrics: [visits, revenue]\n    start: 2023-03-01\n    end: 2026-02-28\n`,
  );
  try {
    const plan = async () => {
      const began = performance.now();
      const { code, stderr } = await start(['bda', 'sync', 'plan', '-o', 'ndjson'], process_).ended;
      if (code !== 0) throw new Error(`a plan of ${MANY} sites: exit ${code}\n${stderr}`);
      return `${((performance.now() - began) / 1000).toFixed(1)} s`;
    };
    const planned = await plan();
    const began = performance.now();
    const { child, ended } = start(['bda', 'sync', 'run', '--quiet'], process_);
    const memory = [];
    const sampling = setInterval(() => {
      sandbox.requests.length = 0;
      // The gateway allows a number of queries a minute.
      sandbox.clock.advance(10_000);
      const found = /VmRSS:\s+(\d+)/.exec(statusOf(child.pid));
      if (found !== null) memory.push(Number(found[1]) / 1024);
    }, 200);
    const { code, stderr } = await ended;
    clearInterval(sampling);
    if (code !== 0) throw new Error(`a run of ${MANY} sites: exit ${code}\n${stderr}`);
    const took = Math.round((performance.now() - began) / 1000);
    const [half, peak] = [Math.max(...memory.slice(0, memory.length / 2)), Math.max(...memory)];
    if (peak > MOST_MB) throw new Error(`a run of ${MANY} sites used ${Math.round(peak)} MB`);
    say(
      `${MANY} sites, 3 years: planned in ${planned}, synced in ${took} s with at most ${Math.round(peak)} MB (${Math.round(half)} MB in the first half), planned again in ${await plan()}`,
    );
  } finally {
    await sandbox.close();
  }
}

/** What Linux knows of a process; empty elsewhere, and after its end. */
function statusOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

const root = mkdtempSync(join(tmpdir(), 'gatectl-sync-soak-'));
const began = performance.now();
try {
  const found = readFileSync(new URL('../../src/wire/bda-v2.ts', import.meta.url), 'utf8');
  apiPath = /BDA_V2_PREFIX = '([^']+)'/.exec(found)[1];
  statSync(BIN);
  for (const kind of KINDS) await soak(kind, Math.ceil(KILLS / KINDS.length), root);
  await fullDisk(root);
  await manySites(root);
  say(`sync: ${Math.round((performance.now() - began) / 1000)} s, SYNC_SEED=${SEED}`);
} catch (error) {
  say(`SYNC_SEED=${SEED}\n${error.stack}`);
  process.exitCode = 1;
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 });
}
