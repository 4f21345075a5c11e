import type { RowStream } from '../http/gateway.ts';
import { isList, isRecord, type Json, parseJson, stringifyJson } from '../json/index.ts';
import { rejectOthers } from './page-run.ts';
import type { RowSource } from './row-source.ts';
import { RowTranscoder } from './transcode/transcoder.ts';

/** A field to add to each row. */
interface AddedField {
  readonly name: string;
  readonly value: string;
  /** The error for rows that have a field of this name already. */
  readonly taken: () => Error;
}

/**
 * The rows of a source with a field before their own, so that its column is the first. Numbers keep their digits. Reading a page
 * throws `taken` if the first row has such a field.
 */
export function withField(source: RowSource, field: AddedField): RowSource {
  const { columns } = source;
  return {
    ...source,
    columns: columns.length === 0 ? [] : [field.name, ...columns],
    async open(page, ahead) {
      const response = await source.open(page, ahead);
      return { ...response, body: bodyWithField(response, source, field) };
    },
  };
}

/** The response again, with the field in each row. A response without rows does not change. */
async function* bodyWithField(
  response: RowStream,
  { columns, rowsName }: RowSource,
  field: AddedField,
): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const transcoder = new RowTranscoder({
    format: 'ndjson',
    columns,
    ...(rowsName !== undefined && { rowsName }),
    sink: chunk => chunks.push(chunk),
  });
  const rows = new RowsWithField(rowsName ?? 'rows', field);
  let isFirst = true;
  for await (const chunk of response.body) {
    if (isFirst) rejectOthers(chunk, response);
    isFirst = false;
    transcoder.write(chunk);
    transcoder.flush();
    for (const lines of chunks.splice(0)) yield rows.convert(lines);
  }
  const end = transcoder.endPage();
  for (const lines of chunks.splice(0)) yield rows.convert(lines);
  yield end.found ? rows.end(end.metadata) : Buffer.from(end.body);
}

/** Writes rows as the array of a response. Text is latin1, one character per byte, because only ASCII is compared. */
class RowsWithField {
  readonly #field: AddedField;
  readonly #rowsName: string;
  readonly #member: string;
  #isFirst = true;

  constructor(rowsName: string, field: AddedField) {
    this.#field = field;
    this.#rowsName = rowsName;
    this.#member = bytesOf(`${JSON.stringify(field.name)}:${JSON.stringify(field.value)}`);
  }

  /** Converts whole lines of ndjson. */
  convert(lines: Uint8Array): Uint8Array {
    const rows = Buffer.from(lines).toString('latin1').split('\n');
    rows.pop();
    if (this.#isFirst) this.#refuseTaken(rows[0] ?? '');
    const before = this.#isFirst ? this.#open() : ',';
    this.#isFirst = false;
    return Buffer.from(before + rows.map(row => this.#withMember(row)).join(','), 'latin1');
  }

  /** Ends the response with its other members. */
  end(metadata: ReadonlyMap<string, string>): Uint8Array {
    const others = [...metadata].filter(([name]) => name !== this.#rowsName);
    const members = others.map(([name, text]) => `,${JSON.stringify(name)}:${text}`);
    const before = this.#isFirst ? this.#open() : '';
    return Buffer.from(`${before}]${bytesOf(members.join(''))}}`, 'latin1');
  }

  #open(): string {
    return bytesOf(`{${JSON.stringify(this.#rowsName)}:[`);
  }

  #withMember(row: string): string {
    if (row === '{}') return `{${this.#member}}`;
    if (row.startsWith('{')) return `{${this.#member},${row.slice(1)}`;
    return this.#withMember(bytesOf(stringifyJson(namedByPosition(parsed(row)))));
  }

  #refuseTaken(row: string): void {
    const first = parsed(row);
    if (isRecord(first) && Object.hasOwn(first, this.#field.name)) throw this.#field.taken();
  }
}

function namedByPosition(row: Json): Json {
  const values = isList(row) ? row : [row];
  return Object.fromEntries(values.map((value, index) => [String(index + 1), value]));
}

function parsed(row: string): Json {
  return parseJson(Buffer.from(row, 'latin1').toString());
}

function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}
