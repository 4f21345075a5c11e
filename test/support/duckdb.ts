import { DuckDBInstance } from '@duckdb/node-api';

export interface ReadBack {
  /** Type by column, in order. */
  readonly types: Readonly<Record<string, string>>;
  /** Each value as DuckDB writes it as text; null is null. */
  readonly rows: readonly Readonly<Record<string, string | null>>[];
}

/** Reads a Parquet file with an engine that has nothing to do with gatectl. */
export async function readParquet(path: string): Promise<ReadBack> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    const file = `read_parquet('${path.replaceAll("'", "''")}')`;
    const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${file}`);
    const types = described
      .getRowObjectsJson()
      .map(row => [String(row.column_name), String(row.column_type)]);
    const read = await connection.runAndReadAll(`SELECT COLUMNS(*)::VARCHAR FROM ${file}`);
    return {
      types: Object.fromEntries(types),
      rows: read.getRowObjectsJson() as Record<string, string | null>[],
    };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** A decimal's text without zeros that its column's scale adds. */
export function bare(text: string): string {
  return text.includes('.') && !/e/i.test(text) ? text.replace(/\.?0+$/, '') : text;
}
