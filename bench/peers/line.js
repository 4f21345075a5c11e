// Pages over a line with what Node brings: node bench/peers/line.js URL PAGES ROWS OUT
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';

const [url, pages, rows, out] = process.argv.slice(2);
const file = createWriteStream(out);
for (let offset = 0; offset < Number(pages) * Number(rows); offset += Number(rows)) {
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({ limit: Number(rows), offset }),
  });
  const { rows: found } = await response.json();
  for (const row of found) file.write(`${Object.values(row).map(cell).join(',')}\n`);
}
file.end();
await finished(file);

function cell(value) {
  const text = String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
