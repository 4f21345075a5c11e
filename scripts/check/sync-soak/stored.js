import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { METRICS, partitionOf, plain, TABLES } from './source.js';

/** Runs a statement in a DuckDB of its own. */
export async function query(sql, path = ':memory:') {
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
export async function storedRows({ kind, folder }) {
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

/** Throws for the first day whose rows differ. */
export function compare(expected, found, when) {
  for (const key of new Set([...expected.keys(), ...found.keys()])) {
    const [one, other] = [expected.get(key) ?? [], found.get(key) ?? []];
    if (one.join('\n') === other.join('\n')) continue;
    throw new Error(
      `${when}: ${key} has ${other.length} rows, the source ${one.length}\n${one.slice(0, 3).join('\n')}\n---\n${other.slice(0, 3).join('\n')}`,
    );
  }
}

/** Throws for files that do not belong into a lake, and for partitions without their file. */
export function checkFiles(folder, expected) {
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
