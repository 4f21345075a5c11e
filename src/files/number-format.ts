/** A number as a cell of a spreadsheet shows it. */
export type NumberFormat = (value: number) => string;

const DAY_MS = 86_400_000;
/** The formats that a workbook names by number alone (ECMA-376, 18.8.30). Those of dates are for the country of the machine. */
const BUILT_IN: Readonly<Record<number, string>> = {
  ...{ 1: '0', 2: '0.00', 3: '#,##0', 4: '#,##0.00', 9: '0%', 10: '0.00%', 14: 'yyyy-mm-dd', 15: 'd-mmm-yy' },
  ...{ 16: 'd-mmm', 17: 'mmm-yy', 18: 'h:mm AM/PM', 19: 'h:mm:ss AM/PM', 20: 'h:mm', 21: 'h:mm:ss' },
  ...{ 22: 'yyyy-mm-dd h:mm', 37: '#,##0;-#,##0', 38: '#,##0;-#,##0', 39: '#,##0.00;-#,##0.00' },
  ...{ 40: '#,##0.00;-#,##0.00', 45: 'mm:ss', 46: '[h]:mm:ss', 47: 'mm:ss', 49: '@' },
};

/**
 * The format of a number of a workbook, or of the code that the workbook has for it. Days are ISO days, times have 24 hours, and
 * thousands are not grouped, as both depend on the machine that shows the cell. A code that is not supported shows all digits.
 * `epochDays` is day 0 of the workbook, in days before 1970.
 */
export function numberFormat(id: number, code: string | undefined, epochDays: number): NumberFormat {
  const sections = sectionsOf(code ?? BUILT_IN[id] ?? 'General');
  const [first = []] = sections;
  const letters = first.flatMap(({ kind, text }) => (kind === 'letter' ? [text] : [])).join('');
  if (/^[ymdhsap/:.-]*[ymdhs][ymdhsap/:.-]*$/i.test(letters)) return dateFormat(first, epochDays);
  return value => {
    const isOwn = sections.length > 1 && value < 0;
    const section = isOwn ? sections[1] : value === 0 ? (sections[2] ?? first) : first;
    const shown = digitsIn(section ?? first, isOwn ? -value : value);
    return shown ?? String(value);
  };
}

/** A piece of a format: a text that is shown as it is, a letter with a meaning, or a placeholder of a digit. */
interface Piece {
  readonly kind: 'literal' | 'letter' | 'digit' | 'elapsed';
  readonly text: string;
}

/** Quoted texts, escapes, blanks and fillers, brackets, and other characters. */
const PIECES = /"([^"]*)"|\\(.)|[_*](.)|\[([^\]]*)\]|(.)/gsu;

/** The sections of a format: for positive numbers, negative ones, zero and texts. */
function sectionsOf(code: string): readonly (readonly Piece[])[] {
  const sections: Piece[][] = [[]];
  const add = (kind: Piece['kind'], text: string) => sections.at(-1)?.push({ kind, text });
  for (const [, quoted, escaped, filler, bracket, character] of code.matchAll(PIECES)) {
    if (quoted !== undefined || escaped !== undefined) add('literal', quoted ?? escaped ?? '');
    else if (bracket !== undefined) {
      const [, currency] = /^\$([^-]*)/.exec(bracket) ?? [];
      if (currency !== undefined) add('literal', currency);
      else if (/^(?:h+|m+|s+)$/i.test(bracket)) add('elapsed', bracket);
      // A condition selects a section by itself.
      else if (/[<>=]/.test(bracket)) add('letter', '?');
    } else if (character === ';') sections.push([]);
    else if (character !== undefined && /[0#?.,]/.test(character)) add('digit', character);
    else if (character !== undefined && /[\p{L}/@:]/u.test(character)) add('letter', character);
    else if (character !== undefined && filler === undefined) add('literal', character);
  }
  return sections;
}

/** Undefined for letters that mean something else than a digit: fractions, exponents, `General`. */
function digitsIn(pieces: readonly Piece[], value: number): string | undefined {
  if (pieces.some(({ kind }) => kind === 'letter' || kind === 'elapsed')) return undefined;
  const marks = pieces.filter(({ kind, text }) => kind === 'digit' && text !== ',');
  const isSimple = marks.filter(({ text }) => text === '.').length < 2;
  if (marks.every(({ text }) => text === '.') || !isSimple) return undefined;
  const percents = pieces.filter(({ kind, text }) => kind === 'literal' && text === '%').length;
  const point = pieces.findIndex(({ kind, text }) => kind === 'digit' && text === '.');
  const [before, after] = point < 0 ? [pieces, []] : [pieces.slice(0, point), pieces.slice(point + 1)];
  const decimals = after.filter(({ kind, text }) => kind === 'digit' && text !== ',').length;
  const fixed = Math.abs(value * 100 ** percents).toFixed(Math.min(decimals, 100));
  if (fixed.includes('e')) return undefined;
  const [integer = '', fraction = ''] = fixed.split('.');
  const sign = value < 0 && /[1-9]/.test(fixed) ? '-' : '';
  const shown = fractionIn(after, fraction);
  return sign + integerIn(before, integer.replace(/^0+/, '')) + (point < 0 ? '' : shown);
}

/** Digits in the places before the point, from the last one; the first place takes all that are left. */
function integerIn(pieces: readonly Piece[], digits: string): string {
  const first = pieces.findIndex(({ kind, text }) => kind === 'digit' && text !== ',');
  let left = digits;
  let shown = '';
  for (const [at, { kind, text }] of [...pieces.entries()].reverse()) {
    if (kind === 'literal') shown = text + shown;
    else if (text !== ',') {
      const taken = at === first ? left : left.slice(-1);
      shown = (taken === '' && text === '0' ? '0' : taken) + shown;
      left = left.slice(0, left.length - taken.length);
    }
  }
  return first < 0 ? left + shown : shown;
}

/** The point and the digits behind it; trailing zeros of optional places are not shown. */
function fractionIn(pieces: readonly Piece[], fraction: string): string {
  const places = pieces.filter(({ kind, text }) => kind === 'digit' && text !== ',');
  const required = places.findLastIndex(({ text }) => text === '0') + 1;
  const digits = fraction.slice(0, required) + fraction.slice(required).replace(/0+$/, '');
  const literals = pieces.filter(({ kind }) => kind === 'literal').map(({ text }) => text);
  return `${digits === '' ? '' : `.${digits}`}${literals.join('')}`;
}

function dateFormat(pieces: readonly Piece[], epochDays: number): NumberFormat {
  const letters = pieces
    .flatMap(({ kind, text }) => (kind === 'literal' ? [] : [text.toLowerCase()]))
    .join('');
  const isElapsed = pieces.some(({ kind }) => kind === 'elapsed');
  const hasTime = isElapsed || /[hs]/.test(letters);
  const hasDay = !isElapsed && (/[yd]/.test(letters) || !hasTime);
  return value => {
    const date = new Date(Math.round((value - epochDays) * 86_400) * 1000);
    if (Number.isNaN(date.getTime())) return String(value);
    const text = date.toISOString();
    if (hasDay && !hasTime) return text.slice(0, 10);
    if (hasDay)
      return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19).replace('T', ' ');
    const hours = isElapsed ? Math.floor(Math.round(value * DAY_MS) / 3_600_000) : date.getUTCHours();
    const time = `${String(hours).padStart(2, '0')}:${text.slice(14, 19)}`;
    return /s/.test(letters) ? time : time.slice(0, -3);
  };
}
