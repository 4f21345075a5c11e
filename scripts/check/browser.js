// Opens charts of the embedded gateway's rows, and of hostile ones, in headless Chromium: they draw, log nothing, run no script from
// the data and send no requests. Toggles series, sorts the table, saves images, and shows the page at 400 pixels. Prints pages with
// many rows too, in light and dark mode: the PDF has every row, dark on white. Does the same with reports, uses them with the keyboard
// alone, and runs axe-core on every page. Reads the page of the
// OpenAPI document. Requires Chromium (as CHROMIUM, chromium or google-chrome) and Poppler (pdftotext, pdftoppm).
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import axe from 'axe-core';
import { chromium } from 'playwright-core';
import { browserPath } from './chromium.js';
import { listen } from './listen.js';

const ARGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];
const HOSTILE = [
  '<script>window.hacked = 1</script>',
  '"><img src="http://127.0.0.1:9/pixel" onerror="window.hacked = 2">',
  '</script><svg onload="window.hacked = 3">',
  "' onmouseover='window.hacked = 4",
  '{{constructor.constructor("window.hacked = 5")()}} {a|b}',
];

const run = promisify(execFile);
const say = line => process.stdout.write(`${line}\n`);
const folder = mkdtempSync(join(tmpdir(), 'gatectl-browser-'));

async function chart(name, flags, { baseUrl = undefined } = {}) {
  const file = join(folder, name);
  const gateway = baseUrl === undefined ? ['--sandbox'] : ['--base-url', baseUrl];
  const days = ['--from', '2026-01-01', '--to', '2026-02-28'];
  const args = [
    'bda',
    'query',
    '--data-set',
    'pageview',
    ...days,
    ...flags,
    ...gateway,
    '-q',
    '--chart',
    file,
  ];
  const env = { ...process.env, GATECTL_API_KEY: 'made-up', GATECTL_SANDBOX_CLOCK: '2026-03-14T12:00:00Z' };
  await run(process.execPath, ['bin/gatectl.js', ...args], { env, maxBuffer: 1 << 26 });
  return file;
}

/** Draws the waterfall of an explained change. */
async function waterfall(name) {
  const file = join(folder, name);
  const why = ['bda', 'why', '--data-set', 'pageview', '-m', 'revenue', '-d', 'country', '--last', '7d'];
  await gatectl([...why, '--sandbox', '-q', '--chart', file]);
  return file;
}

/** Builds a report from a file of the documentation, or from a text. */
async function report(name, source, { baseUrl = undefined } = {}) {
  const file = join(folder, name);
  const path = source.includes('\n') ? `${file}.yaml` : source;
  if (source !== path) writeFileSync(path, source);
  const gateway = baseUrl === undefined ? ['--sandbox'] : ['--base-url', baseUrl];
  await gatectl(['bda', 'report', 'build', path, ...gateway, '-q', '--out', file]);
  return file;
}

/** A report whose title, texts and names are markup. */
const hostileReport = `title: ${JSON.stringify(HOSTILE[0])}
defaults: {data-set: pageview, from: 2026-01-01, to: 2026-02-28}
sections:
  - title: ${JSON.stringify(HOSTILE[1])}
    text: ${JSON.stringify(`${HOSTILE.join('\n\n')}\n\n[a](javascript:window.hacked=6) ![b](http://127.0.0.1:9/pixel)`)}
  - title: ${JSON.stringify(HOSTILE[2])}
    query: {dimension: page_title, metric: visits}
    chart: true
`;

const longReport = `title: Long
sections:
  - query: {data-set: pageview, dimension: page_title, metric: visits, from: 2026-01-01, to: 2026-02-28}
    table: 100
`;

const wideReport = `title: Wide
defaults: {data-set: pageview, last: 7d}
sections:
  - query: {dimension: report_day, metric: [visits, pageviews, bounce_rate], compare: previous}
  - query: {dimension: page_url, metric: [visits, pageviews, revenue, engaged_time], compare: previous, limit: 10}
`;

async function gatectl(args) {
  const env = { ...process.env, GATECTL_API_KEY: 'made-up', GATECTL_SANDBOX_CLOCK: '2026-03-14T12:00:00Z' };
  await run(process.execPath, ['bin/gatectl.js', ...args], { env, maxBuffer: 1 << 26 });
}

/** A gateway whose texts are all markup. */
async function hostileGateway() {
  const rows = HOSTILE.map((text, i) => ({ page_title: text, [HOSTILE[0]]: text, visits: i + 1 }));
  const server = createServer((request, response) => {
    const columns = [{ name: 'visits', unit: HOSTILE[1] }];
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(request.method === 'GET' ? { columns } : { rows, total_rows: rows.length }));
  });
  const port = await listen(server);
  return { baseUrl: `http://127.0.0.1:${port}`, close: () => server.close() };
}

async function open(context, file, { texts, shapes }) {
  const page = await context.newPage();
  const troubles = [];
  page.on('console', message => troubles.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', error => troubles.push(String(error)));
  page.on('request', request => {
    if (request.url() !== pathToFileURL(file).href && !request.url().startsWith('blob:'))
      troubles.push(`requests ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
  const box = await page.locator('svg').first().boundingBox();
  // Across the chart: each place has its own tooltip.
  for (let share = 0.05; share < 1; share += 0.1) {
    await page.mouse.move(box.x + box.width * share, box.y + 120);
    await page.waitForTimeout(60);
  }
  const drawn = await page.locator('svg path').count();
  if (drawn < shapes) troubles.push(`only ${drawn} shapes are drawn`);
  const seen = await page.evaluate(() => document.documentElement.textContent);
  for (const text of texts) if (!seen.includes(text)) troubles.push(`does not show ${text}`);
  if (await page.evaluate(() => 'hacked' in window)) troubles.push('ran what came with the data');
  await page.close();
  if (troubles.length > 0) throw new Error(`${file}:\n${troubles.join('\n')}`);
  say(`${file.slice(folder.length + 1)}: drawn, silent`);
}

/** Uses the page: hides a series, sorts by a figure, saves both kinds of image. Throws for the first thing that does not work. */
async function use(context, file) {
  const page = await context.newPage();
  const expect = (holds, text) => {
    if (!holds) throw new Error(`${file}: ${text}`);
  };
  await page.goto(pathToFileURL(file).href);
  const lines = () => page.locator('.chart path[fill="none"][stroke-width="2"]').count();
  const [button] = await page.locator('.legend button').all();
  const before = await lines();
  await button.click();
  expect((await lines()) < before, `hiding a series leaves ${await lines()} of ${before} lines`);
  const first = page.locator('.legend button').first();
  expect((await first.getAttribute('aria-pressed')) === 'false', 'the button of a hidden series is pressed');
  expect(await first.evaluate(element => element === document.activeElement), 'the button loses the focus');
  await page.keyboard.press('Enter');
  expect((await lines()) === before, 'showing a series again does not draw it');

  const heading = page.locator('.rows th').last();
  const figures = async () => {
    const texts = await page.locator('.rows tbody tr td:last-child').allTextContents();
    return texts.map(text => Number(text.replaceAll(',', '')));
  };
  for (const [direction, sign] of [
    ['descending', -1],
    ['ascending', 1],
  ]) {
    await heading.locator('button').click();
    expect((await heading.getAttribute('aria-sort')) === direction, `the table is not sorted ${direction}`);
    const shown = await figures();
    expect(shown.length > 50, `the table has ${shown.length} rows`);
    expect(
      shown.every((figure, i) => i === 0 || (figure - shown[i - 1]) * Number(sign) >= 0),
      `${direction}: ${shown}`,
    );
  }

  for (const kind of ['SVG', 'PNG']) {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByText(`Download ${kind}`).click(),
    ]);
    const bytes = readFileSync(await download.path());
    const start = kind === 'SVG' ? '<svg' : '\u0089PNG';
    expect(bytes.subarray(0, 4).toString('latin1') === start, `the ${kind} file is none`);
    expect(download.suggestedFilename().endsWith(`.${kind.toLowerCase()}`), download.suggestedFilename());
  }

  await page.setViewportSize({ width: 400, height: 800 });
  await page.waitForTimeout(200);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width <= 400, `at 400 pixels the page is ${width} pixels wide`);
  const [box] = await page.locator('.chart svg').all();
  expect((await box.boundingBox()).width <= 400, 'at 400 pixels the chart is wider');
  await page.close();
  say(`${file.slice(folder.length + 1)}: toggles, sorts, saves, fits 400 pixels`);
}

/** Uses a report with the keyboard alone: sorts two tables, hides a series, scrolls a table. At 400 pixels the page does not scroll sideways. */
async function useReport(context, file) {
  const page = await context.newPage();
  const expect = (holds, text) => {
    if (!holds) throw new Error(`${file}: ${text}`);
  };
  await page.goto(pathToFileURL(file).href);
  const tables = await page.locator('.rows').all();
  const charts = await page.locator('figure .chart svg').count();
  expect(tables.length > 1 && charts > 1, `${tables.length} tables, ${charts} charts`);
  const lines = () => page.locator('.chart path[fill="none"][stroke-width="2"]').count();
  const before = await lines();
  const seen = new Set();
  for (let presses = 0; presses < 200; presses++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const element = document.activeElement;
      if (element === null || element === document.body) return undefined;
      const name = element.getAttribute('aria-label') ?? element.textContent;
      const heading = element.closest('th');
      const table = element.closest('.rows')?.getAttribute('aria-label');
      const outline = getComputedStyle(element).outlineStyle;
      return {
        name,
        table,
        isHeading: heading !== null,
        isSeries: element.closest('.legend') !== null,
        outline,
      };
    });
    if (focused === undefined) break;
    expect(focused.outline !== 'none', `the focus on ${focused.name} is invisible`);
    const key = `${focused.table}/${focused.name}`;
    if (focused.isHeading && !seen.has(focused.table)) {
      seen.add(focused.table);
      await page.keyboard.press('Enter');
      const sort = await page.evaluate(() => document.activeElement.closest('th').getAttribute('aria-sort'));
      expect(sort === 'ascending' || sort === 'descending', `${key} does not sort`);
    } else if (focused.isSeries && !seen.has('series')) {
      seen.add('series');
      await page.keyboard.press('Space');
      expect((await lines()) < before, 'hiding a series does not hide its lines');
      await page.keyboard.press('Space');
      expect((await lines()) === before, 'showing it again does not draw them');
    }
  }
  expect(seen.size === tables.length + 1, `the keyboard reaches ${[...seen].join(', ')}`);
  for (const width of [1280, 400]) {
    await page.setViewportSize({ width, height: 800 });
    await page.waitForTimeout(200);
    const used = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(used <= width, `at ${width} pixels the page is ${used} pixels wide`);
  }
  const cut = await page.evaluate(
    () => [...document.querySelectorAll('.rows td')].filter(cell => cell.clientWidth < 20).length,
  );
  expect(cut === 0, `at 400 pixels ${cut} cells are too narrow to read`);
  await page.close();
  say(`${file.slice(folder.length + 1)}: sorts and toggles by keyboard, fits 400 pixels`);
}

/** Throws for what axe-core finds, at both widths. */
async function checkAccessibility(context, file) {
  const page = await context.newPage();
  await page.goto(pathToFileURL(file).href);
  await page.evaluate(axe.source);
  for (const width of [1280, 400]) {
    await page.setViewportSize({ width, height: 800 });
    await page.waitForTimeout(200);
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    const found = violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join('\n  ')}`,
    );
    if (found.length > 0) throw new Error(`${file} at ${width} pixels:\n${found.join('\n')}`);
  }
  await page.close();
  say(`${file.slice(folder.length + 1)}: axe-core finds nothing`);
}

const PAPER_ROWS = 90;

/** A gateway with so many rows, each with a mark of its own. */
async function longGateway() {
  const rows = Array.from({ length: PAPER_ROWS }, (_, i) => ({ page_title: `row-${i}-end`, visits: i + 1 }));
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(request.method === 'GET' ? {} : { rows, total_rows: rows.length }));
  });
  const port = await listen(server);
  return { baseUrl: `http://127.0.0.1:${port}`, close: () => server.close() };
}

/** Saves the rows as `-o html` prints them. */
async function table(name, flags, { baseUrl }) {
  const file = join(folder, name);
  const args = [
    'bda',
    'query',
    '--data-set',
    'pageview',
    '--from',
    '2026-01-01',
    '--to',
    '2026-02-28',
    ...flags,
  ];
  const env = { ...process.env, GATECTL_API_KEY: 'made-up' };
  const all = ['bin/gatectl.js', ...args, '--base-url', baseUrl, '-q', '-o', 'html'];
  const { stdout } = await run(process.execPath, all, { env, maxBuffer: 1 << 26 });
  writeFileSync(file, stdout);
  return file;
}

/** Prints a page to a PDF: every row is in it, the paper is white and the text dark. */
async function print(context, file) {
  const page = await context.newPage();
  await page.goto(pathToFileURL(file).href);
  const pdf = `${file}.pdf`;
  await page.pdf({ path: pdf, format: 'A4', printBackground: true });
  await page.close();
  const { stdout: text } = await run('pdftotext', ['-layout', pdf, '-'], { maxBuffer: 1 << 26 });
  const missing = Array.from({ length: PAPER_ROWS }, (_, i) => `row-${i}-end`).filter(
    row => !text.includes(row),
  );
  if (missing.length > 0)
    throw new Error(`${file}: ${missing.length} of ${PAPER_ROWS} rows are missing on paper`);
  await run('pdftoppm', ['-r', '50', '-gray', pdf, join(folder, 'paper')]);
  const pages = readdirSync(folder).filter(name => name.startsWith('paper'));
  for (const name of pages) {
    const { white, dark } = tonesOf(readFileSync(join(folder, name)));
    rmSync(join(folder, name));
    if (white < 0.7 || dark < 0.001)
      throw new Error(
        `${file}: ${name} is ${Math.round(white * 100)} % white, ${(dark * 100).toFixed(2)} % dark`,
      );
  }
  say(`${file.slice(folder.length + 1)}: ${PAPER_ROWS} rows on ${pages.length} pages, dark on white`);
}

/** Lays a report out as on A4, between its margins: no table is wider than the paper. */
async function checkPaper(context, file) {
  const page = await context.newPage();
  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width: Math.floor(((210 - 2 * 16) / 25.4) * 96), height: 1000 });
  await page.goto(pathToFileURL(file).href);
  const wide = await page.evaluate(() =>
    [...document.querySelectorAll('.rows')].flatMap(({ clientWidth, scrollWidth }) =>
      scrollWidth > clientWidth ? [`${scrollWidth} of ${clientWidth} pixels`] : [],
    ),
  );
  await page.close();
  if (wide.length > 0) throw new Error(`${file}: tables are cut on paper: ${wide.join(', ')}`);
}

/** The shares of white and of dark in a PGM image. */
function tonesOf(pgm) {
  const [header] = /^P5\s+\d+\s+\d+\s+\d+\s/.exec(pgm.subarray(0, 64).toString('latin1'));
  const pixels = pgm.subarray(header.length);
  const share = is => pixels.filter(is).length / pixels.length;
  return { white: share(tone => tone > 245), dark: share(tone => tone < 110) };
}

/** Reads the OpenAPI document of a sandbox by keyboard: searches, sorts, follows a link; on a narrow screen and on paper. */
async function readOpenApi(context, baseUrl) {
  const page = await context.newPage();
  const troubles = [];
  page.on('console', message => troubles.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', error => troubles.push(String(error)));
  page.on('request', request => {
    if (![`${baseUrl}/openapi`, `${baseUrl}/favicon.ico`].includes(request.url()))
      troubles.push(`requests ${request.url()}`);
  });
  const expect = (holds, text) => {
    if (!holds) troubles.push(text);
  };
  await page.goto(`${baseUrl}/openapi`);
  const rows = page.locator('#operations tbody tr:visible');
  expect((await rows.count()) === 27, `lists ${await rows.count()} operations`);
  await page.keyboard.press('/');
  await page.keyboard.type('surrogate keys domain');
  expect((await rows.count()) === 1, `finds ${await rows.count()} operations of surrogate keys`);
  expect((await page.locator('section:visible').count()) === 1, 'shows what was not searched for');
  await page.keyboard.press('Escape');
  expect((await rows.count()) === 27, 'Escape does not clear the search');
  const paths = () => page.locator('#operations tbody tr td:nth-child(3)').allTextContents();
  const head = page.locator('#operations th').nth(2);
  await head.locator('button').focus();
  for (const [direction, sign] of [
    ['ascending', 1],
    ['descending', -1],
  ]) {
    await page.keyboard.press('Enter');
    expect((await head.getAttribute('aria-sort')) === direction, `is not sorted ${direction}`);
    const shown = await paths();
    expect(
      shown.every((path, i) => i === 0 || path.localeCompare(shown[i - 1]) * Number(sign) >= 0),
      `${direction}: ${shown}`,
    );
  }
  await page.locator('#operations a').first().focus();
  await page.keyboard.press('Enter');
  const target = await page.evaluate(() => document.querySelector('section:target')?.id);
  expect(target !== undefined, 'a link leads nowhere');
  await page.setViewportSize({ width: 400, height: 800 });
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width <= 400, `at 400 pixels the page is ${width} pixels wide`);
  const pdf = join(folder, 'openapi.pdf');
  await page.pdf({ path: pdf, format: 'A4', printBackground: true });
  const { stdout: text } = await run('pdftotext', ['-layout', pdf, '-'], { maxBuffer: 1 << 26 });
  expect(text.includes('/cdnservices/clearbysurrogatekeys'), 'lacks operations on paper');
  await run('pdftoppm', ['-r', '30', '-gray', '-l', '3', pdf, join(folder, 'paper')]);
  for (const name of readdirSync(folder).filter(name => name.startsWith('paper'))) {
    const { white, dark } = tonesOf(readFileSync(join(folder, name)));
    rmSync(join(folder, name));
    expect(white > 0.7 && dark > 0.001, `${name} is not dark on white`);
  }
  await page.close();
  if (troubles.length > 0) throw new Error(`the page of the OpenAPI document:\n${troubles.join('\n')}`);
  say('openapi: searches, sorts and links by keyboard, fits 400 pixels, prints, loads nothing');
}

const { startSandbox } = createRequire(import.meta.url)('../../dist/library/sandbox.cjs');
const sandbox = await startSandbox();
const [hostile, long] = [await hostileGateway(), await longGateway()];
try {
  const lines = ['-d', 'report_day,device', '-m', 'visits,revenue', '--all'];
  const bars = ['-d', 'page_title', '-m', 'visits'];
  const compared = ['-d', 'report_week,device', '-m', 'revenue', '--all', '--compare', 'year'];
  /** @type {[file: string, expected: { texts: string[], shapes: number }][]} */
  const charts = [
    [await chart('lines.html', lines), { texts: ['Revenue (USD)', 'desktop'], shapes: 20 }],
    [await chart('lines.svg', lines), { texts: ['Revenue (USD)', 'desktop'], shapes: 20 }],
    [await chart('weeks.html', compared), { texts: ['is partial', 'tablet before'], shapes: 5 }],
    [await chart('hostile.html', bars, hostile), { texts: HOSTILE, shapes: 5 }],
    [await chart('hostile.svg', bars, hostile), { texts: HOSTILE.slice(0, 1), shapes: 5 }],
  ];
  const rows = ['-d', 'page_title', '-m', 'visits'];
  const papers = [
    await chart('long.html', [...rows, '-o', 'csv'], long),
    await table('rows.html', rows, long),
    await report('report-long.html', longReport, long),
  ];
  const weekly = await report('weekly.html', 'docs/reports/weekly.yaml');
  const wide = await report('wide.html', wideReport);
  const why = await waterfall('why.html');
  charts.push(
    [why, { texts: ['Revenue: what changed, by country', 'as usual', 'before'], shapes: 10 }],
    [weekly, { texts: ['Weekly report', 'net', 'Visits per day', 'What changed revenue'], shapes: 20 }],
    [await report('report-hostile.html', hostileReport, hostile), { texts: HOSTILE, shapes: 5 }],
  );
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    const context = await chromium.launchPersistentContext(mkdtempSync(join(folder, 'profile-')), {
      executablePath: browserPath(),
      args: ARGS,
      colorScheme,
      viewport: { width: 1280, height: 1000 },
    });
    try {
      say(`${colorScheme}:`);
      for (const [file, expected] of charts) await open(context, file, expected);
      await use(context, charts[0][0]);
      await useReport(context, weekly);
      for (const file of [charts[0][0], why, weekly]) await checkAccessibility(context, file);
      for (const file of papers) await print(context, file);
      for (const file of [weekly, wide]) await checkPaper(context, file);
      await readOpenApi(context, sandbox.baseUrl);
    } finally {
      await context.close();
    }
  }
} finally {
  hostile.close();
  long.close();
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
}
