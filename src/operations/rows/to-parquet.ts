import { version } from '../../../package.json';
import type { FileExportOptions } from '../../export/export-to-file.ts';
import { hasRoomForThread } from '../../export/parquet/thread-room.ts';
import { nextPage, type Plan } from '../../export/plan.ts';
import type { RequestedRows } from './requested-rows.ts';
import { type RowWork, withConversionProgress } from './row-progress.ts';

/** With fewer rows, a thread takes longer to start than to convert them. */
const WORTH_THREAD = 65_536;

/** Converts complete rows to Parquet. */
export function toParquet(
  { source, figures }: RequestedRows,
  work: RowWork,
): NonNullable<FileExportOptions['convert']> {
  return async (rowsPath, file) => {
    const { rowsToParquet } = await import('../../export/parquet/rows-to-parquet.ts');
    await withConversionProgress(work, onRows =>
      rowsToParquet({
        rowsPath,
        file,
        columns: source.columns,
        figures,
        createdBy,
        signal: work.signal,
        onRows,
        onMixed: column => reportMixed(column, work),
      }),
    );
  };
}

/** Converts many rows in a thread of its own while others are fetched, where there is room for it. `plans` are those of all parts. */
export function toParquetEarly(
  { source, figures }: RequestedRows,
  plans: readonly Plan[],
  path: string,
  work: RowWork,
): NonNullable<FileExportOptions['convertEarly']> {
  const { columns } = source;
  return async (rowsPath, { written, reached, partsDone = 0 }) => {
    const plan = plans[partsDone];
    const isLast =
      plan === undefined || (partsDone === plans.length - 1 && nextPage(plan, reached) === undefined);
    if (written.position.rows < WORTH_THREAD || isLast || columns.length === 0 || !hasRoomForThread())
      return undefined;
    const [{ ConversionInThread }, { default: script }] = await Promise.all([
      import('../../export/parquet/conversion-in-thread.ts'),
      import('virtual:parquet-thread'),
    ]);
    const thread = new ConversionInThread(script, path, { rowsPath, columns, figures, createdBy });
    return {
      reach: ({ sinkBytes }) => thread.reach(sinkBytes),
      finish: async ({ sinkBytes, position: { rows } }) => {
        const made = await withConversionProgress(work, onRows =>
          thread.finish(sinkBytes, {
            signal: work.signal,
            onRows: converted => onRows(converted, rows),
          }),
        );
        for (const column of made?.mixed ?? []) reportMixed(column, work);
        return made?.file;
      },
      stop: () => thread.stop(),
    };
  };
}

const createdBy = `gatectl ${version}`;

function reportMixed(column: string, { report }: RowWork): void {
  report({
    kind: 'note',
    text: `the column ${column} contains values of several types and is written as text`,
  });
}
