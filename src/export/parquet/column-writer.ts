import type { ColumnChunk, PageHeader, SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import type { RowVisit } from '../transcode/row-reader.ts';
import { utf8Bytes } from '../transcode/utf8.ts';
import { type CellValue, cellReader } from './cells.ts';
import type { ColumnKernel, ColumnValue, Page } from './column-kernel.ts';
import { type ColumnType, fitsLong, schemaOf } from './column-type.ts';

/** Enough for a file of a few hundred rows, as syncs write them by the thousand. */
const FIRST_CAPACITY = 64 * 1024;

/** Writes rows as Parquet with the kernel: groups of up to 65,536 rows, text with few distinct values by a dictionary. */
export class ColumnWriter {
  readonly #kernel: ColumnKernel;
  readonly #names: readonly string[];
  readonly #types: readonly ColumnType[];
  readonly #elements: readonly SchemaElement[];
  readonly #readers: readonly ReturnType<typeof cellReader>[];
  readonly #parquet: ParquetWriter;
  readonly #out = new ByteWriter(FIRST_CAPACITY);
  #rows = 0;

  constructor(
    kernel: ColumnKernel,
    columns: readonly { readonly name: string; readonly type: ColumnType }[],
    createdBy: string,
  ) {
    this.#kernel = kernel;
    this.#names = columns.map(({ name }) => name);
    this.#types = columns.map(({ type }) => type);
    this.#readers = this.#types.map(cellReader);
    const schema = schemaOf(columns);
    this.#elements = schema.slice(1);
    this.#parquet = new ParquetWriter({ writer: this.#out, schema, createdBy });
    kernel.beginColumns(this.#types);
  }

  /** Whether columns of these types are supported: not decimals and doubles of more than 64 bits. */
  static takes(types: readonly ColumnType[], kernel: ColumnKernel): boolean {
    return types.length <= kernel.maxColumns && types.every(fitsLong);
  }

  /** Number of rows in complete groups. */
  get rows(): number {
    return this.#rows;
  }

  /** Adds rows of known shapes from a position in the kernel's text on. Returns the end of the last one, or -1. */
  take(at: number): number {
    if (this.#kernel.isGroupFull) this.#endGroup();
    return this.#kernel.takeIntoColumns(at);
  }

  /** Adds any other row. */
  readonly put: RowVisit = (row, { fieldOf }) => {
    if (this.#kernel.isGroupFull) this.#endGroup();
    const values = this.#readers.map((read, column) => {
      const field = fieldOf[column] as number;
      if (field < 0) return null;
      return columnValue(read(row.text, row.valueFrom[field] as number, row.valueTo[field] as number));
    });
    this.#kernel.putRow(values);
  };

  /** Writes what was encoded since the last call; no row may be added meanwhile. */
  async pass(write: (bytes: Uint8Array) => Promise<void>): Promise<void> {
    if (this.#out.index === 0) return;
    await write(this.#out.getBytes());
    this.#out.index = 0;
  }

  /** Ends the file; `types` may have more digits than the types that the columns were made with. */
  end(types = this.#types): void {
    this.#endGroup();
    this.#parquet.schema = schemaOf(
      this.#names.map((name, index) => ({ name, type: types[index] as ColumnType })),
    );
    this.#parquet.finish();
  }

  #endGroup(): void {
    const rows = this.#kernel.rows;
    if (rows === 0) return;
    const start = this.#out.offset;
    const columns = this.#elements.map((element, column) => this.#chunk(element, column, rows));
    const uncompressed = columns.map(({ meta_data }) => meta_data?.total_uncompressed_size ?? 0n);
    this.#parquet.row_groups.push({
      columns,
      total_byte_size: uncompressed.reduce((sum, size) => sum + size, 0n),
      num_rows: BigInt(rows),
      total_compressed_size: BigInt(this.#out.offset - start),
    });
    this.#parquet.num_rows += BigInt(rows);
    this.#rows += rows;
    this.#kernel.beginGroup();
  }

  #chunk(element: SchemaElement, column: number, rows: number): ColumnChunk {
    const kernel = this.#kernel;
    const out = this.#out;
    const start = out.offset;
    let uncompressed = 0;
    let nulls = 0;
    const distinct = kernel.beginColumn(column);
    if (distinct > 0) {
      const page = kernel.dictionaryPage(column);
      uncompressed += this.#page(page, {
        type: 'DICTIONARY_PAGE',
        ...sizes(page),
        dictionary_page_header: { num_values: distinct, encoding: 'PLAIN' },
      });
    }
    const firstPage = out.offset;
    const encoding = distinct > 0 ? 'RLE_DICTIONARY' : 'PLAIN';
    for (let from = 0; from < rows; ) {
      const [page, next] = kernel.page(column, from);
      uncompressed += this.#page(page, {
        type: 'DATA_PAGE_V2',
        ...sizes(page),
        data_page_header_v2: {
          num_values: next - from,
          num_nulls: page.nulls,
          num_rows: next - from,
          encoding,
          definition_levels_byte_length: page.levels.length,
          repetition_levels_byte_length: 0,
          is_compressed: true,
        },
      });
      nulls += page.nulls;
      from = next;
    }
    return {
      file_offset: BigInt(start),
      meta_data: {
        type: element.type as NonNullable<SchemaElement['type']>,
        encodings: distinct > 0 ? ['PLAIN', 'RLE_DICTIONARY'] : ['PLAIN'],
        path_in_schema: [element.name],
        codec: 'SNAPPY',
        num_values: BigInt(rows),
        total_compressed_size: BigInt(out.offset - start),
        total_uncompressed_size: BigInt(uncompressed),
        data_page_offset: BigInt(firstPage),
        ...(distinct > 0 && { dictionary_page_offset: BigInt(start) }),
        statistics: { null_count: BigInt(nulls), ...(nulls < rows && this.#bounds(column)) },
      },
    };
  }

  /** Writes a page; returns its uncompressed length. */
  #page({ levels, packed, length }: Page, header: PageHeader): number {
    const start = this.#out.offset;
    writePageHeader(this.#out, header);
    const headerLength = this.#out.offset - start;
    this.#out.appendBytes(levels);
    this.#out.appendBytes(packed);
    return headerLength + levels.length + length;
  }

  #bounds(column: number) {
    const type = this.#types[column] as ColumnType;
    const [min_value, max_value] = this.#kernel
      .bounds(type.kind === 'text')
      .map(bound => statistic(bound, type));
    return { min_value, max_value };
  }
}

function sizes({ levels, packed, length }: Page) {
  return {
    uncompressed_page_size: levels.length + length,
    compressed_page_size: levels.length + packed.length,
  };
}

/** A bound in the form that the library expects. */
function statistic(bound: ColumnValue, { kind }: ColumnType) {
  if (kind === 'day') return Number(bound);
  if (kind === 'flag') return bound === 1n;
  return bound ?? undefined;
}

function columnValue(value: CellValue): ColumnValue {
  switch (typeof value) {
    case 'string': {
      const { buffer, byteOffset, byteLength } = utf8Bytes(value);
      return new Uint8Array(buffer, byteOffset, byteLength);
    }
    case 'boolean':
      return value ? 1n : 0n;
    case 'number':
      return BigInt(value);
    default:
      return value;
  }
}
