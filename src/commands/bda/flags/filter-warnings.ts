import { type FilterExpression, printFilter } from '../../../apis/bda/filter-expression.ts';
import type { Log } from '../../framework/context.ts';

/** Warns of filters that most likely match nothing; all `filters` and one of `anyOf` must match. */
export function warnOfFilters(
  filters: readonly FilterExpression[],
  anyOf: readonly FilterExpression[],
  log: Pick<Log, 'warn'>,
): void {
  for (const filter of [...filters, ...anyOf]) {
    warnOfCountry(filter, log);
    warnOfPattern(filter, log);
  }
  warnOfExclusion(filters, log);
}

/** The documented column of countries has two-letter codes, which are compared letter by letter. */
function warnOfCountry(filter: FilterExpression, log: Pick<Log, 'warn'>): void {
  if (filter.column !== 'country') return;
  const wrong = filter.values.filter(({ text, quoted }) => !quoted && /^[a-z]{2}$|^\p{L}{4,}$/u.test(text));
  if (wrong.length === 0) return;
  const values = wrong.flatMap(({ text, quoted }) => {
    const code = /^[a-z]{2}$/.test(text) ? text.toUpperCase() : codeOfCountry(text);
    return code === undefined ? [] : [{ text: code, quoted }];
  });
  const typed = printFilter({ ...filter, values: wrong });
  log.warn(
    `the codes of countries are two letters in upper case, and '${typed}' is sent as typed`,
    values.length === wrong.length ? [`pass --filter ${printFilter({ ...filter, values })}`] : [],
  );
}

/** `DE` for `Germany`. */
function codeOfCountry(name: string): string | undefined {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const codes = letters.flatMap(first => letters.map(second => first + second));
  // A former code, such as DD, is replaced in a locale by the one that succeeds it.
  const isCurrent = (code: string) => new Intl.Locale(`und-${code}`).region === code;
  return codes.find(code => names.of(code)?.toLowerCase() === name.toLowerCase() && isCurrent(code));
}

/** `=` compares complete values, and no operator for parts of a text is documented. */
function warnOfPattern(filter: FilterExpression, log: Pick<Log, 'warn'>): void {
  const patterns = filter.values.filter(({ text, quoted }) => !quoted && /^[*%].|.[*%]$/.test(text));
  if (filter.operator !== 'in' || patterns.length === 0) return;
  const values = patterns.map(value => ({ ...value, text: value.text.replace(/^[*%]+|[*%]+$/g, '') }));
  log.warn(
    `'${printFilter({ ...filter, values: patterns })}' compares complete values, and is sent as typed`,
    [
      `if your gateway supports it, pass --filter '${printFilter({ column: filter.column, operator: 'contains', values })}'`,
    ],
  );
}

/** Two filters of one column that have no value in common match nothing, unless the column has several values at once. */
function warnOfExclusion(filters: readonly FilterExpression[], log: Pick<Log, 'warn'>): void {
  const equal = filters.filter(({ operator }) => operator === 'in');
  for (const column of new Set(equal.map(filter => filter.column))) {
    const own = equal.filter(filter => filter.column === column);
    const [first, ...others] = own.map(({ values }) => values.map(({ text }) => text.toLowerCase()));
    if (others.length === 0 || first?.some(text => others.every(texts => texts.includes(text)))) continue;
    const values = own.flatMap(filter => filter.values);
    log.warn(`all filters must match, and ${own.map(printFilter).join(' and ')} have no value in common`, [
      `for any of them, pass --filter '${printFilter({ column, operator: 'in', values })}'`,
    ]);
  }
}
