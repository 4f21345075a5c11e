import { digitsOf, isJsonNumber, isList, isRecord, type Json, stringifyJson } from '../json/index.ts';
import { shortened } from '../text/shortened.ts';
import type { ErrorCode } from '../wire/bda-v2.ts';
import type { ApiFailure } from './request.ts';

// Parses JSON errors outside of an API's documented envelope: gateways, proxies and frameworks each have their own. Names are
// compared without case, `_` and `-`.

/** Names of the error text, the most specific first. */
const TEXT_NAMES = ['errordescription', 'errormessage', 'message', 'detail', 'faultstring', 'reason', 'msg'];
/** Names of a summary, printed before the text; frameworks put the status text there. */
const TITLE_NAMES = ['title', 'error'];
const ERROR_NAMES = ['error', 'errors', 'errormessages', 'exception', 'fault'];
/** Names of objects that may contain the error. */
const WRAPPER_NAMES = ['response', 'result', 'data', 'status', 'meta'];
/** Names of lists or maps of problems with single fields. */
const DETAIL_NAMES = [
  'details',
  'errors',
  'detail',
  'violations',
  'invalidparams',
  'fielderrors',
  'problems',
];
const FIELD_NAMES = ['field', 'path', 'param', 'parameter', 'property', 'loc', 'pointer', 'name', 'source'];
const STATUS_NAMES = ['statuscode', 'status', 'code', 'errorcode'];
const FAILED_WORDS = new Set(['error', 'fail', 'failed', 'failure']);

/** The gateway may send the error codes of BDA v2 on behalf of any API. */
const CODE_KINDS: Readonly<Record<ErrorCode, NonNullable<ApiFailure['kind']>>> = {
  unauthorized: 'auth',
  forbidden: 'auth',
  not_found: 'rejected',
  validation_error: 'rejected',
  concurrent_request_limit: 'rate_limited',
  rate_limit_exceeded: 'rate_limited',
  upstream_error: 'unavailable',
  internal_error: 'unavailable',
};

/** Maximum depth to search, and maximum details to print. */
const DEEPEST = 4;
const MOST_ITEMS = 50;

/** The text and details of a JSON error. */
interface ErrorBody {
  /** Empty if no text is found. Neither redacted nor shortened. */
  readonly message: string;
  /** Problems with single fields. */
  readonly details: readonly { readonly field: string; readonly message: string }[];
}

/** Finds the text in a JSON error of any common shape: `{"message"}`, `{"error": …}`, `{"errors": […]}`, problem+json, a string. */
export function readErrorBody(body: Json): ErrorBody {
  return { message: textIn(body, 0) ?? '', details: detailsIn(body, 0) };
}

/** The body as JSON; empty for null and for an empty object or list. */
export function bodyText(body: Json): string {
  const isEmpty = isRecord(body) ? Object.keys(body).length === 0 : isList(body) && body.length === 0;
  return body === null || isEmpty ? '' : stringifyJson(body);
}

/**
 * The error in a body with a success status: a non-empty `error`, a false `success`, or an error status with a text. Undefined if
 * `success` is true, and for any other body. A documented code or a status in the body decides the kind.
 */
export function undocumentedFailure(body: Json): ApiFailure | undefined {
  if (!isRecord(body)) return undefined;
  const success = verdictIn(body);
  if (success === true) return undefined;
  const status = statusIn(body);
  const isFault =
    success === false || hasError(body) || (status !== undefined && textIn(body, 0) !== undefined);
  if (!isFault) return undefined;
  const { message, details } = readErrorBody(body);
  const code = codeIn(body);
  const kind = kindOfCode(code) ?? (status === undefined ? undefined : kindOfStatus(status));
  return {
    message,
    ...(code !== undefined && { code }),
    ...(kind !== undefined && { kind }),
    ...(details.length > 0 && { details }),
  };
}

/** `: TEXT` with the text of the body, to append to a message about what the body lacks; empty without a text. */
export function saidIn(body: Json): string {
  const text = readErrorBody(body).message || bodyText(body);
  return text === '' ? '' : `: ${shortened(text)}`;
}

const loose = (name: string) => name.toLowerCase().replaceAll(/[_\s-]/g, '');

/** The members with these names, in the order of the names. */
function membersCalled(body: Json, names: readonly string[]): Json[] {
  if (!isRecord(body)) return [];
  const members = Object.entries(body).slice(0, MOST_ITEMS);
  return names.flatMap(name =>
    members.flatMap(([key, value]) => (loose(key) === name && value !== undefined ? [value] : [])),
  );
}

function textIn(value: Json, depth: number): string | undefined {
  if (depth > DEEPEST) return undefined;
  if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim();
  if (isList(value)) return joined(value.slice(0, MOST_ITEMS).map(item => textIn(item, depth + 1)));
  if (!isRecord(value)) return undefined;
  const title = titleIn(value);
  const text = firstText(value, TEXT_NAMES, depth);
  const problems = isList(fieldCalled(value, 'errors')) ? unnamedProblems(value, depth) : undefined;
  const own = joined([title, text, problems], ': ');
  return own ?? firstText(value, [...ERROR_NAMES, ...WRAPPER_NAMES], depth);
}

function titleIn(value: Json): string | undefined {
  const title = membersCalled(value, TITLE_NAMES).find(member => typeof member === 'string');
  return title === undefined ? undefined : textIn(title, 0);
}

/** Entries of `errors` without a field are part of the message. */
function unnamedProblems(value: Json, depth: number): string | undefined {
  const [errors] = membersCalled(value, ['errors']);
  if (!isList(errors)) return undefined;
  const unnamed = errors.slice(0, MOST_ITEMS).filter(item => fieldName(item) === undefined);
  return joined(unnamed.map(item => textIn(item, depth + 1)));
}

function fieldCalled(value: Json, name: string): Json | undefined {
  return membersCalled(value, [name])[0];
}

function firstText(value: Json, names: readonly string[], depth: number): string | undefined {
  for (const member of membersCalled(value, names)) {
    const text = textIn(member, depth + 1);
    if (text !== undefined) return text;
  }
  return undefined;
}

function joined(texts: readonly (string | undefined)[], separator = '; '): string | undefined {
  const found = [...new Set(texts.filter(text => text !== undefined))];
  return found.length === 0 ? undefined : found.join(separator);
}

function detailsIn(value: Json, depth: number): { field: string; message: string }[] {
  if (depth > DEEPEST || !isRecord(value)) return [];
  for (const member of membersCalled(value, DETAIL_NAMES)) {
    const found = isList(member) ? listedDetails(member) : isRecord(member) ? keyedDetails(member) : [];
    if (found.length > 0) return found;
  }
  for (const member of membersCalled(value, [...ERROR_NAMES, ...WRAPPER_NAMES])) {
    const found = detailsIn(member, depth + 1);
    if (found.length > 0) return found;
  }
  return [];
}

function listedDetails(list: readonly Json[]): { field: string; message: string }[] {
  return list.slice(0, MOST_ITEMS).flatMap(item => {
    const field = fieldName(item);
    const message = textIn(item, 0);
    return field === undefined || message === undefined ? [] : [{ field, message }];
  });
}

/** `{"limit": ["must be positive"]}`. */
function keyedDetails(record: {
  readonly [key: string]: Json | undefined;
}): { field: string; message: string }[] {
  return Object.entries(record)
    .slice(0, MOST_ITEMS)
    .flatMap(([field, problems]) => {
      const isText =
        typeof problems === 'string' ||
        (isList(problems) && problems.every(item => typeof item === 'string'));
      const message = isText ? textIn(problems ?? null, 0) : undefined;
      return message === undefined ? [] : [{ field, message }];
    });
}

function fieldName(item: Json): string | undefined {
  for (const name of membersCalled(item, FIELD_NAMES)) {
    if (typeof name === 'string' && name !== '') return name;
    if (isList(name) && name.length > 0) return name.map(part => scalar(part)).join('.');
    const inside = fieldName(name);
    if (inside !== undefined) return inside;
  }
  return undefined;
}

function scalar(value: Json): string {
  return isJsonNumber(value) ? digitsOf(value) : typeof value === 'string' ? value : '';
}

/** The success that the body reports: `success`, `ok`, or `status` as a word. */
function verdictIn(body: Json): boolean | undefined {
  for (const value of membersCalled(body, ['success', 'ok', 'succeeded'])) {
    const word = String(value).toLowerCase();
    if (word === 'true' || word === 'false') return word === 'true';
  }
  const isFailed = membersCalled(body, ['status', 'result']).some(
    value => typeof value === 'string' && FAILED_WORDS.has(value.toLowerCase()),
  );
  return isFailed && textIn(body, 0) !== undefined ? false : undefined;
}

function hasError(body: Json): boolean {
  return membersCalled(body, [...ERROR_NAMES, 'errormessage']).some(
    value =>
      value === true ||
      (value !== null && textIn(value, 1) !== undefined) ||
      (isRecord(value) && keyedDetails(value).length > 0 && Object.values(value).every(isList)),
  );
}

/** An HTTP error status in the body. */
function statusIn(body: Json): number | undefined {
  for (const value of [
    ...membersCalled(body, STATUS_NAMES),
    ...membersCalled(fieldCalled(body, 'error') ?? null, STATUS_NAMES),
  ]) {
    const status = Number(scalar(value));
    if (Number.isInteger(status) && status >= 400 && status < 600) return status;
  }
  return undefined;
}

/** A documented error code, in the error object or next to its text. */
function codeIn(body: Json): string | undefined {
  const values = [fieldCalled(body, 'error') ?? null, body].flatMap(where => membersCalled(where, ['code']));
  return values.find(value => typeof value === 'string' && kindOfCode(value) !== undefined) as
    | string
    | undefined;
}

/** The kind of failure that a documented error code means; undefined for any other code. */
export function kindOfCode(code: string | undefined): ApiFailure['kind'] {
  return code !== undefined && Object.hasOwn(CODE_KINDS, code) ? CODE_KINDS[code as ErrorCode] : undefined;
}

/** The kind of failure that a status means; undefined for a rejection, which a body may describe further. */
export function kindOfStatus(status: number): ApiFailure['kind'] {
  if (status === 401 || status === 403) return 'auth';
  if (status === 429) return 'rate_limited';
  return status === 408 || status >= 500 ? 'unavailable' : undefined;
}
