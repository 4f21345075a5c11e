import type { Database } from 'node-sqlite3-wasm';
import type { Account } from '../../routing.ts';
import { daysWithData } from '../days.ts';
import { COUNTRIES, DEVICES, GENDERS, PLATFORMS, SOURCES } from './groups.ts';
import { PAGES_PER_SITE, pagesOf, pageTable, URL_OPTIONS } from './pages.ts';
import { FILL_DAYS, FILL_FACTS, FILL_KINDS, factsPerDay, SCHEMA } from './schema.ts';

const SEED_SPACE = 2 ** 31;
/**
 * Days filled by one statement. WebAssembly that runs for long in one call is never exchanged for its optimised
 * form: ten short statements take half the time of one long one.
 */
const DAYS_AT_ONCE = 40;

/** The seed as a whole number from 0 to 2^31 - 1. */
export function wholeSeed(seed: number): number {
  return Math.abs(Math.trunc(seed)) % SEED_SPACE;
}

function fillList(database: Database, table: string, fields: string, rows: readonly unknown[]): void {
  const columns = fields.split(' ').map((_, index) => `value ->> ${index}`);
  database.run(
    `INSERT INTO ${table} (id, ${fields.replaceAll(' ', ', ')}) SELECT key, ${columns.join(', ')} FROM json_each(?)`,
    JSON.stringify(rows),
  );
}

/**
 * A database in memory with the account's figures for the 400 days up to `today` (a UTC day number). The same
 * seed and sites give the same figures for a day, whatever today is. Close it when done.
 */
export async function openFacts(
  account: Pick<Account, 'domains'>,
  seed: number,
  today: number,
): Promise<Database> {
  const sqlite = (await import('node-sqlite3-wasm')).default;
  const database = new sqlite.Database();
  const { domains } = account;
  database.exec(SCHEMA);
  const { first, last } = daysWithData(today);
  database.run(FILL_DAYS, [first, last]);
  fillList(
    database,
    'site',
    'domain_id domain size',
    domains.map(({ id, domain }, rank) => [id, domain, 1 / (1 + rank * 0.6)]),
  );
  fillList(database, 'country', 'code', COUNTRIES);
  fillList(database, 'device', 'name', DEVICES);
  fillList(database, 'gender', 'name', GENDERS);
  fillList(
    database,
    'source',
    'name',
    SOURCES.map(name => [name]),
  );
  fillList(
    database,
    'platform',
    'name',
    PLATFORMS.map(name => [name]),
  );
  for (const options of URL_OPTIONS) {
    const pages = domains.flatMap(({ domain }) => pagesOf(domain, options));
    fillList(
      database,
      pageTable(options),
      'url title author',
      pages.map(({ url, title, author }) => [url, title, author]),
    );
  }
  const chance = wholeSeed(seed);
  database.run(FILL_KINDS, [chance, PAGES_PER_SITE]);
  for (let day = first; day <= last; day += DAYS_AT_ONCE) {
    const end = Math.min(last, day + DAYS_AT_ONCE - 1);
    database.run(FILL_FACTS, [chance, factsPerDay(domains.length), PAGES_PER_SITE, day, end]);
  }
  return database;
}
