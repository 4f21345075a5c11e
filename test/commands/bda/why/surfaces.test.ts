import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { expect, test } from 'vitest';
import { readSeries } from '../../../series/read-series.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { readWorkbook } from '../../../support/workbook.ts';
import { analytics } from '../analytics.ts';
import { gatewayOf } from './series-gateway.ts';

const { days, columns } = readSeries('chicago-2009.csv');
const [first = '', second = ''] = columns.keys();

/** Days without rows, a value that is null, and one that ends in a space. */
const gateway = () => {
  const kept = new Map(
    [...columns].map(([name, values]) => [
      name === first ? `${second} ` : name,
      values.map((value, at) => (['2012-03-05', '2012-03-06'].includes(days[at] ?? '') ? 0 : value)),
    ]),
  );
  const reply = gatewayOf({ visits: { station: { days, columns: kept } } });
  return (request: Parameters<typeof reply>[0]) => {
    const { body = '', ...rest } = reply(request);
    const isNow = request.body.includes('"start_date":"2012-03-05"');
    const isByDay = request.body.includes('report_day');
    return {
      ...rest,
      body: isNow && !isByDay ? String(body).replace(/("western","visits":)\d+/, '$1null') : body,
    };
  };
};

const textOf = (html: string) =>
  html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

test('a report in each format has the sentences of the terminal, with what is withheld', async () => {
  const { gatectl } = await analytics(gateway());
  const asked = ['-m', 'visits', '-d', 'station', '--from', '2012-03-05', '--to', '2012-03-11'];
  const own = await gatectl(['bda', 'why', '--data-set', 'pageview', '--tz', 'UTC', ...asked, '-o', 'md']);
  const sentences = [...own.stdout.matchAll(/^- (.*)$/gm)].map(([, text = '']) => text.replaceAll('\\', ''));
  expect(sentences[0]).toMatch(
    /^Visits per day of 7 of 8 values of station .*, not comparable: 2 of 7 days have no rows; 1 of 8 values has no figure\.$/,
  );
  expect(sentences.length).toBe(4);
  const folder = temporaryFolder();
  const path = join(folder, 'report.yaml');
  writeFileSync(
    path,
    'title: Weekly\ndefaults: {data-set: pageview, from: 2012-03-05, to: 2012-03-11}\nmail: {to: to@example.com, from: from@example.com}\nsections:\n  - title: Why\n    why: {metric: visits, dimension: station}\n',
  );
  const built = async (format: string) => {
    const out = join(folder, `report.${format}`);
    const { code } = await gatectl(['bda', 'report', 'build', path, '--out', out, '--tz', 'UTC']);
    expect(code).toBe(0);
    return out;
  };
  const markdown = readFileSync(await built('md'), 'utf8').replaceAll('\\', '');
  const page = textOf(readFileSync(await built('html'), 'utf8'));
  const mail = await PostalMime.parse(readFileSync(await built('eml')));
  const sheets = readWorkbook(await built('xlsx'));
  const cells = sheets.flatMap(({ rows }) => rows.flat().map(cell => cell?.value ?? ''));
  for (const text of sentences) {
    expect(markdown).toContain(text);
    expect(page).toContain(text);
    expect(textOf(mail.html ?? '')).toContain(text);
    expect((mail.text ?? '').replaceAll(/\s+/g, ' ')).toContain(text);
    expect(cells).toContain(text);
  }
  for (const text of [page, textOf(mail.html ?? ''), mail.text ?? '', markdown])
    expect(text).toContain(`"${second} "`);
});
