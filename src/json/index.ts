/** Reads and writes JSON without losing digits of numbers. Nothing else in gatectl parses a response. */
export {
  countValues,
  InvalidJsonError,
  type InvalidJsonReason,
  jsonIn,
  MAX_DEPTH,
  MAX_VALUES,
  parseJson,
  type TextPosition,
  tryParseJson,
} from './parse.ts';
export { placeOf } from './places.ts';
export {
  digitsOf,
  fieldOf,
  integerOf,
  isJsonNumber,
  isList,
  isNumberText,
  isRecord,
  type Json,
  type JsonNumber,
  type JsonRecord,
  jsonNumber,
  stringifyJson,
  textOf,
  withDoubles,
} from './value.ts';
