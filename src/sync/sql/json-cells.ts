import type { DuckDBType, DuckDBUnionValue, DuckDBValue } from '@duckdb/node-api';

type Library = typeof import('@duckdb/node-api');
type CellWriter = (value: DuckDBValue) => string;

/** Types whose values are numbers, by the name of their id. */
const NUMBERS = [
  ...['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT', 'UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT'],
  ...['UHUGEINT', 'BIGNUM', 'FLOAT', 'DOUBLE', 'DECIMAL'],
];

/** Types whose values may be infinite, and which the library prints as the last moment that fits, by the name of their id. */
const MOMENTS = ['DATE', 'TIMESTAMP', 'TIMESTAMP_S', 'TIMESTAMP_MS', 'TIMESTAMP_NS', 'TIMESTAMP_TZ'];

/** Whether the values of a type are numbers. */
export function isNumeric(type: DuckDBType, { DuckDBTypeId }: Library): boolean {
  return NUMBERS.includes(DuckDBTypeId[type.typeId] ?? '');
}

/**
 * How values of a type become JSON: integers and decimals with all digits, lists as arrays, structs and maps as objects, JSON as it
 * is, everything else as the text that DuckDB prints. A double that is not finite is text, too: `inf`, `-inf` or `nan`.
 */
export function cellWriter(type: DuckDBType, library: Library): CellWriter {
  const write = presentWriter(type, library);
  return value => (value === null || value === undefined ? 'null' : write(value));
}

function presentWriter(type: DuckDBType, library: Library): CellWriter {
  const { DuckDBTypeId: Id } = library;
  switch (type.typeId) {
    case Id.BOOLEAN:
      return String;
    case Id.FLOAT:
    case Id.DOUBLE: {
      const digits = textWriter(type, library);
      return value => (Number.isFinite(value) ? digits(value) : JSON.stringify(digits(value)));
    }
    case Id.VARCHAR:
      return type.alias === 'JSON' ? String : value => JSON.stringify(value);
    case Id.LIST:
    case Id.ARRAY: {
      const write = cellWriter((type as InstanceType<Library['DuckDBListType']>).valueType, library);
      return value => `[${(value as { items: DuckDBValue[] }).items.map(write).join(',')}]`;
    }
    case Id.STRUCT: {
      const { entryNames, entryTypes } = type as InstanceType<Library['DuckDBStructType']>;
      const writers = entryTypes.map(each => cellWriter(each, library));
      return value => {
        const { entries } = value as { entries: Record<string, DuckDBValue> };
        const members = entryNames.map(
          (name, index) => `${JSON.stringify(name)}:${writers[index]?.(entries[name] ?? null)}`,
        );
        return `{${members.join(',')}}`;
      };
    }
    case Id.MAP: {
      const { keyType, valueType } = type as InstanceType<Library['DuckDBMapType']>;
      const name = textWriter(keyType, library);
      const write = cellWriter(valueType, library);
      return value => {
        const { entries } = value as { entries: { key: DuckDBValue; value: DuckDBValue }[] };
        return `{${entries.map(entry => `${JSON.stringify(name(entry.key))}:${write(entry.value)}`).join(',')}}`;
      };
    }
    case Id.UNION: {
      const { memberTags, memberTypes } = type as InstanceType<Library['DuckDBUnionType']>;
      const writers = new Map(
        memberTags.map((tag, index) => [tag, textWriter(memberTypes[index] as DuckDBType, library)]),
      );
      return value => {
        const { tag, value: member } = value as DuckDBUnionValue;
        return JSON.stringify(member === null ? 'NULL' : (writers.get(tag) ?? String)(member));
      };
    }
    default: {
      const text = textWriter(type, library);
      return isNumeric(type, library) ? text : value => JSON.stringify(text(value));
    }
  }
}

/** How values of a type become the text that DuckDB prints. */
function textWriter(type: DuckDBType, { DuckDBTypeId: Id }: Library): CellWriter {
  if (type.typeId === Id.FLOAT) return value => doubleText(Number(value), floatDigits);
  if (type.typeId === Id.DOUBLE) return value => doubleText(Number(value), String);
  return MOMENTS.includes(Id[type.typeId] ?? '') ? momentText : String;
}

function doubleText(double: number, digits: (finite: number) => string): string {
  if (Number.isNaN(double)) return 'nan';
  return Number.isFinite(double) ? digits(double) : infinityText(double, 'inf');
}

function momentText(value: DuckDBValue): string {
  const [count] = Object.values(value as object) as [number | bigint];
  return (value as { isFinite: boolean }).isFinite ? String(value) : infinityText(count, 'infinity');
}

function infinityText(value: number | bigint, word: string): string {
  return `${value < 0 ? '-' : ''}${word}`;
}

/** The fewest digits that are the same float of 32 bits. */
function floatDigits(float: number): string {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(float.toPrecision(digits));
    if (Math.fround(short) === float) return String(short);
  }
  return String(Number(float.toPrecision(9)));
}
