import type { PageOfRows } from '../../../apis/bda-v2/fetch-rows.ts';
import { pageOf } from '../../../apis/bda-v2/query.ts';
import type { JsonRecord } from '../../../json/index.ts';
import {
  type Comparison,
  compareRows,
  type MigratedQuery,
  queryRecord,
  type V1Side,
} from '../../../migrate/index.ts';
import { QUERY_LIMIT_DEFAULT, QUERY_LIMIT_MAX, type Query } from '../../../wire/bda-v2.ts';

/** Both versions, to be asked the same. */
export interface Versions {
  /** `isWholeReport`: the rows are those of the saved report itself. */
  v1(request: JsonRecord, isWholeReport: boolean): Promise<readonly JsonRecord[]>;
  v2(query: JsonRecord): Promise<PageOfRows>;
}

/** `parity`: the same rows, figures and order. `unproven`: nothing could be compared. */
export type Outcome = 'parity' | 'different' | 'unproven';

export interface Verification {
  readonly label: string;
  readonly outcome: Outcome;
  /** Absent where v1 could not be asked. */
  readonly comparison?: Comparison;
  /** What else is worth knowing of how it came about. */
  readonly remark?: string;
}

interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** Asks v1 and v2 the same and compares the answers: the figures of each row, and the order that was asked for. */
export async function verifyQuery(one: MigratedQuery, versions: Versions): Promise<Verification> {
  const { label, query, v1 } = one;
  if (v1 === undefined)
    return { label, outcome: 'unproven', remark: 'v1 can not be asked for a segment without an id' };
  const { limit = QUERY_LIMIT_DEFAULT, offset = 0 } = query;
  const page = await askBoth(one, v1, { offset, limit }, versions);
  const found = verification(label, compared(page, one, v1));
  const isSorted = isInOrder(page, one, v1);
  if (hasSameRows(found)) return isSorted ? found : notInOrder(found, query);
  // Where rows are missing, those after them are in other places, which says nothing of their order.
  if (!isCut(page)) return found;
  // Rows that tie may fall to either side of a page's end: only all rows tell whether the versions differ.
  const all = await askBoth(one, v1, { offset: 0, limit: QUERY_LIMIT_MAX }, versions);
  const whole = verification(label, compared(all, one, v1));
  if (hasSameRows(whole) && !isSorted) return notInOrder(whole, query);
  const why = isSorted ? 'the page ends among rows that tie' : 'the pages hold different rows';
  const count = whole.comparison?.joined ?? 0;
  return { ...whole, remark: `${why}, so all rows were compared: ${count} of them` };
}

function hasSameRows({ comparison }: Verification): boolean {
  return comparison?.onlyV1.length === 0 && comparison.onlyV2.length === 0;
}

function notInOrder(found: Verification, { sort = [] }: Query): Verification {
  const by = sort.map(({ column, direction }) => `${column} ${direction}`).join(', ');
  return { ...found, outcome: 'different', remark: `the rows are not in the same order by ${by}` };
}

interface Answers extends Page {
  readonly v1: readonly JsonRecord[];
  readonly v2: PageOfRows;
}

async function askBoth(one: MigratedQuery, v1: V1Side, page: Page, versions: Versions): Promise<Answers> {
  const request = { ...v1.request, StartItem: page.offset, MaxItems: page.limit };
  return {
    ...page,
    v1: await versions.v1(request, v1.isWholeReport),
    v2: await versions.v2(pageOf(queryRecord(one.query), page)),
  };
}

function compared({ v1, v2 }: Answers, { query }: MigratedQuery, side: V1Side): Comparison {
  const { dimensions = [], metrics = [] } = query;
  return compareRows(v1, v2.rows, { ...side, v1Columns: side.columns, dimensions, metrics });
}

/** Whether the column that rows are sorted by goes through the same values on both sides, rounding allowed for. */
function isInOrder({ v1, v2 }: Answers, { query }: MigratedQuery, side: V1Side): boolean {
  const [sort] = query.sort ?? [];
  if (sort === undefined) return true;
  const numbered = (rows: readonly JsonRecord[]) => rows.map((row, place) => ({ ...row, [PLACE]: place }));
  const sorted = compareRows(numbered(v1), numbered(v2.rows), {
    ...side,
    v1Columns: side.columns,
    dimensions: [PLACE],
    metrics: [sort.column],
  });
  // A row that one side lacks is another matter.
  return sorted.metrics.every(({ verdict }) => verdict !== 'different');
}

/** No column of an answer is called so. */
const PLACE = '(place)';

/** Whether there may be rows outside of the page. */
function isCut({ v1, v2, offset, limit }: Answers): boolean {
  return offset > 0 || v1.length >= limit || v2.rows.length >= limit || (v2.total ?? 0) > v2.rows.length;
}

function verification(label: string, comparison: Comparison): Verification {
  const absent = comparison.metrics.flatMap(({ metric, lacking }) =>
    lacking === undefined ? [] : [`${lacking.join(' and ')} gave no ${metric}`],
  );
  if (!comparison.parity)
    return {
      label,
      outcome: 'different',
      comparison,
      ...(absent.length > 0 && { remark: absent.join('; ') }),
    };
  if (comparison.joined > 0) return { label, outcome: 'parity', comparison };
  return { label, outcome: 'unproven', comparison, remark: 'neither version has rows to compare' };
}
