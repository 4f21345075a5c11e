import { wrap } from '../../terminal/width.ts';

/** A line of a page's source longer than this is a matter of style to mandoc. */
const LINE = 78;

/** Signs that troff would set as typographic ones, or as something else. */
const SIGNS: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
  '"': '\\(dq',
};

/** Text as it is, in ASCII, whatever signs it has. */
export function literal(text: string): string {
  return text.replace(/[\\\-'`^~"]|[^\x20-\x7e]/gu, sign => SIGNS[sign] ?? character(sign));
}

function character(sign: string): string {
  const hex = (sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `\\[u${hex}]`;
}

/** What is no plain word: flags, names, values. */
const NAME = /^gatectl|[^\p{L}.,;:?!()"'\u2026]/u;

/** A running text in short lines, none of which is taken for a request. Plain words alone may be hyphenated. */
export function paragraph(text: string): string {
  const words = text.split(' ').map(word => (NAME.test(word) ? `\\%${literal(word)}` : literal(word)));
  return wrap(words.join(' '), LINE)
    .map(line => line.replace(/^[.']/, '\\&$&'))
    .join('\n');
}

/** Lines that are shown as they are. */
export function display(lines: readonly string[]): string {
  const shown = lines.flatMap(line => broken(literal(line)).map(part => part.replace(/^[.']/, '\\&$&')));
  return ['.RS 4', '.EX', ...shown, '.EE', '.RE'].join('\n');
}

/** A long line goes on in the next one of the source: `\c` joins them again. */
function broken(line: string): string[] {
  if (line.length <= LINE) return [line];
  const cut = line.lastIndexOf(' ', LINE - 2);
  if (cut <= 0) return [line];
  return [`${line.slice(0, cut)}\\c`, ...broken(line.slice(cut))];
}

/** A term and what it means. */
export function term(name: string, means: string): string {
  return ['.TP', `.B ${argument(name)}`, paragraph(means)].join('\n');
}

export function heading(text: string): string {
  return `.SH ${argument(text)}`;
}

export function subheading(text: string): string {
  return `.SS ${argument(text)}`;
}

/** Text as one argument of a macro. */
export function argument(text: string): string {
  return `"${literal(text)}"`;
}
