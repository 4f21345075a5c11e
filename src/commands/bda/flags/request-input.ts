import { type Declaration, unknownMembers } from '../../../documents/declaration.ts';
import { FileError, type UsageError } from '../../../errors/index.ts';
import { invalidInput, invalidValue } from '../../../errors/usage.ts';
import { isRecord, type JsonRecord, jsonIn, placeOf } from '../../../json/index.ts';
import { isDocumentedColumn, presentationOf } from '../../../output/presentation/index.ts';
import { shellQuote } from '../../../text/shell-words.ts';
import type { Context } from '../../framework/context.ts';
import { list } from '../../framework/define-command.ts';
import { inputName, readInput } from '../../framework/json-input.ts';
import { throwProblems } from './origins.ts';

/** `--allow-unknown`, for documents that a user writes. */
export const ALLOW_UNKNOWN = list(
  '--allow-unknown <name>',
  'send a member of this name that the API does not document; repeatable',
);

/** What a request must be. */
interface RequestRules {
  readonly declaration: Declaration;
  /** Undeclared members that are sent. */
  readonly allowUnknown: readonly string[];
}

/**
 * Reads a request as JSON from a file or from stdin (`-`); an empty one without a file. Throws UsageError, also for members that
 * `rules` do not declare, or FileError.
 */
export async function requestFrom(
  file: string | undefined,
  context: Context,
  what = 'query',
  rules?: RequestRules,
): Promise<JsonRecord> {
  if (file === undefined) return {};
  const name = inputName(file);
  const text = await readInput(file, context);
  const body = jsonIn(text, name);
  if (isRecord(body)) {
    if (rules !== undefined) assertDeclared(body, rules, { text, name, what });
    return body;
  }
  throw invalidInput(`no ${what} in ${name}`, `a ${what} is a JSON object: {…}`);
}

/** Throws UsageError for members that a document does not declare, with their places: the API ignores them in silence. */
function assertDeclared(
  body: JsonRecord,
  { declaration, allowUnknown }: RequestRules,
  { text, name, what }: { readonly text: string; readonly name: string; readonly what: string },
): void {
  const unknown = unknownMembers(body, declaration, allowUnknown);
  const places = unknown.map(({ path }) => {
    const { line, column } = placeOf(text, path);
    return [path.join('.'), `${name}:${line}:${column}`] as const;
  });
  const flags = [...new Set(unknown.map(member => `--allow-unknown ${shellQuote(member.name)}`))];
  throwProblems(unknown, new Map(places), undefined, what, [
    `correct or remove ${unknown.length === 1 ? 'it' : 'them'}; to send ${unknown.length === 1 ? 'it' : 'them'} anyway, add ${flags.join(' ')}`,
  ]);
}

/**
 * A data set without its flag, and a second name after -d without a comma, look like the name of a file; undefined for any other
 * error.
 */
export function misplacedName(
  file: string | undefined,
  {
    columns,
    hasDataSet,
    isSaved,
  }: {
    readonly columns: readonly string[];
    readonly hasDataSet: boolean;
    /** Whether a saved query has this name. */
    readonly isSaved: (name: string) => boolean;
  },
  error: unknown,
): UsageError | undefined {
  if (file !== undefined && error instanceof FileError && isSaved(file))
    return invalidValue(error.message, `to run the saved query, type gatectl bda query run ${file}`);
  const isWord = file !== undefined && /^\w+$/.test(file);
  if (!isWord || !(error instanceof FileError)) return undefined;
  const isMetric = isDocumentedColumn(file) && presentationOf(file).figure !== undefined;
  const flag = isDocumentedColumn(file) && !isMetric ? '-d' : '-m';
  const names = columns.length === 0 ? `${flag} ${file}` : `a,${file}`;
  const hints = [
    ...(hasDataSet ? [] : [`if ${file} is a data set, type --data-set ${file}`]),
    columns.length === 0
      ? `if ${file} is a ${flag === '-d' ? 'dimension' : 'metric'}, type ${names}`
      : `if ${file} is a column, separate it with a comma: ${names}`,
  ];
  return invalidValue(error.message, ...hints);
}
