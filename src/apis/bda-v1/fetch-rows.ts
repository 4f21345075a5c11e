import { InvalidResponseError } from '../../errors/index.ts';
import { saidIn } from '../../http/error-body.ts';
import type { Sender } from '../../http/sender.ts';
import { isList, isRecord, type Json, type JsonRecord } from '../../json/index.ts';
import { type BdaV1Site, type DataTarget, dataRequest } from './requests.ts';

/**
 * One page of a report's rows, held whole; `columns` are those asked for, in order, for rows that are lists. Throws InvalidResponseError for an answer in
 * which no rows can be found.
 */
export async function fetchRowsV1(
  sender: Sender,
  site: BdaV1Site,
  target: DataTarget,
  request: JsonRecord,
  columns: readonly string[],
): Promise<readonly JsonRecord[]> {
  const { body } = await sender.send(dataRequest(site, target, request));
  const rows = rowsIn(body, columns);
  if (rows !== undefined) return rows;
  throw new InvalidResponseError(
    `the answer of v1 has no rows that can be told from what is around them${saidIn(body)}`,
    { code: 'unexpected_shape' },
  );
}

/** The shape is not documented: rows are the answer itself, or the one list of rows in it, however deep. */
function rowsIn(body: Json, columns: readonly string[]): readonly JsonRecord[] | undefined {
  if (isList(body)) {
    const rows = body.map(row => rowOf(row, columns)).filter(row => row !== undefined);
    return rows.length === body.length ? rows : undefined;
  }
  if (!isRecord(body)) return undefined;
  const inside = Object.values(body).filter(value => isList(value) || isRecord(value));
  const found = inside.flatMap(value => {
    const rows = rowsIn(value ?? null, columns);
    return rows === undefined ? [] : [rows];
  });
  const filled = found.filter(rows => rows.length > 0);
  return filled.length > 1 ? undefined : (filled[0] ?? found[0]);
}

/** A row by its names, or by the places of the columns where it has one value for each. */
function rowOf(row: Json, columns: readonly string[]): JsonRecord | undefined {
  if (isRecord(row)) return row;
  if (!isList(row) || columns.length === 0 || row.length !== columns.length) return undefined;
  return Object.fromEntries(columns.map((column, place) => [column, row[place] ?? null]));
}
