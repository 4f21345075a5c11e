import { addLocale, format, getFormatDateInfo, getFormatInfo } from 'numfmt';

/** A number as a cell of a spreadsheet shows it. */
export type NumberFormat = (value: number) => string;

/** The formats that a workbook names by number alone (ECMA-376, 18.8.30). Those of dates are for the country of the machine. */
const BUILT_IN: Readonly<Record<number, string>> = {
  ...{ 1: '0', 2: '0.00', 3: '#,##0', 4: '#,##0.00', 9: '0%', 10: '0.00%', 11: '0.00E+00', 12: '# ?/?' },
  ...{ 13: '# ??/??', 14: 'yyyy-mm-dd', 15: 'd-mmm-yy', 16: 'd-mmm', 17: 'mmm-yy', 18: 'h:mm AM/PM' },
  ...{ 19: 'h:mm:ss AM/PM', 20: 'h:mm', 21: 'h:mm:ss', 22: 'yyyy-mm-dd h:mm', 37: '#,##0;-#,##0' },
  ...{ 38: '#,##0;-#,##0', 39: '#,##0.00;-#,##0.00', 40: '#,##0.00;-#,##0.00', 45: 'mm:ss' },
  ...{ 46: '[h]:mm:ss', 47: 'mm:ss', 48: '##0.0E+0', 49: '@' },
};

/** A language of nobody: a decimal point, no grouping. */
const PLAIN = 'qq';
addLocale({ decimal: '.', group: '' }, PLAIN);

/**
 * The format of a number of a workbook, or of the code that the workbook has for it. Days are ISO days, times have 24 hours, and
 * thousands are not grouped, as all of this depends on the machine that shows the cell. A code that is no format shows all digits.
 * `daysBefore` is what is added to a day of the workbook to have it in the calendar that starts in 1900.
 */
export function numberFormat(id: number, code: string | undefined, daysBefore: number): NumberFormat {
  const pattern = withoutLanguage(code ?? BUILT_IN[id] ?? 'General');
  switch (typeOf(pattern)) {
    case 'date':
      return value => shown('yyyy-mm-dd', value + daysBefore);
    case 'datetime':
      return value => shown('yyyy-mm-dd hh:mm:ss', value + daysBefore).replace(' 00:00:00', '');
    case 'time': {
      const hours = /\[[hms]+\]/i.test(pattern) ? '[hh]' : 'hh';
      const time = `${hours}:mm${getFormatDateInfo(pattern).seconds ? ':ss' : ''}`;
      return value => shown(time, value);
    }
    case 'general':
    case 'text':
    case 'error':
      return String;
    default:
      return value => shown(pattern, value).trim();
  }
}

/** `[$€-407]` is the currency of a language; `[$-407]` is a language alone. */
function withoutLanguage(pattern: string): string {
  return pattern.replace(/\[\$([^\]-]*)-[^\]]*\]/g, (_, currency: string) =>
    currency === '' ? '' : `"${currency}"`,
  );
}

function typeOf(pattern: string): string {
  try {
    return pattern === '' ? 'general' : getFormatInfo(pattern).type;
  } catch {
    return 'error';
  }
}

function shown(pattern: string, value: number): string {
  return format(pattern, value, { locale: PLAIN, throws: false });
}
