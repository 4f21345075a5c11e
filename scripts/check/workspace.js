// Works the tickets of test/support/tickets.json in the page of `gatectl reader --web`, with the keyboard alone, and counts the keys. The
// page sends no request elsewhere, stores nothing, shows hostile text as text, fits 360 pixels, and axe-core finds nothing. Requires Chromium.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import axe from 'axe-core';
import { strToU8, zipSync } from 'fflate';
import { chromium } from 'playwright-core';
import { listen } from './listen.js';

const HOSTILE = '</script><img src="http://127.0.0.1:9/pixel" onerror="window.hacked = 1">';
/** Keys for each ticket, where a paste is one and a list is dropped. */
const KEYSTROKES = [2, 2, 2, 4, 2, 10, 2, 0, 2, 3, 3, 3];
const NOON = Date.UTC(2026, 2, 14, 12);
const { fixtures, tickets } = JSON.parse(readFileSync('test/support/tickets.json', 'utf8'));
const { startSandbox } = createRequire(import.meta.url)('../../dist/library/sandbox.cjs');
const home = mkdtempSync(join(tmpdir(), 'gatectl-workspace-'));
const say = line => process.stdout.write(`${line}\n`);

function expect(holds, text) {
  if (!holds) throw new Error(text);
}

function browserPath() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const found = [process.env.CHROMIUM, ...names.flatMap(name => folders.map(folder => join(folder, name)))];
  const path = found.find(path => path && existsSync(path));
  if (path === undefined) throw new Error('no Chromium: install one, or say where it is in CHROMIUM');
  return path;
}

/** Starts `gatectl reader --web`; resolves to the address that it prints. */
async function serve(baseUrl) {
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    GATECTL_BASE_URL: baseUrl,
    GATECTL_API_KEY: fixtures.apiKey,
    GATECTL_DOMAIN: 'example.com',
  };
  const child = spawn(process.execPath, ['bin/gatectl.js', 'reader', '--web'], { env });
  let printed = '';
  child.stderr.on('data', chunk => {
    printed += chunk;
  });
  const url = await new Promise((resolve, reject) => {
    child.stdout.on('data', chunk => {
      printed += chunk;
      const [found] = /http:\S+(?=\n)/.exec(printed) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', code => reject(new Error(`gatectl reader --web ended with ${code}: ${printed}`)));
  });
  return {
    url,
    printed: () => printed,
    close: () =>
      new Promise(resolve => {
        child.removeAllListeners('exit').once('exit', resolve);
        child.kill('SIGTERM');
      }),
  };
}

/** A workbook of forty tickets. */
function workbook() {
  const cell = text => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
  const rows = Array.from({ length: 40 }, (_, at) => [
    `T-${1001 + at}`,
    `${at === 0 ? 'active' : `r${at}`}@example.com`,
  ]);
  const data = [['ticket', 'email'], ...rows].map(cells => `<row>${cells.map(cell).join('')}</row>`).join('');
  return Buffer.from(
    zipSync({
      'xl/workbook.xml': strToU8(
        '<workbook xmlns:r="r"><sheets><sheet name="Tickets" r:id="a"/></sheets></workbook>',
      ),
      'xl/_rels/workbook.xml.rels': strToU8(
        '<Relationships><Relationship Id="a" Target="worksheets/a.xml"/></Relationships>',
      ),
      'xl/worksheets/a.xml': strToU8(`<worksheet><sheetData>${data}</sheetData></worksheet>`),
    }),
  );
}

async function open(context, server) {
  const page = await context.newPage();
  const troubles = [];
  page.on('console', message => troubles.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', error => troubles.push(String(error)));
  page.on('request', request => {
    const { origin, search, pathname } = new URL(request.url());
    if (origin !== new URL(server.url).origin || search !== '' || /@|%40/.test(pathname))
      troubles.push(`requests ${request.url()}`);
  });
  await page.goto(server.url);
  return { page, troubles };
}

/** Presses a key and waits for the answer after Enter; returns how many keys that were. */
async function press(page, key, clock) {
  if (key === 'an hour passes') {
    clock.advance(2 * 3_600_000);
    return 0;
  }
  const [, how, text = ''] = /^(paste|type):([\s\S]*)$/.exec(key) ?? [];
  if (how === 'paste') await page.keyboard.insertText(text);
  else if (how === 'type') await page.keyboard.type(text);
  else if (key === 'Enter') await answered(page, () => page.keyboard.press(key));
  else await page.keyboard.press(key === 'Space' ? ' ' : key);
  return how === 'type' ? text.length : 1;
}

async function answered(page, act) {
  const response = page.waitForResponse(() => true);
  await act();
  await (await response).finished();
  await page.waitForFunction(() => !document.getElementById('status').textContent.endsWith('…'));
}

async function work(
  context,
  server,
  { ticket, keys = [], list, language, mask, shows, hides = [] },
  keystrokes,
  clock,
) {
  const { page, troubles } = await open(context, server);
  let count = 0;
  if (list) {
    const bytes = [...workbook()];
    await answered(page, () =>
      page.evaluate(data => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([new Uint8Array(data)], 'tickets.xlsx'));
        document.dispatchEvent(
          new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }),
        );
      }, bytes),
    );
  }
  if (language !== undefined) {
    await page.locator('#language').selectOption(language);
    const said = await page.evaluate(() => document.documentElement.lang);
    expect(said === language, `${ticket}: the page is in ${said}`);
    await page.locator('#field').focus();
    count += 1;
  }
  for (const key of keys) count += await press(page, key, clock);
  if (mask) {
    await answered(page, () => page.keyboard.press('Alt+KeyM'));
    count += 1;
  }
  const seen = (await page.locator('main').innerText()).replace(/\s+/g, ' ');
  for (const text of shows) expect(seen.includes(text), `${ticket}: does not show ${text}:\n${seen}`);
  for (const text of hides) expect(!seen.includes(text), `${ticket}: shows ${text}`);
  expect(count === keystrokes, `${ticket}: took ${count} keys instead of ${keystrokes}`);
  if (!list) {
    await page.keyboard.press('Alt+KeyC');
    if (!shows.some(text => text.includes('of 2 readers'))) {
      await page.waitForFunction(() =>
        ['Reply copied.', 'Antwort kopiert.'].includes(document.getElementById('status').textContent),
      );
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(/^(?:Hello|Guten Tag)/.test(copied), `${ticket}: copied ${copied}`);
    }
  }
  const stored = await page.evaluate(async () => [
    ...Object.keys(localStorage),
    ...Object.keys(sessionStorage),
    document.cookie,
    ...(await caches.keys()),
    ...(await indexedDB.databases()).map(({ name }) => name),
  ]);
  expect(stored.join('') === '', `${ticket}: stores ${stored}`);
  expect(!/@|%40/.test(page.url()), `${ticket}: an address in ${page.url()}`);
  await accessible(page, ticket);
  await page.close();
  expect(troubles.length === 0, `${ticket}:\n${troubles.join('\n')}`);
  say(`${ticket}: ${count} keys`);
}

/** Throws for what axe-core finds, and for a page that scrolls sideways, at both widths. */
async function accessible(page, what) {
  await page.evaluate(axe.source);
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 });
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    const found = violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join('\n  ')}`,
    );
    expect(found.length === 0, `${what} at ${width} pixels:\n${found.join('\n')}`);
    const used = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(used <= width, `${what}: at ${width} pixels the page is ${used} pixels wide`);
  }
}

/** Tabs through the page: each control has a visible focus. Recalls with the arrow keys, clears with Escape. */
async function useKeyboard(context, server) {
  const { page } = await open(context, server);
  await page.keyboard.insertText('active@example.com');
  await answered(page, () => page.keyboard.press('Enter'));
  await page.keyboard.press('ArrowUp');
  expect((await page.locator('#field').inputValue()) === 'active@example.com', 'ArrowUp recalls nothing');
  await page.keyboard.press('Escape');
  expect((await page.locator('#field').inputValue()) === '', 'Escape clears nothing');
  const names = [];
  for (let presses = 0; presses < 12; presses += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const { activeElement: element } = document;
      if (element === null || element === document.body) return undefined;
      return {
        name: element.id || element.textContent.slice(0, 20),
        outline: getComputedStyle(element).outlineStyle,
      };
    });
    if (focused === undefined) break;
    expect(focused.outline !== 'none', `the focus on ${focused.name} is invisible`);
    names.push(focused.name);
  }
  for (const name of ['mask', 'language', 'open-list', 'copy-reply', 'copy-all'])
    expect(names.includes(name), `the keyboard does not reach ${name}: ${names}`);
  await page.keyboard.insertText('');
  await page.locator('#field').focus();
  await page.keyboard.insertText('hello');
  await answered(page, () => page.keyboard.press('Enter'));
  expect((await page.locator('#status').getAttribute('class')) === 'problem', 'a wrong text is no problem');
  expect(
    (await page.locator('#field').inputValue()) === 'hello',
    'a wrong text does not stay to be corrected',
  );
  await page.close();
  say('keyboard: reaches all, recalls, clears');
}

/** A gateway whose texts are all markup. */
async function hostileGateway() {
  const server = createServer((request, response) => {
    const isDecision = request.url?.includes('/access');
    const isList = request.url?.includes('/products');
    const data = isDecision
      ? { decision: 'denied', reasonCode: HOSTILE, [HOSTILE]: HOSTILE }
      : isList
        ? [HOSTILE]
        : [{ productKey: HOSTILE, item: HOSTILE, status: HOSTILE, expiresAt: HOSTILE, [HOSTILE]: HOSTILE }];
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ success: true, data }));
  });
  const port = await listen(server);
  return { baseUrl: `http://127.0.0.1:${port}`, close: () => server.close() };
}

async function showHostile(context, server) {
  const { page, troubles } = await open(context, server);
  await page.keyboard.insertText(`${HOSTILE} hostile@example.com`);
  await answered(page, () => page.keyboard.press('Enter'));
  expect((await page.locator('#answer').innerText()).includes(HOSTILE), 'hostile text is not shown');
  const list = `name,email\n"${HOSTILE.replaceAll('"', '""')}",hostile@example.com\n`;
  await answered(page, () =>
    page.locator('#file').setInputFiles({
      name: `${HOSTILE.replaceAll('/', '')}.csv`,
      mimeType: 'text/csv',
      buffer: Buffer.from(list),
    }),
  );
  expect(
    (await page.locator('#answer').innerText()).includes(HOSTILE),
    'hostile text of a list is not shown',
  );
  expect((await page.locator('img, #answer script').count()) === 0, 'hostile text became an element');
  expect(!(await page.evaluate(() => 'hacked' in window)), 'ran what came with the data');
  await accessible(page, 'hostile');
  await page.close();
  expect(troubles.length === 0, `hostile:\n${troubles.join('\n')}`);
  say('hostile text: shown as text');
}

/** The files below a folder that contain an address. */
function withAddresses(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(name => join(folder, name))
    .filter(
      path =>
        statSync(path).isFile() &&
        (path.includes('@') || readFileSync(path, 'latin1').includes('@example.com')),
    );
}

const sandbox = await startSandbox({ fixtures, clock: new Date(NOON) });
const { clock } = sandbox;
const hostile = await hostileGateway();
const servers = [await serve(sandbox.baseUrl), await serve(hostile.baseUrl)];
try {
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    clock.set(new Date(NOON));
    const browser = await chromium.launch({
      executablePath: browserPath(),
      args: ['--no-sandbox', '--disable-gpu'],
    });
    try {
      say(`${colorScheme}:`);
      const context = await browser.newContext({
        colorScheme,
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      for (const [at, ticket] of tickets.entries())
        await work(context, servers[0], ticket, KEYSTROKES[at], clock);
      await useKeyboard(context, servers[0]);
      await showHostile(context, servers[1]);
    } finally {
      await browser.close();
    }
  }
  for (const server of servers)
    expect(!server.printed().includes('@'), `prints an address: ${server.printed()}`);
  const found = withAddresses(home);
  expect(found.length === 0, `addresses in ${found}`);
  say('no address in a file, a URL or a log');
} finally {
  await Promise.all(servers.map(server => server.close()));
  hostile.close();
  await sandbox.close();
  rmSync(home, { recursive: true, force: true });
}
