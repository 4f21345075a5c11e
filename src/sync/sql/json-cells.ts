import type { DuckDBType, DuckDBValue } from '@duckdb/node-api';

type Library = typeof import('@duckdb/node-api');
type CellWriter = (value: DuckDBValue) => string;

/** Types whose values are numbers, by the name of their id. */
const NUMBERS = [
  ...['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT', 'UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT'],
  ...['UHUGEINT', 'BIGNUM', 'FLOAT', 'DOUBLE', 'DECIMAL'],
];

/** Whether the values of a type are numbers. */
export function isNumeric(type: DuckDBType, { DuckDBTypeId }: Library): boolean {
  return NUMBERS.includes(DuckDBTypeId[type.typeId] ?? '');
}

/**
 * How values of a type become JSON: integers and decimals with all digits, lists as arrays, structs and maps as objects, JSON as it
 * is, everything else as the text that DuckDB prints. A double that is not finite is text.
 */
export function cellWriter(type: DuckDBType, library: Library): CellWriter {
  const write = presentWriter(type, library);
  return value => (value === null || value === undefined ? 'null' : write(value));
}

function presentWriter(type: DuckDBType, library: Library): CellWriter {
  const { DuckDBTypeId: Id } = library;
  const text = (value: DuckDBValue) => JSON.stringify(String(value));
  switch (type.typeId) {
    case Id.BOOLEAN:
      return String;
    case Id.FLOAT:
      return value => finite(Number(value), floatDigits(Number(value)));
    case Id.DOUBLE:
      return value => finite(Number(value), String(value));
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
      const write = cellWriter((type as InstanceType<Library['DuckDBMapType']>).valueType, library);
      return value => {
        const { entries } = value as { entries: { key: DuckDBValue; value: DuckDBValue }[] };
        return `{${entries.map(entry => `${text(entry.key)}:${write(entry.value)}`).join(',')}}`;
      };
    }
    default:
      return isNumeric(type, library) ? String : text;
  }
}

function finite(number: number, digits: string): string {
  return Number.isFinite(number) ? digits : JSON.stringify(digits);
}

/** The fewest digits that are the same float of 32 bits. */
function floatDigits(float: number): string {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(float.toPrecision(digits));
    if (Math.fround(short) === float) return String(short);
  }
  return String(Number(float.toPrecision(9)));
}
