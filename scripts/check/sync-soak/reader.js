import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { start } from './process.js';
import { partitionOf, TABLES } from './source.js';
import { query } from './stored.js';

const POLL_MS = 150;
/** One of so many polls is by `bda sql`, which starts a process. */
const SQL_POLLS = 7;
const COUNTS = 'SELECT domain_id::VARCHAR AS site, report_day::VARCHAR AS day, count(*)::INTEGER AS rows';

/**
 * Copies the files of a table, each opened once: DuckDB opens a file a second time for its rows, and would read those of another version
 * if it was replaced in between. Returns how many there were.
 */
function copyFiles(from, to) {
  mkdirSync(to, { recursive: true });
  let count = 0;
  for (const path of readdirSync(from, { encoding: 'utf8', recursive: true }).filter(path =>
    path.endsWith('.parquet'),
  ))
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
export function poller(process_, states) {
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
