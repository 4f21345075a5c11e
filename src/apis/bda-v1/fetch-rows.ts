import { InvalidResponseError } from '../../errors/index.ts';
import { saidIn } from '../../http/error-body.ts';
import type { Sender } from '../../http/sender.ts';
import { isList, isRecord, type Json, type JsonRecord } from '../../json/index.ts';
import { type BdaV1Site, type DataTarget, dataRequest } from './requests.ts';

/**
 * Fetches one page of rows. `columns` are the requested ones, in order, for rows that are arrays. Throws InvalidResponseError for
 * a response without rows.
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
  throw new InvalidResponseError(`no rows found in the response of v1${saidIn(body)}`, {
    code: 'unexpected_shape',
  });
}

/** The shape is not documented: the rows are the response itself, or the only list of rows in it, at any depth. */
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

/** A row as a record; an array with one value per column is keyed by column. */
function rowOf(row: Json, columns: readonly string[]): JsonRecord | undefined {
  if (isRecord(row)) return row;
  if (!isList(row) || columns.length === 0 || row.length !== columns.length) return undefined;
  return Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null]));
}
