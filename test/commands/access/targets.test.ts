import { describe, expect, onTestFinished, test } from 'vitest';
import { run } from '../../support/run.ts';
import { granted, wireServer } from '../../support/wire-server.ts';

const READ = 'https://example.com/articles/long-read';
const ask = (...args: string[]) => run(['access', ...args, '--sandbox']);
const item = (typed: string, ...more: string[]) => ask('item@example.com', '--item', typed, ...more);

describe('a pasted article', () => {
  test.each([`${READ}?utm_source=newsletter&utm_medium=email`, `${READ}#comments`])(
    '%s is allowed for a reader who bought it, and says under which key',
    async typed => {
      const ran = await item(typed, '--exit-code', '-o', 'json');
      expect([ran.code, JSON.parse(ran.stdout), ran.stderr]).toEqual([
        0,
        {
          decision: 'allowed',
          reasonCode: 'allowed',
          allowed: true,
          meaning: 'the reader has access now',
          boughtAs: READ,
        },
        `note: checked ${typed}, which the reader bought as ${READ}\n`,
      ]);
    },
  );

  test.each([
    'https://www.example.com/articles/long-read',
    'http://example.com/articles/long-read#comments',
    `${READ}/`,
  ])(
    '%s is denied as typed, and the decision on the bought spelling is said to be on that one',
    async typed => {
      const ran = await item(typed, '--exit-code', '-o', 'json');
      expect([ran.code, JSON.parse(ran.stdout), ran.stderr]).toEqual([
        3,
        expect.objectContaining({ decision: 'denied', allowed: false, nearest: READ }),
        `note: ${READ} is another item than ${typed}: allowed\n`,
      ]);
    },
  );

  test('is never allowed for the purchase of another route', async () => {
    const [five, six] = ['https://example.com/#/a/5', 'https://example.com/#/a/6'];
    const server = await wireServer(({ target }) => {
      if (target.includes('/purchases')) return granted([{ item: five, status: 'active' }]);
      const decision = new URL(target, 'http://x').searchParams.get('item') === five ? 'allowed' : 'denied';
      return granted({ decision, reasonCode: decision });
    });
    onTestFinished(() => server.close());
    const env = {
      GATECTL_BASE_URL: server.baseUrl,
      GATECTL_API_KEY: 'some-key',
      GATECTL_DOMAIN: 'example.com',
    };
    const words = ['access', 'a@example.com', '--exit-code', '--jq', '.decision', '--item'];
    const ran = await run([...words, six], { env });
    expect([ran.code, ran.stdout]).toEqual([3, 'denied\n']);
    expect((await run([...words, 'https://example.com/?utm_source=a#/a/5'], { env })).code).toBe(0);
  });

  test('that has expired is expired, not denied', async () => {
    const ran = await item(
      'https://example.com/articles/election-night?utm_source=a',
      '--exit-code',
      '--jq',
      '[.decision, .boughtAs]',
    );
    expect([ran.code, ran.stdout]).toEqual([
      3,
      '["expired","https://example.com/articles/election-night"]\n',
    ]);
  });

  test('that the reader did not buy is denied, and a similar purchase is named', async () => {
    const ran = await item(`${READ}s`, '--exit-code', '-o', 'json');
    expect([ran.code, JSON.parse(ran.stdout), ran.stderr]).toEqual([
      3,
      expect.objectContaining({ decision: 'denied', allowed: false, nearest: READ }),
      `note: the reader has not bought ${READ}s, but ${READ}\n`,
    ]);
    const other = await item('https://example.com/news/today');
    expect(other.stdout).not.toMatch(/Nearest|Bought/i);
    expect(other.stderr).toBe('');
  });

  test('is matched in a list of readers and by access wait too', async () => {
    const words = ['access', '-', '--item', `${READ}?utm_source=a`, '--sandbox'];
    const ran = await run([...words, '--jq', '[.[] | [.allowed, .boughtAs]]'], {
      input: 'item@example.com\nnobody@example.com\n',
    });
    expect(ran.stdout).toBe(`[[true,"${READ}"],[false,null]]\n`);
    const waited = await run([
      ...['access', 'wait', 'item@example.com', '--item', `${READ}#a`, '--for', '0s'],
      ...['--sandbox', '--jq', '.[].decision'],
    ]);
    expect([waited.code, waited.stdout]).toEqual([0, 'allowed\n']);
  });

  test('is asked about as typed first, and purchases that cannot be read leave the decision as it is', async () => {
    const server = await wireServer(({ target }) =>
      target.includes('/access')
        ? granted({ decision: 'denied', reasonCode: 'no_entitlement' })
        : { status: 400 },
    );
    onTestFinished(() => server.close());
    const env = {
      GATECTL_BASE_URL: server.baseUrl,
      GATECTL_API_KEY: 'some-key',
      GATECTL_DOMAIN: 'example.com',
    };
    const ran = await run(['access', 'a@example.com', '--item', READ, '--exit-code', '--jq', '.decision'], {
      env,
    });
    expect([ran.code, ran.stdout]).toEqual([3, 'denied\n']);
    expect(ran.stderr).toMatch(/^warning: the purchases could not be compared with https:/);
    expect(server.received.map(({ target }) => new URL(target, 'http://x').pathname)).toEqual([
      '/subscriptions/v1/access',
      '/subscriptions/v1/purchases',
    ]);
    expect(new URL(server.received[0]?.target ?? '', 'http://x').searchParams.get('item')).toBe(READ);
  });
});

describe('several products', () => {
  test('in one option or in several are one decision each, as a table, JSON and CSV', async () => {
    const both = ['--product', 'premium,archive'];
    const table = await ask('active@example.com', ...both);
    expect(table.stdout.split('\n')[0]).toBe(
      'Access to premium, archive at example.com for active@example.com',
    );
    expect(table.stdout).toMatch(/^PRODUCT +ALLOWED +DECISION/m);
    const json = await ask('active@example.com', ...both, '-o', 'json');
    const decisions = JSON.parse(json.stdout) as { product: string; allowed: boolean }[];
    expect(decisions.map(({ product, allowed }) => [product, allowed])).toEqual([
      ['premium', true],
      ['archive', false],
    ]);
    const twice = await ask(
      'active@example.com',
      '--product',
      'premium',
      '--product',
      'archive',
      '-o',
      'json',
    );
    expect(twice.stdout).toBe(json.stdout);
    const csv = await ask('active@example.com', ...both, '--csv');
    expect(csv.stdout.split('\n').map(line => line.split(',').slice(0, 3).join())).toEqual([
      'product,allowed,decision',
      'premium,true,allowed',
      expect.stringMatching(/^archive,false,/),
      '',
    ]);
  });

  test('exit 3 with --exit-code unless every decision is allowed', async () => {
    const code = async (...words: string[]) =>
      (await ask('active@example.com', ...words, '--exit-code')).code;
    expect([await code('--product', 'premium'), await code('--product', 'premium,archive')]).toEqual([0, 3]);
    expect(await code('--product', 'premium,premium')).toBe(0);
  });

  test('are checked for each reader of a list', async () => {
    const words = ['access', '-', '--product', 'premium,archive', '--sandbox'];
    const input = 'active@example.com\nexpired@example.com\n';
    const ran = await run([...words, '--csv', '--exit-code'], { input });
    expect([ran.code, ran.stdout.split('\n').map(line => line.split(',').slice(0, 3).join())]).toEqual([
      3,
      [
        'email,product,allowed',
        'active@example.com,premium,true',
        'active@example.com,archive,false',
        'expired@example.com,premium,false',
        'expired@example.com,archive,false',
        '',
      ],
    ]);
  });

  test('mistyped handles bring those that the reader holds or has bought', async () => {
    const held = await ask('active@example.com', '--product', 'premium,sprots');
    expect(held.stderr).toBe('note: the reader holds sports: did you mean --product sports?\n');
    const bought = await ask('expired@example.com', '--product', 'sports,premum,zzzz');
    expect(bought.stderr).toBe('note: the reader has bought premium: did you mean --product premium?\n');
  });

  test('a handle that contains a comma is typed with a backslash, and an empty one is rejected', async () => {
    const ran = await ask('active@example.com', '--product', 'a\\,b', '-o', 'json');
    expect([ran.code, JSON.parse(ran.stdout).decision]).toEqual([0, 'unknown_product']);
    expect((await ask('active@example.com', '--product', 'a\\,b')).stdout).toContain('Access to a,b at');
    const empty = await ask('active@example.com', '--product', 'premium,,sports');
    expect([empty.code, empty.stderr.split('\n')[0]]).toEqual([2, 'error: --product has an empty handle']);
  });

  test('are rejected by a command that checks one', async () => {
    for (const words of [
      ['access', 'wait', 'active@example.com'],
      ['access', 'audit', '--from-file', '-'],
    ]) {
      const ran = await run([...words, '--product', 'premium,archive', '--sandbox'], {
        input: 'a@example.com\n',
      });
      expect([ran.code, ran.stderr.split('\n')[0]]).toEqual([
        2,
        'error: --product names several products, and this command checks one',
      ]);
    }
  });

  test('reader checks each of them', async () => {
    const ran = await run([
      ...['reader', 'active@example.com', '--product', 'sports,archive', '--sandbox'],
      ...['--jq', '[.decisions[].product]'],
    ]);
    expect(JSON.parse(ran.stdout).slice(0, 2)).toEqual(['sports', 'archive']);
  });
});
