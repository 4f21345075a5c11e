// Exports texts and numbers that break spreadsheets, and more rows than one sheet has, as workbooks. openpyxl, which has nothing to do
// with gatectl, reads every cell back. Checks the memory of the large export, too.
import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import naughty from 'big-list-of-naughty-strings' with { type: 'json' };
import { listen } from './listen.js';

const MAX_MEMORY_MB = 150;
/** Of the weekly report: one for its texts with what changed, and one for each other question. */
const MAX_PAGES = 3;
const ROWS = 1_100_000;
const ROWS_PER_SHEET = 1_048_575;

const READ_CELLS = `
import json, sys
from openpyxl import load_workbook
from openpyxl.utils.escape import unescape
sheets = []
for sheet in load_workbook(sys.argv[1]):
    rows = [[[cell.data_type, unescape(cell.value) if isinstance(cell.value, str) else
              cell.value.date().isoformat() if cell.data_type == 'd' else
              repr(cell.value) if cell.data_type == 'n' and cell.value is not None else cell.value]
             for cell in row] for row in sheet.iter_rows()]
    sheets.append({'name': sheet.title, 'rows': rows, 'frozen': sheet.freeze_panes, 'filter': sheet.auto_filter.ref})
json.dump(sheets, sys.stdout)
`;
/** The charts of each sheet with the cells that they show, and the sums of the columns of numbers. */
const READ_CHARTS = `
import json, sys
from openpyxl import load_workbook
book = load_workbook(sys.argv[1])
def values(reference):
    sheet, cells = reference.rsplit('!', 1)
    rows = book[sheet.strip("'")][cells.replace('$', '')]
    rows = rows if isinstance(rows, tuple) else ((rows,),)
    return [cell.value for row in rows for cell in row]
sheets = []
for sheet in book.worksheets:
    charts = [[{'values': values(series.val.numRef.f), 'labels': values(series.cat.strRef.f)} for series in chart.series] for chart in sheet._charts]
    columns = {column[0].value: sum(cell.value for cell in column[1:] if isinstance(cell.value, (int, float)))
               for column in sheet.iter_cols() if any(isinstance(cell.value, (int, float)) for cell in column[1:])}
    sheets.append({'name': sheet.title, 'charts': charts, 'sums': columns})
json.dump(sheets, sys.stdout)
`;
const COUNT_ROWS = `
import sys
from zipfile import ZipFile
archive = ZipFile(sys.argv[1])
for name in sorted(name for name in archive.namelist() if name.startswith('xl/worksheets/')):
    with archive.open(name) as sheet:
        print(name, sum(chunk.count(b'<row ') for chunk in iter(lambda: sheet.read(1 << 20) + sheet.readline(), b'')), sep='\\t')
`;

const say = line => process.stdout.write(`${line}\n`);
const python = ['/usr/bin/python3', 'python3'].find(hasOpenpyxl);
if (python === undefined) {
  say('no Python with openpyxl was found; install python3-openpyxl, or run: pip install openpyxl');
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'gatectl-xlsx-'));
try {
  await checkCells();
  await checkCharts();
  await checkSheets();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function checkCells() {
  const texts = [
    ...naughty,
    ...Array.from({ length: 0x100 }, (_, code) => `[${String.fromCharCode(code)}]`),
    ...[
      '_x000D_',
      '_x000d_',
      '__x0041_x0042_',
      '_x0041\u0001',
      '_x005F_',
      ' a ',
      '\ta\n',
      'a\r\nb',
      ']]>',
      '<t>',
      '&amp;',
    ],
    ...[
      '\ud800',
      'a\udfff',
      '\ud83d\ude00',
      '\ufffe\uffff',
      '\ufeff',
      '=1+1',
      '+1',
      '-1',
      '@A1',
      "'quoted",
      '#REF!',
      '#N/A',
      '1e5',
    ],
    'é'.repeat(32_767),
  ];
  const numbers = ['0', '-1', '1.5', '172.4133208101921', '0.1', '1e300', '5e-324', '9007199254740991'];
  const rows = texts.map((text, at) => ({
    text,
    number: numbers[at % numbers.length],
    day: at % 2 === 0 ? '2026-02-28' : null,
    flag: at % 3 === 0,
    id: String(10n ** 19n + BigInt(at)),
  }));
  // Numbers are written as digits, so that none is rounded on the way.
  const json = rows.map(({ number, id, ...row }) =>
    JSON.stringify(row).replace(/}$/, `,"number":${number},"id":${id}}`),
  );
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json');
    const isQuery = request.method === 'POST';
    response.statusCode = isQuery ? 200 : 404;
    response.end(isQuery ? `{"rows":[${json.join(',')}],"total_rows":${rows.length}}` : '{}');
  });
  const port = await listen(server);
  const file = join(folder, 'cells.xlsx');
  await gatectl(port, 'cells', ['text', 'day', 'flag'], ['number', 'id'], file);
  server.close();
  const [sheet] = JSON.parse(readBy(READ_CELLS, file));
  const expected = [
    ['text', 'day', 'flag', 'number', 'id'].map(name => ['s', name]),
    ...rows.map(({ text, number, day, flag, id }) => [
      ['s', text],
      day === null ? ['n', null] : ['d', day],
      ['b', flag],
      ['n', number],
      ['s', id],
    ]),
  ];
  let wrong = 0;
  for (const [at, row] of expected.entries())
    for (const [column, [kind, value]] of row.entries()) {
      const [readKind, read] = sheet.rows[at]?.[column] ?? [];
      const isSame =
        readKind === kind &&
        (kind === 'n' && value !== null ? Number(read) === Number(value) : read === value);
      if (isSame) continue;
      wrong += 1;
      say(
        `  row ${at + 1}, column ${column + 1}: ${JSON.stringify([kind, value])} is read as ${JSON.stringify([readKind, read])}`,
      );
    }
  say(`${rows.length} rows of texts, numbers, days and flags: ${wrong} cells differ`);
  if (wrong > 0 || sheet.rows.length !== expected.length)
    throw new Error('the workbook does not contain what was exported');
  if (sheet.frozen !== 'A2' || sheet.filter !== `A1:E${expected.length}`)
    throw new Error(`the header is not frozen and filtered: ${sheet.frozen} ${sheet.filter}`);
}

/** A report of the embedded gateway: its charts are there and show figures that add up to those of the rows. */
async function checkCharts() {
  const file = join(folder, 'report.xlsx');
  const build = ['bin/gatectl.js', 'bda', 'report', 'build', 'docs/reports/weekly.yaml', '--sandbox', '-q'];
  execFileSync(process.execPath, [...build, '--out', file], {
    env: { ...process.env, GATECTL_SANDBOX_CLOCK: '2026-03-14T12:00:00Z' },
  });
  const sheets = new Map(JSON.parse(readBy(READ_CHARTS, file)).map(sheet => [sheet.name, sheet]));
  const sum = values => values.reduce((all, value) => all + (value ?? 0), 0);
  const expectSum = (what, found, expected) => {
    if (Math.abs(found - expected) > 1e-6 * Math.max(1, Math.abs(expected)))
      throw new Error(`${what}: the chart adds up to ${found}, the rows to ${expected}`);
  };
  const chartsOf = name => sheets.get(name)?.charts ?? [];
  const [visits, revenue] = chartsOf('Visits per day');
  expectSum('visits per day', sum(visits[0].values), sheets.get('Visits per day').sums.Visits);
  // Rounded in the rows, not in the chart.
  const rounding = 0.005 * revenue[0].values.length;
  const difference = sum(revenue[0].values) - sheets.get('Visits per day').sums['Revenue (USD)'];
  if (Math.abs(difference) > rounding) throw new Error(`revenue per day differs by ${difference}`);
  const [countries] = chartsOf('Top countries');
  expectSum('countries', sum(countries[0].values), sheets.get('Top countries').sums.Visits);
  const [[base, total, up, down]] = chartsOf('Summary');
  const [first, last] = [total.values[0], total.values.at(-1)];
  expectSum('waterfall', first + sum(up.values) - sum(down.values), last);
  const count = [...sheets.values()].reduce((all, { charts }) => all + charts.length, 0);
  say(
    `a report: ${sheets.size} sheets, ${count} charts of ${base.labels.length} bars and more, with the sums of their rows`,
  );
  checkInLibreOffice(file, count);
}

/** LibreOffice opens the workbook and has its charts. It is large, so it is used where it is installed. */
function checkInLibreOffice(file, charts) {
  const program = ['soffice', 'libreoffice'].find(name => {
    try {
      execFileSync(name, ['--version'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  });
  if (program === undefined) {
    say(
      'LibreOffice is not installed (apt-get install --no-install-recommends libreoffice-calc-nogui, 90 MB): not opened there',
    );
    return;
  }
  const home = `-env:UserInstallation=file://${folder}/libreoffice`;
  execFileSync(program, [home, '--headless', '--convert-to', 'fods', '--outdir', folder, file], {
    stdio: 'ignore',
  });
  const text = readFileSync(file.replace(/xlsx$/, 'fods'), 'utf8');
  const found = text.match(/<chart:chart [^>]*chart:class="chart:(?:bar|line)"/g)?.length ?? 0;
  if (found !== charts) throw new Error(`LibreOffice shows ${found} of ${charts} charts`);
  execFileSync(program, [home, '--headless', '--convert-to', 'pdf', '--outdir', folder, file], {
    stdio: 'ignore',
  });
  const pdf = readFileSync(file.replace(/xlsx$/, 'pdf'), 'latin1');
  const pages = pdf.match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  if (pages === 0 || pages > MAX_PAGES) throw new Error(`the report prints on ${pages} pages`);
  say(`LibreOffice shows ${found} charts and prints ${pages} pages`);
}

async function checkSheets() {
  const server = fork('bench/server.js');
  const [port] = await once(server, 'message');
  const file = join(folder, 'rows.xlsx');
  const started = performance.now();
  const memory = await gatectl(
    port,
    `rows_${ROWS}`,
    ['report_day', 'url', 'country', 'device'],
    ['pageviews', 'visits', 'revenue', 'rpm'],
    file,
  );
  server.disconnect();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  say(
    `${ROWS} rows of 8 columns: ${(readFileSync(file).length / 1e6).toFixed(1)} MB in ${seconds} s, at most ${memory.toFixed(0)} MB of memory`,
  );
  if (memory > MAX_MEMORY_MB) throw new Error(`an export may use ${MAX_MEMORY_MB} MB`);
  const counted = readBy(COUNT_ROWS, file)
    .trim()
    .split('\n')
    .map(line => line.split('\t').slice(0, 2));
  say(`sheets: ${counted.map(sheet => sheet.join(' ')).join(', ')}`);
  const expected = [ROWS_PER_SHEET + 1, ROWS - ROWS_PER_SHEET + 1].map((rows, at) => [
    `xl/worksheets/sheet${at + 1}.xml`,
    String(rows),
  ]);
  if (JSON.stringify(counted) !== JSON.stringify(expected))
    throw new Error('the sheets do not contain all rows');
}

/** Exports to a file. Returns the most memory that the process used, in MB. */
async function gatectl(port, dataSet, dimensions, metrics, file) {
  const query = ['bda', 'query', '--data-set', dataSet, '-d', dimensions.join(','), '-m', metrics.join(',')];
  const days = ['--from', '2026-01-01', '--to', '2026-01-10', '--all', '-q'];
  const child = spawn(process.execPath, ['bin/gatectl.js', ...query, ...days, '--out', file], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, GATECTL_BASE_URL: `http://127.0.0.1:${port}`, GATECTL_API_KEY: 'a-key' },
  });
  let peak = 0;
  const timer = setInterval(() => {
    try {
      peak = Math.max(
        peak,
        Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0),
      );
    } catch {
      // The process has ended, or this system has no /proc.
    }
  }, 50);
  const [code] = await once(child, 'exit');
  clearInterval(timer);
  if (code !== 0) throw new Error(`the export of ${dataSet} exited with ${code}`);
  return peak / 1024;
}

function readBy(script, file) {
  const path = join(folder, 'read.py');
  writeFileSync(path, script);
  return execFileSync(python, [path, file], { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 });
}

function hasOpenpyxl(program) {
  try {
    execFileSync(program, ['-c', 'import openpyxl'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
