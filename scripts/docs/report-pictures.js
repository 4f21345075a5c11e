// Takes pictures of the weekly report of the documentation: as a page, in light and dark mode, on a narrow screen and on paper, and as an
// e-mail, in light and dark mode and without its pictures, on which axe-core finds nothing. Compares them with the accepted ones in
// docs/pictures/pages; with --update, writes those. Requires Chromium and Poppler (pdftoppm).
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import { execa } from 'execa';
import pixelmatch from 'pixelmatch';
import { chromium } from 'playwright-core';
import { PNG } from 'pngjs';
import PostalMime from 'postal-mime';
import { browserPath } from '../check/chromium.js';

const ACCEPTED = 'docs/pictures/pages';
/** Of the pixels; another version of Chromium draws the edges of letters elsewhere. */
const MOST_DIFFERENT = 0.01;
const HEIGHT = 900;
const VIEWS = [
  { name: 'report-light', width: 1440, colorScheme: 'light' },
  { name: 'report-dark', width: 1440, colorScheme: 'dark' },
  { name: 'report-narrow', width: 360, colorScheme: 'light' },
];

const MAIL_VIEWS = [
  { name: 'mail-light', colorScheme: 'light', hasPictures: true },
  { name: 'mail-dark', colorScheme: 'dark', hasPictures: true },
  { name: 'mail-without-pictures', colorScheme: 'light', hasPictures: false },
];

/** A mail has no landmarks. What axe-core takes for the background of a dark mail is white. */
const AXE = {
  rules: {
    'landmark-one-main': { enabled: false },
    region: { enabled: false },
    'color-contrast': { enabled: false },
  },
};

const update = process.argv.includes('--update');
const folder = await mkdtemp(join(tmpdir(), 'gatectl-pictures-'));
const browser = await chromium.launch({ executablePath: browserPath(), args: ['--no-sandbox'] });
try {
  const report = join(folder, 'weekly.html');
  const env = { HOME: folder };
  const build = ['bin/gatectl.js', 'bda', 'report', 'build', 'docs/reports/weekly.yaml', '--sandbox', '-q'];
  await execa(process.execPath, [...build, '--out', report], { env });
  for (const view of VIEWS) await compare(view.name, await screenshot(report, view));
  await compare('report-paper', await firstSheet(report));
  const mail = join(folder, 'weekly.eml');
  await execa(process.execPath, [...build, '--out', mail], { env });
  for (const view of MAIL_VIEWS) await compare(view.name, await mailShot(mail, view));
} finally {
  await browser.close();
  await rm(folder, { recursive: true, force: true });
}

async function screenshot(report, { width, colorScheme }) {
  const page = await browser.newPage({
    viewport: { width, height: HEIGHT },
    colorScheme,
    reducedMotion: 'reduce',
  });
  await page.goto(pathToFileURL(report).href, { waitUntil: 'load' });
  await page.evaluate(() => document.fonts.ready);
  const taken = await page.screenshot({ animations: 'disabled' });
  await page.close();
  return taken;
}

/** The HTML part of an e-mail, as wide as the column that mail programs have for it. */
async function mailShot(mail, { name, colorScheme, hasPictures }) {
  const { html, attachments } = await PostalMime.parse(await readFile(mail), {
    attachmentEncoding: 'base64',
  });
  const sources = new Map(
    attachments.map(({ contentId = '', mimeType, content }) => [
      contentId.replace(/^<|>$/g, ''),
      `data:${mimeType};base64,${content}`,
    ]),
  );
  const page = await browser.newPage({ viewport: { width: 640, height: HEIGHT }, colorScheme });
  await page.setContent(
    (html ?? '').replace(/cid:([^"]+)/g, (_, id) => (hasPictures ? (sources.get(id) ?? '') : 'about:blank')),
  );
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(given => /** @type {any} */ (window).axe.run(given), AXE);
  for (const { id, nodes } of violations) {
    process.exitCode = 1;
    process.stdout.write(`${name}: axe ${id}, ${nodes.length} times: ${nodes[0].html.slice(0, 200)}\n`);
  }
  const taken = await page.screenshot();
  await page.close();
  return taken;
}

/** The first page of the printed report. */
async function firstSheet(report) {
  const page = await browser.newPage();
  await page.goto(pathToFileURL(report).href, { waitUntil: 'load' });
  const pdf = join(folder, 'weekly.pdf');
  await page.pdf({ path: pdf, format: 'A4' });
  await page.close();
  await execa('pdftoppm', [
    '-png',
    '-r',
    '72',
    '-f',
    '1',
    '-l',
    '1',
    '-singlefile',
    pdf,
    join(folder, 'sheet'),
  ]);
  return await readFile(join(folder, 'sheet.png'));
}

/** Writes a picture, or fails if it differs from the accepted one. */
async function compare(name, taken) {
  const path = join(ACCEPTED, `${name}.png`);
  if (update) {
    await mkdir(ACCEPTED, { recursive: true });
    await writeFile(path, taken);
    return;
  }
  const [now, accepted] = [PNG.sync.read(Buffer.from(taken)), PNG.sync.read(await readFile(path))];
  const { width, height } = accepted;
  const isSameSize = now.width === width && now.height === height;
  const different = isSameSize
    ? pixelmatch(now.data, accepted.data, undefined, width, height)
    : width * height;
  const share = different / (width * height);
  process.stdout.write(`${path}: ${(share * 100).toFixed(2)} % of the pixels differ\n`);
  if (share <= MOST_DIFFERENT) return;
  process.exitCode = 1;
  const kept = join(tmpdir(), `${name}.png`);
  await writeFile(kept, taken);
  process.stdout.write(`look at ${kept}, and accept it with npm run generate:pictures\n`);
}
