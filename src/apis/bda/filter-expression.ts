import { convertedByGitBash, PATH_CONVERSION_HINT } from '../../files/git-bash.ts';

/**
 * A filter as it is typed: `visits>=3`, `country=DE,AT`, `page_url:contains:"a,b"`. Unquoted values are trimmed; within double
 * quotes stands any text, `\"` and `\\` for a quote and a backslash.
 */
export interface FilterExpression {
  readonly column: string;
  /** The API's word: `>` is `greater_than`, `>=` is `greater_than_or_equal`, `=` is `in`, others are typed as they are. */
  readonly operator: string;
  readonly values: readonly ExpressionValue[];
}

export interface ExpressionValue {
  readonly text: string;
  /** Quoted values are texts whatever they look like. */
  readonly quoted: boolean;
}

/** The text is no filter expression. The message is half a sentence, the hint says what to type instead. */
export class FilterSyntax extends Error {
  override readonly name = 'FilterSyntax';
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

const SIGNS = { '>=': 'greater_than_or_equal', '>': 'greater_than', '=': 'in' } as const;
const HEAD = /^\s*([^\s:=<>!,"]+)\s*(>=|>|==|=|<=|<|!=|:)/;
const WORD = /^\s*([A-Za-z][\w-]*)\s*:/;
const FORMS = "such as 'visits>=3', 'country=DE,AT' or 'page_url:contains:news'";
/** Operators that take one value. */
const SINGLE = new Set<string>([SIGNS['>'], SIGNS['>=']]);

/** Throws FilterSyntax. */
export function parseFilter(text: string): FilterExpression {
  const head = HEAD.exec(text);
  const column = head?.[1];
  const sign = head?.[2];
  if (head === null || column === undefined || sign === undefined)
    throw new FilterSyntax('is not a filter', `type a column, an operator and a value, ${FORMS}`);
  let rest = text.slice(head[0].length);
  let operator: string;
  if (sign === ':') {
    const word = WORD.exec(rest);
    if (word?.[1] === undefined)
      throw new FilterSyntax('lacks an operator word', `type ${column}:operator:value`);
    operator = word[1];
    rest = rest.slice(word[0].length);
  } else if (sign in SIGNS) {
    operator = SIGNS[sign as keyof typeof SIGNS];
  } else {
    throw new FilterSyntax(
      `uses ${sign}, which the API has no known word for`,
      insteadOf(sign, column, rest),
    );
  }
  const values = readValues(rest, column);
  if (SINGLE.has(operator) && values.length > 1)
    throw new FilterSyntax('compares with several values', 'give one value, or quote one that holds a comma');
  return { column, operator, values };
}

/** The expression that `parseFilter` reads as the same filter. */
export function printFilter({ column, operator, values }: FilterExpression): string {
  const sign = Object.entries(SIGNS).find(([, word]) => word === operator)?.[0] ?? `:${operator}:`;
  const list = values.map(printValue).join(',');
  return `${column}${sign}${list.startsWith('=') ? ' ' : ''}${list}`;
}

function printValue({ text, quoted }: ExpressionValue): string {
  const plain = !quoted && text !== '' && text.trim() === text && !/^"|,/.test(text);
  return plain ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function insteadOf(sign: string, column: string, rest: string): string {
  const value = rest.trim();
  if (sign === '==') return `type ${column}=${value}`;
  const guess = { '<': 'less_than', '<=': 'less_than_or_equal', '!=': 'not_equals' }[sign];
  return `if your gateway has one, type it as a word: '${column}:${guess}:${value}'`;
}

function readValues(text: string, column: string): ExpressionValue[] {
  const values: ExpressionValue[] = [];
  for (let at = 0; at <= text.length; ) {
    const { value, end } = readValue(text, at, column);
    values.push(value);
    at = end + 1;
  }
  return values;
}

/** One value and the index of the comma after it, or of the text's end. */
function readValue(text: string, from: number, column: string): { value: ExpressionValue; end: number } {
  const quote = /^\s*"((?:[^"\\]|\\[\s\S])*)(")?\s*/.exec(text.slice(from));
  if (quote === null) {
    const comma = text.indexOf(',', from);
    const end = comma === -1 ? text.length : comma;
    const bare = text.slice(from, end).trim();
    if (bare === '')
      throw new FilterSyntax('has an empty value', `type ${column}="" to ask for the empty text`);
    const typed = convertedByGitBash(bare)?.typed;
    if (typed !== undefined)
      throw new FilterSyntax(`asks for a path that Git Bash made of ${typed}`, PATH_CONVERSION_HINT);
    return { value: { text: bare, quoted: false }, end };
  }
  const end = from + quote[0].length;
  if (quote[2] === undefined)
    throw new FilterSyntax('has a quote that is not closed', 'end the value with "');
  if (end < text.length && text[end] !== ',')
    throw new FilterSyntax('goes on after a closing quote', 'write a quote inside of quotes as \\"');
  const inner = (quote[1] ?? '').replace(/\\(["\\])/g, '$1');
  return { value: { text: inner, quoted: true }, end };
}

/** Whether only the column's type can tell what the values are: `id=123` may mean a number or a text. */
export function needsColumnType({ operator, values }: FilterExpression): boolean {
  return values.some(
    ({ text, quoted }) =>
      !quoted && (/^(true|false)$/.test(text) || (isBareNumber(text) && !SINGLE.has(operator))),
  );
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Whether the text is a number as JSON writes them. */
export function isBareNumber(text: string): boolean {
  return JSON_NUMBER.test(text);
}
