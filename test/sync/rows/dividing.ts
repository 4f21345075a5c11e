import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Position, RowTranscoder } from '../../../src/export/transcode/transcoder.ts';
import { NO_SCHEMA, type TableSchema, widen } from '../../../src/sync/column-types.ts';
import type { SyncTable } from '../../../src/sync/config.ts';
import { columnsOfRows } from '../../../src/sync/config.ts';
import { encodeLines } from '../../../src/sync/encode/lines.ts';
import type { PartitionRows } from '../../../src/sync/rows/partition-rows.ts';
import { RowDivider } from '../../../src/sync/rows/row-divider.ts';
import type { RowForm } from '../../../src/sync/rows/row-writer.ts';
import { temporaryFolder } from '../../support/folder.ts';

const DOMAIN = { id: 7, name: 'site-7.example.com' };
export const DAY = '2026-03-14';

export interface Dividing {
  readonly form: RowForm;
  readonly table: SyncTable;
  readonly schema?: TableSchema;
  readonly rejectsNul?: boolean;
  readonly omitsSite?: boolean;
}

/** A page as the chunks of a response, which is rolled back after its last chunk if it breaks off. */
export interface TestPage {
  readonly chunks: readonly string[];
  readonly breaksOff?: boolean;
  /** The rows that are taken of it, if not all. */
  readonly most?: number;
}

/** Divides pages of rows, as an export reads them. Throws the problem of a partition. */
export async function divide(
  pages: readonly TestPage[],
  { form, table, schema = NO_SCHEMA, rejectsNul = false, omitsSite = false }: Dividing,
): Promise<ReadonlyMap<string, PartitionRows>> {
  const folder = join(temporaryFolder(), 'unit');
  mkdirSync(folder);
  const divider = new RowDivider({
    form,
    folder,
    table,
    domain: DOMAIN,
    days: { from: '2026-01-01', to: '2026-12-31' },
    kinds: new Map(schema.columns.map(({ name, kind }) => [name, kind])),
    target: 'warehouse',
    rejectsNul,
    omitsSite,
  });
  try {
    const transcoder = (resume?: Position) =>
      new RowTranscoder({
        format: 'json',
        columns: columnsOfRows(table),
        sink: () => {},
        receiver: divider,
        ...(resume && { resume }),
      });
    let reader = transcoder();
    let complete = reader.position;
    for (const { chunks, breaksOff = false, most = Number.POSITIVE_INFINITY } of pages) {
      reader.limitRows(most);
      for (const chunk of chunks) {
        reader.write(Buffer.from(chunk));
        await divider.drain();
      }
      if (breaksOff) {
        await divider.rollback();
        reader = transcoder(complete);
      } else {
        reader.endPage();
        await divider.endPage();
        complete = reader.position;
      }
    }
    const parts = await divider.finish();
    for (const { problem } of parts.values()) if (problem !== undefined) throw problem;
    return parts;
  } finally {
    await divider.close();
  }
}

export interface Encoding extends Omit<Dividing, 'form'> {
  readonly calendar?: readonly [first: string, last: string];
  readonly keepsAllDigits?: boolean;
}

/** Rows of one day, given as the text of their other members, as TSV without the columns of the site and of the day. */
export async function tsvOf(
  rows: readonly string[],
  { table, schema = NO_SCHEMA, rejectsNul = false, calendar, keepsAllDigits = false }: Encoding,
): Promise<string> {
  const text = rows.map(row => `{"report_day":"${DAY}"${row === '' ? '' : `,${row}`}}`);
  const parts = await divide([{ chunks: [`[${text.join(',')}]`] }], {
    form: 'tsv',
    table,
    schema,
    rejectsNul,
  });
  const [part] = parts.values();
  if (part === undefined) return '';
  const { path } = await encodeLines({
    destination: { name: 'warehouse', calendar, keepsAllDigits },
    table,
    domain: DOMAIN,
    rows: part,
    earlier: [],
    pin: async found => widen(schema, found, table).schema,
    signal: new AbortController().signal,
  });
  return readFileSync(path, 'utf8').replaceAll(new RegExp(`^7\t${DOMAIN.name}\t${DAY}\t`, 'gm'), '');
}

/** The cells of a TSV text, as the manual of PostgreSQL describes COPY's text format. */
export function decodedTsv(tsv: string): (string | null)[][] {
  const escapes: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\' };
  if (tsv !== '' && !tsv.endsWith('\n')) throw new Error('the last line has no end');
  return tsv
    .split('\n')
    .slice(0, -1)
    .map(line =>
      line
        .split('\t')
        .map(cell =>
          cell === '\\N' ? null : cell.replace(/\\(.)/gs, (_, letter) => escapes[letter] ?? '?'),
        ),
    );
}

/** The cells of a CSV text by RFC 4180; an empty cell without quotes is null. */
export function decodedCsv(csv: string): (string | null)[][] {
  const rows: (string | null)[][] = [];
  let cells: (string | null)[] = [];
  for (let at = 0; at < csv.length; ) {
    if (csv[at] === '"') {
      let text = '';
      for (at += 1; csv[at] !== '"' || csv[at + 1] === '"'; at += 1) {
        if (at >= csv.length) throw new Error('a quoted cell has no end');
        if (csv[at] === '"') at += 1;
        text += csv[at];
      }
      at += 1;
      cells.push(text);
    } else {
      const end = at + csv.slice(at).search(/[,\n]/);
      cells.push(end === at ? null : csv.slice(at, end));
      at = end;
    }
    if (csv[at] === '\n') {
      rows.push(cells);
      cells = [];
    } else if (csv[at] !== ',') throw new Error(`${csv[at]} after a cell`);
    at += 1;
    if (csv[at - 1] === ',' && csv[at] === '\n') {
      cells.push(null);
      rows.push(cells);
      cells = [];
      at += 1;
    }
  }
  return rows;
}
