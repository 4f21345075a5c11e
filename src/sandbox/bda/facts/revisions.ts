import type { Database } from 'node-sqlite3-wasm';
import type { DayRange } from '../days.ts';

/** The largest prime below 2^31: products of two remainders stay within 64 bits. */
const PRIME = 2_147_483_647;

/**
 * What becomes of each day of each site: the age in days at which its figures are complete (2 to 7), whether it has no rows at all,
 * and whether, and at which age (30 to 199), it changes once more. Parameters: seed, first day, last day.
 */
const FILL_FATES = `
WITH
  first AS (
    SELECT day.id AS day, site.id AS site,
      (day.id * 15485863 + site.id * 32452843 + ?1) % ${PRIME} * 48271 % ${PRIME} * 69621 % ${PRIME} AS a
    FROM day CROSS JOIN site WHERE day.id BETWEEN ?2 AND ?3
  ),
  second AS (SELECT *, a * 16807 % ${PRIME} AS b FROM first)
INSERT INTO fate
SELECT
  day, site,
  2 + a % 6,
  a / 7 % 50 = 0,
  a / 353 % 5 = 0,
  CASE WHEN b % 100 < 4 THEN 30 + b / 101 % 170 END,
  CASE b / 17171 % 4 WHEN 0 THEN 'fewer' WHEN 1 THEN 'none' ELSE 'more' END
FROM second`;

/** A number from 0 to 99 that depends on the content of a fact, and is the same whenever it is generated. */
const LOT =
  '(fact.day * 31 + fact.page * 37 + fact.country * 41 + fact.source * 43 + fact.device * 47 + fact.visits * 53) % 100';

const AGE = '?1 - fact.day';
/** The figures are not complete: three rows in ten are missing on the first two days, one in ten until the day is settled. */
const NOT_ARRIVED = `${AGE} < fate.settles AND ${LOT} < CASE WHEN ${AGE} < 2 THEN 30 ELSE 10 END`;
/** Rows that are withdrawn when the day settles. */
const WITHDRAWN = `fate.withdraws AND ${AGE} >= fate.settles AND ${LOT} >= 90`;
/** Rows that are withdrawn much later. */
const WITHDRAWN_LATE = `fate.late <= ${AGE} AND (fate.kind = 'none' OR fate.kind = 'fewer' AND ${LOT} BETWEEN 60 AND 75)`;

const DELETE = `
DELETE FROM fact WHERE rowid IN (
  SELECT fact.rowid FROM fact JOIN fate ON fate.day = fact.day AND fate.site = fact.site
  WHERE fact.rowid > ?2 AND (fate.is_empty OR (${NOT_ARRIVED}) OR (${WITHDRAWN}) OR (${WITHDRAWN_LATE}))
)`;

const scaled = (share: string) =>
  ['visits', 'pageviews', 'engaged_pageviews', 'engaged_ms', 'bounces', 'copies', 'revenue']
    .map(field => `${field} = fact.${field} ${share}`)
    .join(', ');

/** Figures that are still growing, and those that grow once more. */
const UPDATES = [
  `UPDATE fact SET ${scaled('* 9 / 10')} FROM fate
   WHERE fact.rowid > ?2 AND fate.day = fact.day AND fate.site = fact.site AND ${AGE} < fate.settles AND ${LOT} >= 50`,
  `UPDATE fact SET ${scaled('* 21 / 20 + 1')} FROM fate
   WHERE fact.rowid > ?2 AND fate.day = fact.day AND fate.site = fact.site AND fate.late <= ${AGE} AND fate.kind = 'more' AND ${LOT} < 40`,
];

/** Facts that were generated, by their days: those behind `earlier`, a rowid. */
interface Generated {
  readonly seed: number;
  readonly today: number;
  readonly days: DayRange;
  readonly earlier: number;
}

/**
 * Changes generated facts into what the gateway knows of them on the day `today`: the last days are incomplete, most settle within a
 * week, a few change after months, some rows are withdrawn, and some days are empty. Depends only on the seed, the facts and `today`.
 */
export function applyRevisions(database: Database, { seed, today, days, earlier }: Generated): void {
  database.exec(
    'CREATE TABLE fate (day INTEGER, site INTEGER, settles INTEGER, is_empty INTEGER, withdraws INTEGER, late INTEGER, kind TEXT, PRIMARY KEY (day, site)) WITHOUT ROWID',
  );
  database.run(FILL_FATES, [seed, days.first, days.last]);
  // The updates decide by the visits that the deletions decide by: each fact is in one of them at most, in this order.
  for (const change of [DELETE, ...UPDATES]) database.run(change, [today, earlier]);
  database.exec('DROP TABLE fate');
}
