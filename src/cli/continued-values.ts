import { readDatePhrase } from '../analysis/relative-dates.ts';
import { flagName, type Leaf } from '../commands/framework/define-command.ts';
import { shellQuote } from '../text/shell-words.ts';

/** An option with words after its value that belong to it, within a command line. */
interface ContinuedValue {
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** The option and its value as typed. */
  readonly option: readonly [flag: string, value: string];
  /** How many words follow them. */
  readonly count: number;
  /** The option as it takes all of them, quoted for a shell. */
  readonly words: readonly string[];
}

/** What an option takes for a value and the words after it; undefined if they do not belong to it. */
type Form = (value: string, words: readonly string[], flag: string) => readonly string[] | undefined;

const ANY_DAY = '2026-01-01';
/** A column, an operator and a value. */
const CONDITION = /^[\w.]+ *(?:>=?|=|:[a-z_]+:).*\S/;
const EQUALS = ['is', 'equals', 'eq', '=', '==', 'in'];

const FORMS: Readonly<Record<string, Form>> = {
  '--sort': (value, [word = '', ...others], flag) => {
    const [, way] = /^(asc|desc)(?:ending)?$/i.exec(word) ?? [];
    return way === undefined || others.length > 0 ? undefined : [flag, `${value}:${way.toLowerCase()}`];
  },
  '--last': (value, [word = '', ...others], flag) => {
    const [, unit] = /^([dwmy])(?:ay|eek|onth|ear)s?$/i.exec(word) ?? [];
    const isSpan = unit !== undefined && /^\d+$/.test(value) && others.length === 0;
    return isSpan ? [flag, `${value}${unit.toLowerCase()}`] : undefined;
  },
  '--compare': (value, words, flag) => {
    const phrase = [value, ...words].join(' ').toLowerCase();
    if (/^(?:the )?(?:last|previous|prior|same) year$/.test(phrase)) return [flag, 'year'];
    if (/^(?:the )?(?:last|previous|prior) period$/.test(phrase)) return [flag, 'previous'];
    return datePhrase(value, words, flag);
  },
  '--from': datePhrase,
  '--to': datePhrase,
  '--period': datePhrase,
  '--month': datePhrase,
  '--filter': condition,
};

function datePhrase(value: string, words: readonly string[], flag: string): readonly string[] | undefined {
  const phrase = [value, ...words].join(' ');
  return readDatePhrase(phrase, ANY_DAY) === undefined ? undefined : [flag, phrase];
}

/** Another condition is one with a flag of its own; words after a column are its operator and its value. */
function condition(value: string, words: readonly string[], flag: string): readonly string[] | undefined {
  if (CONDITION.test(value))
    return words.every(word => CONDITION.test(word))
      ? [flag, value, ...words.flatMap(word => [flag, word])]
      : undefined;
  if (!/^[a-z_]+$/i.test(value)) return undefined;
  const [sign = '', ...rest] = words;
  const [text, ...others] = EQUALS.includes(sign.toLowerCase()) || /^>=?$/.test(sign) ? rest : words;
  if (text === undefined || others.length > 0) return undefined;
  return [flag, `${value}${sign.startsWith('>') ? sign : '='}${text}`];
}

/** The first value that words without a flag continue; undefined for none. */
export function continuedValue(argv: readonly string[], leaf: Leaf): ContinuedValue | undefined {
  for (const [at, word] of argv.entries()) {
    const [value = '', ...after] = argv.slice(at + 1);
    const option = Object.values(leaf.options).find(({ flags }) => flags.split(/[ ,]+/).includes(word));
    const end = after.findIndex(each => each.startsWith('-'));
    const words = end === -1 ? after : after.slice(0, end);
    const form = option && FORMS[flagName(option.flags)];
    const taken = words.length === 0 ? undefined : form?.(value, words, word);
    if (taken !== undefined)
      return {
        before: argv.slice(0, at),
        after: after.slice(words.length),
        option: [word, value],
        count: words.length,
        words: taken.map(shellQuote),
      };
  }
  return undefined;
}
