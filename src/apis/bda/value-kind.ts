/** The type of a filter value. */
export type ValueKind = 'number' | 'boolean' | 'text';

const NUMBER_TYPE =
  /^(number|numeric|int(eger)?(8|16|32|64)?|u?int(8|16|32|64)?|long|bigint|float(32|64)?|double|real|decimal|currency|money|percent(age)?|ratio|metric)\b/i;
const BOOLEAN_TYPE = /^bool(ean)?$/i;

/** The value kind of a listed column type. */
export function valueKindOfType(type: string): ValueKind {
  if (NUMBER_TYPE.test(type)) return 'number';
  return BOOLEAN_TYPE.test(type) ? 'boolean' : 'text';
}
