import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { stateFolder } from '../../config/platform.ts';
import { existsSync } from '../../files/disk.ts';
import {
  incompleteRows,
  lacksRows,
  reportFlaws,
  warnMissingDays,
} from '../../operations/rows/completeness.ts';
import { exportRowsToFile } from '../../operations/rows/export-rows.ts';
import type { RequestedRows } from '../../operations/rows/requested-rows.ts';
import { notePeriods, noteUnfinished } from '../../operations/rows/shown-rows.ts';
import { rowWork } from '../bda/output/row-work.ts';
import { lockMachine } from '../framework/lock-machine.ts';
import { readCsvHead } from './csv-head.ts';
import { writeMasked } from './masked-rows.ts';
import type { ToolContext, ToolResult } from './tool.ts';

/** Rows that reach the model; all of them are in the file. */
export const SHOWN_ROWS = 30;

/** The first rows, with all of them in a new file, unless they contradict the request. */
export async function rowsToFile(
  rows: RequestedRows,
  { context, rowsFolder, isMasked }: Pick<ToolContext, 'context' | 'rowsFolder' | 'isMasked'>,
): Promise<ToolResult> {
  const file = join(await rowsFolder(), `rows-${randomBytes(4).toString('hex')}.csv`);
  const work = await rowWork(context);
  await noteUnfinished(rows, work);
  const stats = await exportRowsToFile(
    rows,
    { path: file, format: 'csv', compression: undefined },
    {
      ...{ manifest: false, resume: 'never', isRefused: false, csvDialect: 'rfc4180' },
      ...{ decimals: undefined, chart: undefined, baseUrl: undefined },
      // The file is new, so that no rows of another gateway or account are in it.
      gateway: '',
      account: async () => '',
      ...(isMasked && { convert: (path, masked) => writeMasked(path, masked, work) }),
    },
    {
      ...work,
      machine: lockMachine(context),
      stateFolder: stateFolder(context.io),
      env: context.io.env,
      isPrinting: false,
      mayDiscard: async () => false,
      onFile: () => {},
    },
  );
  await notePeriods(rows, stats.rows === 0 ? [] : undefined, work);
  reportFlaws(stats, rows, { isCompared: false }, work);
  const lacksDays = (await warnMissingDays(rows.query, stats.rows, work)) !== undefined;
  const isComplete = !lacksDays && !lacksRows([stats], rows);
  const isWritten = existsSync(file);
  const [columns = [], ...shown] = isWritten ? await readCsvHead(file, SHOWN_ROWS + 1) : [];
  return {
    data: {
      columns,
      rows: shown,
      shown: shown.length,
      count: isWritten ? stats.rows : 0,
      complete: isComplete,
      ...(isWritten && { file }),
    },
    ...(!isComplete && {
      error: incompleteRows(),
    }),
  };
}
