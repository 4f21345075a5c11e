import { isRecord, type Json, type JsonRecord } from '../../json/index.ts';

/** Field path, such as `url_options.fragments`, to value. */
export type RequestFields = ReadonlyMap<string, Json>;

/**
 * Replaces some fields of a request. Other fields stay, including unknown ones. New fields are added in the order of `known`, then
 * in the given order.
 */
export function withFields(
  request: JsonRecord,
  fields: RequestFields,
  known: readonly string[] = [],
): JsonRecord {
  const rank = (path: string) => {
    const at = known.indexOf(path.split('.')[0] ?? path);
    return at < 0 ? known.length : at;
  };
  const ordered = [...fields].sort(([a], [b]) => rank(a) - rank(b));
  return ordered.reduce((changed, [path, value]) => withField(changed, path.split('.'), value), request);
}

function withField(record: JsonRecord, [name = '', ...below]: readonly string[], value: Json): JsonRecord {
  if (below.length === 0) return { ...record, [name]: value };
  const inner = record[name];
  return { ...record, [name]: withField(isRecord(inner) ? inner : {}, below, value) };
}
