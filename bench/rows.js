/** Rows as an analytics API sends them: 8 columns, some 220 bytes of JSON each, the same in every run. */
export const COLUMNS = ['report_day', 'url', 'country', 'device', 'pageviews', 'visits', 'revenue', 'rpm'];
export const DIMENSIONS = COLUMNS.slice(0, 4);
export const METRICS = COLUMNS.slice(4);

export const ROWS_A_PAGE = 100_000;

/** The values of a row as JSON texts, by a linear congruential generator. */
export function rowValues(index) {
  const number = ((index + 1) * 1_103_515_245 + 12_345) % 2_147_483_648;
  return [
    `"2026-0${1 + (index % 9)}-1${index % 10}"`,
    `"https://www.example.com/news/2026/article-${number}-a-title-of-some-words${index % 50 === 0 ? ', with a comma' : ''}"`,
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

let made;

/** So many rows (at most a page of them), commas between them. */
export function page(count) {
  made ??= wholePage();
  return made.bytes.subarray(0, Math.max(0, made.ends[count - 1] ?? 0));
}

function wholePage() {
  const rows = Array.from({ length: ROWS_A_PAGE }, (_, index) => {
    const members = rowValues(index).map((value, column) => `"${COLUMNS[column]}":${value}`);
    return `{${members.join(',')}}`;
  });
  let end = -1;
  const ends = rows.map(row => {
    end += row.length + 1;
    return end;
  });
  return { bytes: Buffer.from(rows.join(',')), ends };
}
