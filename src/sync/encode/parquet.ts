import { rowsToParquet } from '../../export/parquet/rows-to-parquet.ts';
import { openAtomic } from '../../files/atomic-file.ts';
import { typeOf } from '../column-types.ts';
import type { EncoderOptions } from './encoder.ts';

/** Writes the rows of a partition as a Parquet file; resolves to its length in bytes. Throws FileError and UnrepresentableValueError. */
export async function encodeParquet(options: EncoderOptions): Promise<number> {
  const { path, rowsPath, columns, metrics, pin, signal } = options;
  const file = await openAtomic(path);
  try {
    await rowsToParquet({
      rowsPath,
      file,
      columns,
      figures: metrics,
      createdBy: 'gatectl',
      signal,
      onRows: () => {},
      onMixed: () => {},
      chooseTypes: async found => {
        const types = (await pin(found)).columns;
        return found.map(({ name }) => {
          const column = types.find(each => each.name === name);
          return column === undefined ? { kind: 'text' } : typeOf(column);
        });
      },
    });
    await file.commit();
    return file.position;
  } catch (error) {
    await file.discard();
    throw error;
  }
}
