import { ColumnProfile } from '../../export/parquet/column-profile.ts';
import { rowsToParquet } from '../../export/parquet/rows-to-parquet.ts';
import { openAtomic } from '../../files/atomic-file.ts';
import { typesIn } from '../column-types.ts';
import { arrayIn } from '../rows/row-file.ts';
import { type Encoder, profilesOf } from './encoder.ts';

/**
 * Writes the rows of a partition as a Parquet file. Columns that the table no longer has are empty. Throws FileError and
 * UnrepresentableValueError.
 */
export const encodeParquet: Encoder = async options => {
  const { table, rows, destination, earlier, pin, signal } = options;
  const found = profilesOf(options);
  const columns = [...new Set([...earlier, ...found.keys()])];
  const path = `${rows.path}.parquet`;
  let schema = 0;
  // It gets its durable name when it replaces that of the partition before.
  const file = await openAtomic(path, { partial: { path, from: 0 } });
  try {
    await rowsToParquet({
      rowsPath: () => arrayIn(rows.path),
      file,
      target: destination.name,
      columns,
      profile: {
        profiles: columns.map(name => found.get(name) ?? new ColumnProfile()),
        rows: rows.rows,
        longest: rows.longest,
      },
      figures: table.metrics,
      createdBy: 'gatectl',
      signal,
      onRows: () => {},
      onMixed: () => {},
      chooseTypes: async all => {
        const pinned = await pin(all.filter(({ name }) => found.has(name)));
        schema = pinned.version;
        return typesIn(pinned, all);
      },
    });
    await file.closeUnfinished();
    return { path, bytes: file.position, columns, schema };
  } catch (error) {
    await file.discard();
    throw error;
  }
};
