import type { Database } from 'node-sqlite3-wasm';
import type { Account } from '../../routing.ts';
import { DAYS_OF_DATA, type DayRange, daysWithData } from '../days.ts';
import { COUNTRIES, DEVICES, GENDERS, PLATFORMS, SOURCES } from './groups.ts';
import { PAGES_PER_SITE, pagesOf, pageTable, URL_OPTIONS } from './pages.ts';
import { applyRevisions } from './revisions.ts';

/** Approximate number of rows, for any number of sites. */
const FACTS = 80_000;

/** Number of facts per site and day. */
function factsPerDay(sites: number): number {
  return Math.max(6, Math.floor(FACTS / (DAYS_OF_DATA * Math.max(1, sites))));
}

const PAGE_TABLES = URL_OPTIONS.map(
  options =>
    `CREATE TABLE ${pageTable(options)} (id INTEGER PRIMARY KEY, url TEXT, title TEXT, author TEXT);`,
).join('\n');

/** `fact` contains only numbers, most of them keys of the small tables. */
const SCHEMA = `
PRAGMA journal_mode = off;
PRAGMA synchronous = off;
PRAGMA temp_store = memory;
PRAGMA cache_size = -65536;
CREATE TABLE day (id INTEGER PRIMARY KEY, day TEXT, week TEXT, month TEXT, rhythm REAL);
CREATE TABLE site (id INTEGER PRIMARY KEY, domain_id INTEGER, domain TEXT, size REAL);
CREATE TABLE country (id INTEGER PRIMARY KEY, code TEXT);
CREATE TABLE device (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE gender (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE source (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE platform (id INTEGER PRIMARY KEY, name TEXT);
${PAGE_TABLES}
CREATE TABLE kind (
  id INTEGER PRIMARY KEY, country INTEGER, device INTEGER, gender INTEGER, source INTEGER, page INTEGER,
  platform INTEGER, size INTEGER, depth INTEGER, engaged INTEGER, reading_ms INTEGER, bounced INTEGER, copied INTEGER
);
CREATE TABLE fact (
  day INTEGER, site INTEGER, country INTEGER, device INTEGER, gender INTEGER, source INTEGER, page INTEGER,
  platform INTEGER, visits INTEGER, pageviews INTEGER, engaged_pageviews INTEGER, engaged_ms INTEGER,
  bounces INTEGER, copies INTEGER, revenue INTEGER
);`;

/** Days with their week, month and weekly rhythm. Parameters: first day, last day. */
const FILL_DAYS = `
WITH RECURSIVE series(n) AS (SELECT ?1 UNION ALL SELECT n + 1 FROM series WHERE n < ?2)
INSERT INTO day
SELECT
  n,
  date(n * 86400, 'unixepoch'),
  date((n - (n + 3) % 7) * 86400, 'unixepoch'),
  strftime('%Y-%m', n * 86400, 'unixepoch'),
  (CASE (n + 3) % 7 WHEN 0 THEN 1.15 WHEN 4 THEN 0.9 WHEN 5 THEN 0.5 WHEN 6 THEN 0.6 ELSE 1.0 END)
    * (0.8 + abs(n % 364 - 182) / 500.0)
FROM series`;

/** The largest prime below 2^31: products of two remainders stay within 64 bits. */
const PRIME = 2_147_483_647;
/** Number of kinds of visits to sample from. */
const KINDS = 2048;

/**
 * Kinds of visits: reader group, source, page and engagement.
 * Parameters: seed (0 to 2^31), pages per site.
 */
const FILL_KINDS = `
WITH RECURSIVE
  series(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM series WHERE n + 1 < ${KINDS}),
  first AS (SELECT n, (n * 1299709 + ?1) % ${PRIME} * 48271 % ${PRIME} * 69621 % ${PRIME} AS a FROM series),
  second AS (SELECT *, a * 16807 % ${PRIME} AS b, a * 39373 % ${PRIME} AS c FROM first),
  chance AS (
    SELECT *, (a % 9973) / 9973.0 AS u, (a / 9973 % 9967) / 9967.0 AS v, (b / 101 % 997) / 997.0 AS w FROM second
  )
INSERT INTO kind
SELECT
  n,
  CAST(u * u * (SELECT count(*) FROM country) AS INTEGER),
  CASE WHEN b % 100 < 55 THEN 0 WHEN b % 100 < 93 THEN 1 ELSE 2 END,
  CASE WHEN c % 10 < 4 THEN 0 WHEN c % 10 < 7 THEN 1 ELSE 2 END,
  CAST(w * w * (SELECT count(*) FROM source) AS INTEGER),
  CAST(v * v * ?2 AS INTEGER),
  CASE WHEN c / 11 % 10 < 7 THEN 0 ELSE 1 END,
  3 + b / 211 % 60,
  100 + c / 223 % 200,
  40 + b / 7 % 50,
  4000 + c / 13 % 80000,
  20 + b / 17 % 50,
  c / 19 % 30
FROM chance`;

/**
 * Facts for every day, site and slot. Each depends only on seed, day, site and slot, so that the figures of a day
 * stay the same as time passes. Parameters: seed, facts per site and day, pages per site, and the
 * first and last day to fill.
 */
const FILL_FACTS = `
WITH RECURSIVE
  slot(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM slot WHERE n + 1 < ?2),
  draw AS MATERIALIZED (
    SELECT
      day.id AS day, site.id AS site, site.size * day.rhythm AS weight,
      (day.id * 7919 + site.id * 104729 + slot.n * 1299709 + ?1) % ${PRIME} * 48271 % ${PRIME} * 69621 % ${PRIME} AS chance
    FROM day CROSS JOIN site CROSS JOIN slot
    WHERE day.id BETWEEN ?4 AND ?5
  ),
  crowd AS (
    SELECT draw.*, kind.*, CAST(size * weight AS INTEGER) AS visits
    FROM draw CROSS JOIN kind WHERE kind.id = chance % ${KINDS}
  )
INSERT INTO fact
SELECT
  day, site, country, device, gender, source, site * ?3 + page, platform,
  visits,
  visits * depth / 100,
  visits * depth / 100 * engaged / 100,
  visits * depth / 100 * reading_ms,
  visits * bounced / 100,
  visits * depth / 100 * copied / 1000,
  visits * depth / 100 * (90000000000 + chance * 71)
FROM crowd`;

/** With more sites than this, queries of one site use an index. */
const SITES_WITHOUT_INDEX = 50;

const SEED_SPACE = 2 ** 31;
/**
 * Days per INSERT statement, a divisor of all. V8 does not replace WebAssembly code with its optimized version during a call: ten short
 * statements take half the time of one long one.
 */
const DAYS_AT_ONCE = 40;

/** Maps a seed to an integer from 0 to 2^31 - 1. */
export function normalizeSeed(seed: number): number {
  return Math.abs(Math.trunc(seed)) % SEED_SPACE;
}

function fillList(database: Database, table: string, fields: string, rows: readonly unknown[]): void {
  const columns = fields.split(' ').map((_, index) => `value ->> ${index}`);
  database.run(
    `INSERT INTO ${table} (id, ${fields.replaceAll(' ', ', ')}) SELECT key, ${columns.join(', ')} FROM json_each(?)`,
    JSON.stringify(rows),
  );
}

/** An account's figures in a database in memory. Those of a day are generated when they are first needed. */
export class Facts {
  readonly #database: Database;
  readonly #generate: (days: DayRange) => void;
  #missing: readonly DayRange[];

  /** `generate` is called once for each range of `missing` at most. */
  constructor(database: Database, missing: readonly DayRange[], generate: (days: DayRange) => void) {
    this.#database = database;
    this.#missing = missing;
    this.#generate = generate;
  }

  /** The database, with the figures of these days and maybe of others. */
  of({ first, last }: DayRange): Database {
    for (const days of this.#missing) {
      if (days.last < first || days.first > last) continue;
      this.#generate(days);
      this.#missing = this.#missing.filter(each => each !== days);
    }
    return this.#database;
  }

  close(): void {
    this.#database.close();
  }
}

/**
 * Opens the account's figures for the 400 days up to `today` (a UTC day number). The figures of a day depend only on the seed and the
 * sites; with `restates`, also on its age. The caller closes them.
 */
export async function openFacts(
  account: Pick<Account, 'domains'>,
  seed: number,
  today: number,
  restates = false,
): Promise<Facts> {
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
  const chance = normalizeSeed(seed);
  database.run(FILL_KINDS, [chance, PAGES_PER_SITE]);
  const blocks = Array.from({ length: DAYS_OF_DATA / DAYS_AT_ONCE }, (_, index) => {
    const day = first + index * DAYS_AT_ONCE;
    return { first: day, last: day + DAYS_AT_ONCE - 1 };
  });
  const facts = new Facts(database, blocks, days => {
    const earlier = Number(database.get('SELECT max(rowid) AS last FROM fact')?.last ?? 0);
    const limits = [days.first, days.last];
    database.run(FILL_FACTS, [chance, factsPerDay(domains.length), PAGES_PER_SITE, ...limits]);
    if (restates) applyRevisions(database, { seed: chance, today, days, earlier });
  });
  if (domains.length > SITES_WITHOUT_INDEX)
    facts.of({ first, last }).exec('CREATE INDEX fact_site ON fact (site, day)');
  return facts;
}
