/** Reads and writes JSON without losing digits of numbers. Nothing else in gatectl parses a response. */
export { InvalidJsonError, type InvalidJsonReason, type TextPosition } from './invalid-json.ts';
export { countValues, MAX_DEPTH, MAX_VALUES, parseJson } from './parse.ts';
export { stringifyJson, textOf } from './stringify.ts';
export {
  digitsOf,
  fieldOf,
  integerOf,
  isJsonNumber,
  isList,
  isRecord,
  type Json,
  type JsonNumber,
  type JsonRecord,
  jsonNumber,
} from './value.ts';
