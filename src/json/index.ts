/** JSON read and written without losing a digit. Nothing else in gatectl parses an answer. */
export { BrokenJson, type BrokenReason, type TextPlace } from './broken.ts';
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
