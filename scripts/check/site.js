// Opens the built site in headless Chromium: npm run check:site. Every page at 360 and 1440 pixels: nothing is wider than the window,
// nothing is logged, no request leaves the site, pictures load and axe-core finds nothing; in the dark, the contrast is enough. The search answers the questions of
// newcomers with its first match. With a folder as argument, keeps pictures of pages there; with --search, asks the
// questions only. Requires Chromium, as check:browser.
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import axe from 'axe-core';
import { chromium } from 'playwright-core';
import { browserPath } from './chromium.js';
import { listen } from './listen.js';

const DIST = 'site/.vitepress/dist';
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };
const AT_ONCE = 2;
const WIDTHS = [360, 1440];
const TOPICS = ['dates', 'exit-codes'];
const SHOWN = ['index', 'tutorials/analyst', 'reference', 'purge-changes'];

const [pictures] = process.argv.slice(2).filter(word => word !== '--search');
const server = createServer((request, response) => {
  const path = new URL(request.url ?? '/', 'http://localhost').pathname;
  try {
    const file = join(DIST, path.endsWith('/') ? `${path}index.html` : path);
    response
      .setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream')
      .end(readFileSync(file));
  } catch {
    response.writeHead(404).end();
  }
});
const origin = `http://127.0.0.1:${await listen(server)}`;
const browser = await chromium.launch({ executablePath: browserPath(), args: ['--no-sandbox'] });
const problems = [];
try {
  const names = readdirSync(DIST, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.html') && name !== '404.html')
    .map(name => name.slice(0, -'.html'.length));
  const answered = await checkSearch();
  if (process.argv.includes('--search')) names.length = 0;
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    const context = await browser.newContext({ colorScheme, reducedMotion: 'reduce' });
    const waiting = [...names];
    const work = async () => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift())
        await checkPage(context, name, colorScheme);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    await context.close();
  }
  if (problems.length > 0) throw new Error(`the site has problems:\n${problems.join('\n')}`);
  process.stdout.write(
    `site: ${names.length} pages, each in light and dark at ${WIDTHS.join(' and ')} pixels: axe 0, nothing too wide, nothing from elsewhere; ${answered} questions answered by the first match\n`,
  );
} finally {
  await browser.close();
  server.close();
  server.closeAllConnections();
}

async function checkPage(context, name, theme) {
  const page = await context.newPage();
  const note = text => problems.push(`${name} (${theme}): ${text}`);
  page.on('console', message => message.type() === 'error' && note(`logged ${message.text()}`));
  page.on('pageerror', error => note(`threw ${error}`));
  page.on('request', request => request.url().startsWith(origin) || note(`requests ${request.url()}`));
  page.on('response', response => response.ok() || note(`${response.url()}: ${response.status()}`));
  // A dark page has the same boxes and words.
  const isDark = theme === 'dark';
  const options = { resultTypes: ['violations'], ...(isDark && { runOnly: ['color-contrast'] }) };
  for (const width of isDark ? WIDTHS.slice(-1) : WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`${origin}/${name}.html`, { waitUntil: 'load' });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    if (wide > width) note(`is ${wide} wide at ${width}`);
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(given => /** @type {any} */ (window).axe.run(given), options);
    for (const { id, nodes } of violations)
      note(`axe ${id} at ${width}: ${nodes.length} times, ${nodes[0].html.slice(0, 200)}`);
    if (pictures !== undefined && SHOWN.includes(name))
      await page.screenshot({ path: join(pictures, `${name.replace('/', '-')}-${theme}-${width}.png`) });
  }
  const unseen = await page.evaluate(() =>
    [...document.images].filter(image => image.naturalWidth === 0).map(image => image.src),
  );
  if (unseen.length > 0) note(`pictures do not load: ${unseen}`);
  await page.close();
}

/** Types each question into the search; returns how many there are. */
async function checkSearch() {
  const questions = JSON.parse(readFileSync('test/support/newcomer-questions.json', 'utf8'));
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${origin}/index.html`, { waitUntil: 'networkidle' });
  await page.locator('.VPNavBarSearch button').first().click();
  const input = page.locator('#localsearch-input');
  for (const [question, ...answers] of questions) {
    await input.fill('');
    await page.waitForFunction(() => document.querySelector('#localsearch-list a.result') === null);
    await input.fill(question);
    const result = page.locator('#localsearch-list a.result').first();
    await result.waitFor();
    const first = await result.getAttribute('href');
    const places = answers.map(placeOf);
    if (!places.some(place => first?.startsWith(place)))
      problems.push(`search '${question}': ${first} is first, not ${places.join(' or ')}`);
  }
  await page.close();
  return questions.length;
}

/** Where the site has what `gatectl docs` or `gatectl help` prints. */
function placeOf(answer) {
  const [kind, ...words] = answer.split(' ');
  if (kind === 'help')
    return `/reference.html#${TOPICS.includes(words[0] ?? '') ? '' : 'gatectl-'}${words.join('-')}`;
  const [name, section] = (words[0] ?? '').split('#');
  const [file] = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).filter(
    path => path.split('/').at(-1) === `${name}.html`,
  );
  return `/${file}${section === undefined ? '' : `#${section}`}`;
}
