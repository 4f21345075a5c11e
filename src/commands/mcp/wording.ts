import { isList, isRecord, type Json } from '../../json/index.ts';

/** Commands whose job a tool does. */
const TOOL_OF: readonly (readonly [RegExp, string])[] = [
  [/\bgatectl bda (?:columns|data-sets)\b/g, 'columns'],
  [/\bgatectl bda report list\b/g, 'report without arguments'],
  [/\bgatectl reader EMAIL\b/g, 'reader'],
  [/\bgatectl help ([a-z-]+)\b/g, 'the resource gatectl://help/$1'],
];
const SHORT: Readonly<Record<string, string>> = { d: 'dimension', m: 'metric' };
const OPTION = /(?<![\w-])--([a-z][a-z-]*)/;

/**
 * A message, note or hint in the words of a tool, whose operations are shared with the command line: `--data-set` is the argument
 * `data_set`, and a part that advises an option which the tool lacks is omitted. Empty if nothing is left.
 */
export function inToolWords(text: string, names: ReadonlySet<string>): string {
  const renamed = TOOL_OF.reduce((words, [command, tool]) => words.replaceAll(command, tool), text)
    .replaceAll(/(?<![\w-])-([dm])(?= [\w.])/g, (flag, letter: string) => argument(SHORT[letter], flag))
    .replaceAll(new RegExp(OPTION, 'g'), (flag, name: string) => argument(name.replaceAll('-', '_'), flag))
    .replace(/^type /, 'pass ');
  return renamed
    .split('; ')
    .flatMap(part => (part.includes('gatectl ') ? [forUser(part)] : OPTION.test(part) ? [] : [part]))
    .join('; ');

  function argument(name = '', flag: string): string {
    return names.has(name) ? name : flag;
  }
}

/** A command is for the user to run. */
function forUser(part: string): string {
  return part.startsWith('for the user: ') ? part : `for the user: ${part}`;
}

/** An error as data, in the words of a tool, without what says nothing. */
export function errorInToolWords(error: Json, names: ReadonlySet<string>): Json {
  if (!isRecord(error)) return error;
  const { exit: _, message, hints, details, ...rest } = error;
  const text = String(message);
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null)),
    message: inToolWords(text, names) || text.replaceAll(new RegExp(OPTION, 'g'), '$1'),
    ...(isList(hints) &&
      listed(
        'hints',
        hints.map(hint => inToolWords(String(hint), names)),
      )),
    ...(isList(details) &&
      listed(
        'details',
        details.map(detail => inDetail(detail, names)),
      )),
  };
}

function inDetail(detail: Json, names: ReadonlySet<string>): Json {
  if (!isRecord(detail)) return detail;
  return Object.fromEntries(
    Object.entries(detail).map(([key, text]) => [key, inToolWords(String(text), names)]),
  );
}

function listed(name: string, items: readonly Json[]): { readonly [name: string]: Json } {
  const present = items.filter(item => item !== '');
  return present.length === 0 ? {} : { [name]: present };
}
