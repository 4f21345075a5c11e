import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseFault } from '../../src/sandbox/faults/spec.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { happening, until } from '../support/wait.ts';
import { type Received, type Reply, type WireServer, wireServer } from '../support/wire-server.ts';
import { Terminal, type TerminalOptions } from './terminal.ts';

const KEY = 'canary-key-4711-for-terminals';

async function served(reply: (request: Received) => Reply | Promise<Reply>): Promise<WireServer> {
  const server = await wireServer(reply);
  onTestFinished(() => server.close());
  return server;
}

/** A terminal whose gatectl asks a server. */
async function asking(
  server: { readonly baseUrl: string },
  { env, ...options }: TerminalOptions = {},
): Promise<Terminal> {
  const settings = { GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: KEY, GATECTL_DOMAIN: 'example.com' };
  return await Terminal.open({ ...options, env: { ...settings, ...env } });
}

const cleared = (): Reply => ({ body: '{"Success":true,"Error":""}' });
const slowly = async (): Promise<Reply> => {
  await pause(60);
  return cleared();
};

describe('prompts', () => {
  test.each([
    ['login', [/Base URL of the gateway:/], []],
    ['login', [/Base URL of the gateway:/, /Default domain/], ['https://gateway.example.com']],
  ])('Ctrl-D ends %s at %j as Ctrl-C does', async (words, prompts, typed) => {
    const terminal = await Terminal.open();
    await terminal.gatectl(words);
    for (const [index, prompt] of prompts.entries()) {
      await terminal.until(prompt);
      const text = typed[index];
      if (text === undefined) continue;
      terminal.type(text);
      terminal.press('Enter');
    }
    terminal.press('C-d');
    expect((await terminal.ended()).exit).toBe(130);
    expect(terminal.screen({ all: true })).toContain('error: interrupted');
    expect(terminal.screen({ all: true })).not.toContain('itself failed');
  });

  test('prompts create a profile; the typed key is shown as stars and stored for its owner only', async () => {
    const terminal = await Terminal.open();
    await terminal.gatectl('profile add news');
    await terminal.until(/Base URL of the gateway:/);
    terminal.type('gateway.example.com');
    terminal.press('Enter');
    await terminal.until(/has no scheme: type https:\/\/gateway\.example\.com/);
    terminal.type('https://gateway.example.com');
    terminal.press('Enter');
    await terminal.until(/Default domain/);
    terminal.type('example.com');
    terminal.press('Enter');
    await terminal.until(/Where should the API key be stored\?[\s\S]*nowhere/);
    terminal.press('Enter');
    await terminal.until(/API key:/);
    terminal.type(KEY);
    await terminal.until(/\*{8}/);
    terminal.press('Enter');
    expect((await terminal.ended()).exit).toBe(0);
    expect(terminal.screen({ all: true })).not.toContain('canary');
    const file = join(terminal.home, '.config/gatectl/config.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8')).profiles.news).toMatchObject({
      domain: 'example.com',
      key: { 'api-key': KEY },
    });
  });

  test('login prompts, tests the key and stores it; a second login offers what is stored', async () => {
    const server = await served(request =>
      request.target.startsWith('/cdnservices/ping') && !('x-api-key' in request.headers)
        ? { status: 401, body: '{"Success":false,"Error":"no key"}' }
        : { body: '{"success":true,"Success":true,"data":[]}' },
    );
    const terminal = await Terminal.open({ env: { SHELL: '/bin/bash' } });
    await terminal.gatectl('login');
    await terminal.until(/Base URL of the gateway:/);
    terminal.type(server.baseUrl);
    terminal.press('Enter');
    await terminal.until(/Default domain/);
    terminal.type('example.com');
    terminal.press('Enter');
    await terminal.until(/Where should the API key be stored/);
    terminal.press('Enter');
    await terminal.until(/API key:/);
    terminal.type(KEY);
    terminal.press('Enter');
    await terminal.until(/cdn +✓ yes +key accepted[\s\S]*stored profile default/);
    await terminal.until(/Install completions for bash\?/);
    terminal.type('y');
    terminal.press('Enter');
    expect((await terminal.ended()).exit).toBe(0);
    expect(readFileSync(join(terminal.home, '.bashrc'), 'utf8')).toContain('gatectl');

    await terminal.gatectl('login');
    for (const question of [
      /Profile name:/,
      /Base URL of the gateway:/,
      /Default domain/,
      /keep the current key/,
    ]) {
      await terminal.until(question);
      terminal.press('Enter');
    }
    const { exit, screen } = await terminal.ended();
    expect(exit).toBe(0);
    expect(screen).not.toContain('Install completions');
    expect(terminal.screen({ all: true })).not.toContain('canary');
  });

  test('bda report init prompts with the columns of the gateway, and writes a file that builds', async () => {
    const terminal = await Terminal.open();
    const answer = async (question: RegExp, ...keys: readonly string[]) => {
      await terminal.until(question);
      terminal.press(...keys, 'Enter');
    };
    await terminal.gatectl('bda report init --sandbox');
    await answer(/Data set:[\s\S]*pageview/);
    await answer(/Metrics:[\s\S]*visits/, 'Space');
    await answer(/A section for each of:[\s\S]*country/);
    await answer(/Days:[\s\S]*the previous month/, 'Down');
    await answer(/Compared with:[\s\S]*a year earlier/);
    await answer(/Title: \(The last 28 days\)/);
    expect(await terminal.ended()).toMatchObject({
      exit: 0,
      screen: expect.stringContaining('wrote report.yaml; next: gatectl bda report build report.yaml'),
    });
    expect(readFileSync(join(terminal.home, 'report.yaml'), 'utf8')).toContain(
      'defaults: {data-set: pageview, last: 28d}',
    );
    await terminal.gatectl('bda report build report.yaml --sandbox --out report.html --open');
    expect(await terminal.ended()).toMatchObject({
      exit: 0,
      screen: expect.stringMatching(/report\.html was not opened: there is no display/),
    });
  });

  test('bda sync init prompts with the columns of the gateway, and writes a file that runs', async () => {
    const terminal = await Terminal.open();
    const answer = async (question: RegExp, ...keys: readonly string[]) => {
      await terminal.until(question);
      terminal.press(...keys, 'Enter');
    };
    await terminal.gatectl('bda sync init --sandbox');
    await answer(/Data set:[\s\S]*pageview/);
    // The second one, country.
    await answer(/Dimensions, in addition to day and site:[\s\S]*country/, 'Down', 'Down', 'Down', 'Space');
    await answer(/Metrics:[\s\S]*visits/);
    await terminal.until(/At least one choice must be selected/);
    terminal.press('Space', 'Enter');
    await terminal.until(/Sites of 3, or all with those to come:/);
    terminal.type('example.con');
    terminal.press('Enter');
    await terminal.until(/the account has no site example\.con: did you mean example\.com\?/);
    terminal.press('C-u');
    terminal.type('example.com, example.org');
    terminal.press('Enter');
    await terminal.until(/First day: \(20\d\d-\d\d-\d\d\)/);
    terminal.type('2999-01-01');
    terminal.press('Enter');
    await terminal.until(/2999-01-01 is in the future: type a day up to 20\d\d-\d\d-\d\d/);
    terminal.press('C-u');
    terminal.type('2026-03-01');
    terminal.press('Enter');
    await answer(/Where should the rows be written\?[\s\S]*Parquet[\s\S]*DuckDB/);
    await answer(/Folder: \(lake\)/);
    expect(await terminal.ended()).toMatchObject({
      exit: 0,
      screen: expect.stringContaining('wrote gatectl.sync.yaml; next: gatectl bda sync plan'),
    });
    expect(
      readFileSync(join(terminal.home, 'gatectl.sync.yaml'), 'utf8'),
    ).toBe(`# gatectl bda sync run gatectl.sync.yaml

destination: lake
domains: [example.com, example.org]
tables:
  pageview:
    data_set: pageview
    dimensions: [country]
    metrics: [visits]
    start: 2026-03-01
    partition: month
`);
    await terminal.gatectl('bda sync run --sandbox');
    expect(await terminal.ended()).toMatchObject({
      exit: 0,
      screen: expect.stringMatching(/partitions written/),
    });

    await terminal.command('rm gatectl.sync.yaml');
    await terminal.gatectl('bda sync init');
    await terminal.until(/warning: cannot list the columns[\s\S]*Data set:/);
    terminal.press('C-c');
    expect((await terminal.ended()).exit).toBe(130);
  });

  test('Ctrl-C amid the typing of a key is 130; nothing is stored, and the terminal echoes again', async () => {
    const terminal = await Terminal.open();
    await terminal.gatectl('profile add news');
    await terminal.until(/Base URL of the gateway:/);
    terminal.type('https://gateway.example.com');
    terminal.press('Enter');
    await terminal.until(/Default domain/);
    terminal.press('Enter');
    await terminal.until(/Where should the API key be stored/);
    terminal.press('Enter');
    await terminal.until(/API key:/);
    terminal.type(KEY);
    await terminal.until(/\*{8}/);
    terminal.press('C-c');
    const { exit, screen } = await terminal.ended();
    expect(exit).toBe(130);
    expect(screen).toContain('error: interrupted');
    await terminal.command('stty -a | tr " " "\\n" | grep -c "^echo;*$"; ls .config 2>&1 | head -1');
    expect((await terminal.ended()).screen).toMatch(/^1\n.*[Nn]o such file/);
  });

  test('a purge of a domain requires its name typed: anything else purges nothing', async () => {
    const server = await served(cleared);
    const terminal = await asking(server);
    await terminal.gatectl('cdn purge --all --domain example.com');
    await terminal.until(/Type example\.com to continue:/);
    terminal.type('y');
    terminal.press('Enter');
    expect(await terminal.ended()).toMatchObject({
      exit: 2,
      screen: expect.stringContaining('nothing was purged'),
    });
    expect(server.received).toEqual([]);
    await terminal.gatectl('cdn purge --all --domain example.com');
    await terminal.until(/Type example\.com to continue:/);
    terminal.type('example.com');
    terminal.press('Enter');
    expect((await terminal.ended()).exit).toBe(0);
    expect(server.received.map(({ body }) => body)).toEqual(['{"domain":"example.com"}']);
  });

  /** Pages of a query, of which the third takes longer than the test. */
  const endless = async ({ body, method }: Received): Promise<Reply> => {
    if (method === 'GET') return { status: 404, body: '{}' };
    const { offset = 0 } = JSON.parse(body) as { offset?: number };
    await pause(offset < 200 ? 150 : 60_000, undefined, { ref: false });
    const rows = Array.from({ length: 100 }, (_, at) => ({ country: `c${offset + at}`, visits: 1 }));
    return { body: JSON.stringify({ rows, total_rows: 1000 }) };
  };
  const exporting = (metric: string) =>
    `bda query --data-set pageview -d country -m ${metric} --from 2026-02-01 --to 2026-02-28 --page-size 100 --concurrency 1 --out x.csv`;

  test('rows of another interrupted export are discarded only after a yes', async () => {
    const server = await served(endless);
    const terminal = await asking(server);
    const kept = () =>
      readFileSync(join(terminal.home, 'x.csv.part'), 'utf8').split('\n').slice(0, 2).join('/');
    await terminal.gatectl(exporting('visits'));
    await terminal.until(/[12]00\/1,000 rows/);
    terminal.press('C-c');
    const interrupted = await terminal.ended();
    expect(interrupted.exit).toBe(130);
    expect(interrupted.screen.replaceAll(/\s+/g, ' ')).toMatch(
      /[12]00 rows in [12] pages? are kept in x\.csv\.part; to resume, run: gatectl bda query/,
    );

    for (const [answer, exit] of [
      ['n', 2],
      ['', 2],
      ['C-c', 130],
    ] as const) {
      await terminal.gatectl(exporting('pageviews'));
      const asked = await terminal.until(/Discard them\?/);
      expect(asked.replaceAll(/\s+/g, ' ')).toMatch(
        /x\.csv\.part contains [12]00 rows of another export \(metrics\)/,
      );
      if (answer === 'n') terminal.type(answer);
      terminal.press(answer === 'C-c' ? 'C-c' : 'Enter');
      const ended = await terminal.ended();
      expect(ended.exit, answer).toBe(exit);
      expect(kept(), answer).toBe('country,visits/c0,1');
    }

    await terminal.gatectl(exporting('pageviews'));
    await terminal.until(/Discard them\?/);
    terminal.type('y');
    terminal.press('Enter');
    await terminal.until(/discarding [12]00 rows of an interrupted export/);
    await terminal.until(/[12]00\/1,000 rows/);
    terminal.press('C-c');
    expect((await terminal.ended()).exit).toBe(130);
    expect(kept()).toMatch(/^country,pageviews/);
  });

  test('rows of another interrupted export stay where no prompt is possible', async () => {
    const server = await served(endless);
    const terminal = await asking(server);
    await terminal.gatectl(exporting('visits'));
    await terminal.until(/[12]00\/1,000 rows/);
    terminal.press('C-c');
    expect((await terminal.ended()).exit).toBe(130);
    await terminal.gatectl(`${exporting('pageviews')} --no-input`);
    const { exit, screen } = await terminal.ended();
    expect(exit).toBe(2);
    expect(screen).not.toContain('Discard them?');
    expect(screen).toContain('cannot resume x.csv: metrics has changed since the export began');
  });

  test('--no-input and a pipe prevent prompts', async () => {
    const server = await served(cleared);
    const terminal = await asking(server);
    await terminal.gatectl('cdn purge --all --domain example.com --no-input');
    expect(await terminal.ended()).toMatchObject({
      exit: 2,
      screen: expect.stringContaining('requires confirmation'),
    });
    await terminal.command(
      `yes example.com | ${process.execPath} ${join(import.meta.dirname, '../../bin/gatectl.js')} cdn purge --all --domain example.com`,
    );
    expect((await terminal.ended()).exit).toBe(2);
    expect(server.received).toEqual([]);
  });
});

async function purging(terminal: Terminal, flags = ''): Promise<void> {
  const urls = Array.from({ length: 4000 }, (_, i) => `https://example.com/${i}`);
  writeFileSync(join(terminal.home, 'urls.txt'), urls.join('\n'));
  await terminal.gatectl(`cdn purge --file urls.txt --concurrency 1 ${flags}`);
}

describe('progress', () => {
  test('a bar fits one line, follows a resize, and is removed at the end', async () => {
    const terminal = await asking(await served(slowly));
    await purging(terminal);
    const wide = await terminal.until(/[█░]{8,} +[\d,]+\/4,000 URLs/);
    expect(wide.split('\n').filter(line => line.includes('URLs'))).toHaveLength(1);
    terminal.resize(40);
    await pause(300);
    const narrow = await terminal.until(/\/4,000 URLs/);
    for (const line of narrow.split('\n').filter(text => text.includes('4,000 URLs')))
      expect(line.length).toBeLessThanOrEqual(40);
    const { exit, screen } = await terminal.ended();
    expect(exit).toBe(0);
    expect(screen).not.toContain('/4,000 URLs');
    expect(screen).toMatch(/cleared +4,000/);
  });

  test('without UTF-8 it is plain ASCII', async () => {
    const terminal = await asking(await served(slowly), { env: { LANG: 'C' } });
    await purging(terminal);
    const screen = await terminal.until(/\[#+-*\] +[\d,]+\/4,000 URLs/);
    expect(screen).toMatch(/^[\n -~]*$/);
    terminal.press('C-c');
    expect((await terminal.ended()).exit).toBe(130);
  });

  test.each([
    ['a dumb terminal', '', { TERM: 'dumb' }],
    ['--quiet', '--quiet', {}],
  ])('%s gets no bar', async (_, flags, env) => {
    const server = await served(slowly);
    const terminal = await asking(server, { env });
    await purging(terminal, flags);
    // A bar is there long before: the test above sees it.
    await until(() => server.received.length >= 25);
    expect(terminal.screen()).not.toMatch(/4,000 URLs|[█░#]{3}/);
    terminal.press('C-c');
    expect((await terminal.ended()).exit).toBe(130);
  });

  test('Ctrl-C clears the bar and prints how to resume; --resume clears the rest', async () => {
    const server = await served(slowly);
    const terminal = await asking(server);
    await purging(terminal);
    await terminal.until(/\d,?\d*\/4,000 URLs/);
    terminal.press('C-c');
    const { exit, screen } = await terminal.ended();
    expect(exit).toBe(130);
    expect(screen).not.toContain('/4,000 URLs');
    expect(screen).toMatch(
      /cleared [\d,]+ of 4,000 URLs; to\s+resume,\s+run:\s+gatectl\s+cdn\s+purge\s[\s\S]*--resume/,
    );
    await terminal.gatectl('cdn purge --resume');
    expect((await terminal.ended()).exit).toBe(0);
    expect(new Set(server.received.flatMap(({ body }) => JSON.parse(body).urls as string[])).size).toBe(4000);
  });
});

describe('what is shown', () => {
  const READER = 'access --product premium --email active@example.com --sandbox';

  test('colours on a terminal, none with NO_COLOR, --no-color or TERM=dumb', async () => {
    const error = 'access --product a --item b --sandbox';
    for (const [flags, env, isColoured] of [
      ['', {}, true],
      ['', { NO_COLOR: '1' }, false],
      [' --no-color', {}, false],
      ['', { TERM: 'dumb' }, false],
    ] as const) {
      const terminal = await Terminal.open({ env });
      await terminal.gatectl(error + flags);
      expect((await terminal.ended()).exit).toBe(2);
      expect(
        terminal.screen({ colours: true }).includes('\u001b[1m\u001b[31merror:'),
        JSON.stringify(env) + flags,
      ).toBe(isColoured);
    }
  });

  test('forty columns: no line of a table breaks', async () => {
    const terminal = await Terminal.open({ columns: 40 });
    await terminal.gatectl('purchases --email active@example.com --sandbox');
    const { exit, screen } = await terminal.ended();
    expect(exit).toBe(0);
    // A heading and a line for each of the three purchases, whatever had to be cut or wrapped within its cells.
    expect(screen.split('\n')[0]).toMatch(/^\S.{0,39}$/);
    for (const line of screen.split('\n')) expect(line.length).toBeLessThanOrEqual(40);
    expect(screen).toContain('premium');
  });

  test('only ASCII without UTF-8', async () => {
    const terminal = await Terminal.open({ columns: 40, env: { LANG: 'C' } });
    await terminal.gatectl('purchases --email active@example.com --sandbox');
    const { screen } = await terminal.ended();
    expect(screen).toMatch(/^[\n -~]*$/);
    await terminal.gatectl(READER);
    expect((await terminal.ended()).screen).toMatch(/^[\n -~]*$/);
  });

  test('what a hostile server sends moves nothing and paints nothing', async () => {
    const hostile = '\u001b[2J\u001b[H\u001b[31mGONE\u0007\u202e\u009b5m\r';
    const server = await served(({ target }) =>
      target.includes('products')
        ? { body: JSON.stringify({ success: true, data: [hostile, 'premium'] }) }
        : { status: 400, body: JSON.stringify({ success: false, message: hostile }) },
    );
    const terminal = await asking(server);
    for (const format of ['table', 'json', 'ndjson', 'csv', 'tsv', 'md']) {
      await terminal.gatectl(`products --email a@example.com -o ${format}`);
      const { exit, screen } = await terminal.ended();
      expect(exit).toBe(0);
      expect(screen, format).toMatch(/GONE/);
      expect(screen, format).toMatch(/premium/);
      expect(terminal.screen({ colours: true }), format).not.toMatch(/\u001b\[(?:31|5)m/);
    }
    await terminal.gatectl('purchases --email a@example.com');
    const { exit, screen } = await terminal.ended();
    expect(exit).toBe(5);
    expect(screen).toContain('error: \\x1b[2J\\x1b[H\\x1b[31mGONE\\x07\\u202e\\x9b5m\\r');
  });
});

describe('Ctrl-C', () => {
  test('during a request ends with 130 at once, and the prompt is intact', async () => {
    const asked = happening();
    const sandbox = await startSandbox({
      faults: [parseFault('delay=30s')],
      sleep: async (_, signal) => {
        asked.happens();
        await once(signal, 'abort');
      },
    });
    onTestFinished(() => sandbox.close());
    const terminal = await asking(sandbox, { env: { GATECTL_API_KEY: sandbox.apiKey } });
    await terminal.gatectl('products --email active@example.com');
    await asked.happened;
    terminal.press('C-c');
    const { exit, screen } = await terminal.ended();
    expect(exit).toBe(130);
    expect(screen.split('\n').filter(line => line !== '')).toEqual([
      '^Cerror: interrupted',
      '[exit 130]',
      '$',
    ]);
  });

  test('ends the embedded gateway with 0', async () => {
    const terminal = await Terminal.open();
    await terminal.gatectl('sandbox serve --port 0');
    await terminal.until(/http:\/\/127\.0\.0\.1:\d+/);
    terminal.press('C-c');
    expect((await terminal.ended()).exit).toBe(0);
  });
});

describe('the pager', () => {
  const MANY = 'bda columns --sandbox';

  test('long output is paged by less; q leaves it with 0, and the prompt is intact', async () => {
    const terminal = await Terminal.open();
    await terminal.gatectl(MANY);
    const screen = await terminal.until(/^:$/m);
    expect(screen).toMatch(/^name +type +unit +description$\n^report_day +/m);
    expect(screen).not.toContain('[exit');
    terminal.press('q');
    expect(await terminal.ended()).toMatchObject({ exit: 0 });
    expect(terminal.screen({ all: true })).not.toMatch(/error|EPIPE/);
  });

  test('Ctrl-C within less ends nothing', async () => {
    const terminal = await Terminal.open();
    await terminal.gatectl(MANY);
    await terminal.until(/^:$/m);
    terminal.press('C-c', 'C-c');
    await pause(200);
    terminal.press('Space');
    await terminal.until(/\(END\)|^:$/m);
    terminal.press('q');
    const { exit, screen } = await terminal.ended();
    expect(exit).toBe(0);
    expect(screen).not.toContain('interrupted');
  });

  test('rows on the way to less stop when it is left', async () => {
    const terminal = await Terminal.open();
    const days = '--from 2026-01-01 --to 2026-02-28 --page-size 100';
    await terminal.gatectl(
      `bda query --data-set pageview -d page_url,report_day -m visits ${days} --csv --sandbox`,
    );
    await terminal.until(/^:$/m);
    terminal.press('q');
    expect((await terminal.ended()).exit).toBe(0);
    expect(terminal.screen({ all: true })).not.toMatch(/error|EPIPE/);
  });

  test.each([
    ['short output', 'access active@example.com --product premium --sandbox', {}],
    ['--no-pager', `${MANY} --no-pager`, {}],
    ['a pipe', `${MANY} | cat`, {}],
    ['a file', `${MANY} > columns.txt`, {}],
    ['PAGER=cat', MANY, { PAGER: 'cat' }],
    ['without less', MANY, { PATH: '/nowhere' }],
  ])('%s is not paged', async (_, command, env) => {
    const terminal = await Terminal.open();
    const settings = Object.entries(env).map(([name, value]) => `${name}=${value} `);
    await terminal.gatectl(command, settings.join(''));
    expect((await terminal.ended()).exit).toBe(0);
  });
});
