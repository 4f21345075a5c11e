import { freemem } from 'node:os';

/** Rows as an analytics API sends them: 8 columns, some 220 bytes of JSON each, the same in every run. */
export const COLUMNS = ['report_day', 'url', 'country', 'device', 'pageviews', 'visits', 'revenue', 'rpm'];
export const DIMENSIONS = COLUMNS.slice(0, 4);
export const METRICS = COLUMNS.slice(4);

export const ROWS_A_PAGE = 100_000;

/** Stands for the page's number, so that no two pages have the same rows. */
const PAGE_MARK = '000-article-';

/** The values of a row as JSON texts, by a linear congruential generator. */
export function rowValues(index) {
  const number = ((index + 1) * 1_103_515_245 + 12_345) % 2_147_483_648;
  return [
    `"2026-0${1 + (index % 9)}-1${index % 10}"`,
    `"https://www.example.com/news/2026/${PAGE_MARK}${number}-a-title-of-some-words${index % 50 === 0 ? ', with a comma' : ''}"`,
    `"${['US', 'DE', 'IL', 'FR'][index % 4]}"`,
    `"${['desktop', 'mobile', 'tablet'][index % 3]}"`,
    String(number % 100_000),
    String(number % 9973),
    (number / 7919).toFixed(8),
    (number / 268_435_456).toFixed(6),
  ];
}

export const pageHead = Buffer.from('{"rows":[');
export const pageTail = total => Buffer.from(`],"total_rows":${total}}`);

/** Ten million rows, where there is room for them; otherwise pages are made anew while others are on their way. */
const COPIES = freemem() > 8 * 1024 ** 3 ? 100 : 4;

let first;
const copies = [];

/** Makes what is asked for later, so that no answer waits for it. */
export function makePages() {
  for (let number = 0; number < COPIES; number++) page(ROWS_A_PAGE, number * ROWS_A_PAGE);
}

/** So many rows (at most a page of them) from an offset on, commas between them. No two pages have a row in common. */
export function page(count, offset = 0) {
  first ??= firstPage();
  const number = Math.floor(offset / ROWS_A_PAGE);
  const place = number % COPIES;
  copies[place] ??= { bytes: Buffer.from(first.bytes), number: 0 };
  const copy = copies[place];
  if (copy.number !== number) {
    const digits = Buffer.from(String(number % 1000).padStart(3, '0'));
    for (const mark of first.marks) copy.bytes.set(digits, mark);
    copy.number = number;
  }
  return copy.bytes.subarray(0, Math.max(0, first.ends[count - 1] ?? 0));
}

function firstPage() {
  const rows = Array.from({ length: ROWS_A_PAGE }, (_, index) => {
    const members = rowValues(index).map((value, column) => `"${COLUMNS[column]}":${value}`);
    return `{${members.join(',')}}`;
  });
  const ends = new Uint32Array(rows.length);
  const marks = new Uint32Array(rows.length);
  let end = -1;
  for (const [index, row] of rows.entries()) {
    marks[index] = end + 1 + row.indexOf(PAGE_MARK);
    end += row.length + 1;
    ends[index] = end;
  }
  return { bytes: Buffer.from(rows.join(',')), ends, marks };
}
