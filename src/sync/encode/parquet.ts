import { rowsToParquet } from '../../export/parquet/rows-to-parquet.ts';
import { openAtomic } from '../../files/atomic-file.ts';
import { typesIn } from '../column-types.ts';
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
      chooseTypes: async found => typesIn(await pin(found), found),
    });
    await file.commit();
    return file.position;
  } catch (error) {
    await file.discard();
    throw error;
  }
}
