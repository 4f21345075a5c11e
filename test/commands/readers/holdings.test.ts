import { describe, expect, test } from 'vitest';
import { run } from '../../support/run.ts';
import { granted, type Reply, wireServer } from '../../support/wire-server.ts';

const sandbox = (...args: string[]) => run([...args, '--sandbox']);

describe('an empty list is still output in every format', () => {
  test.each([
    ['json', '[]\n'],
    ['ndjson', ''],
    ['csv', 'product\n'],
    ['tsv', 'product\n'],
    ['table', 'this reader holds no product here\n'],
    ['md', 'this reader holds no product here\n'],
  ])('%s', async (format, stdout) => {
    expect(await sandbox('products', 'nobody@example.com', '-o', format)).toEqual({
      code: 0,
      stdout,
      stderr: '',
    });
  });
});

describe('the address is the argument', () => {
  test.each([
    ['products active@example.com --csv', 'product\npremium\nsports\n'],
    ['purchases active@example.com --jq .[0].productKey', 'premium\n'],
    ['reader active@example.com --jq .products[0]', 'premium\n'],
    ['reader --product premium active@example.com --jq .decisions[0].product', 'premium\n'],
    ['token active@example.com --jq .token|length>0', 'true\n'],
    ['products “active@example.com” --csv', 'product\npremium\nsports\n'],
  ])('%s', async (line, stdout) => {
    expect(await sandbox(...line.split(' '))).toMatchObject({ code: 0, stdout });
  });

  test.each(['products', 'purchases', 'reader', 'token'])(
    '%s rejects it together with --email',
    async command => {
      expect(await sandbox(command, 'a@example.com', '--email', 'a@example.com')).toEqual({
        code: 2,
        stdout: '',
        stderr: 'error: EMAIL and --email cannot be combined\n  name one reader\n',
      });
    },
  );

  test('without one, a hint shows what to type', async () => {
    expect((await sandbox('products')).stderr).toBe(
      'error: a reader is required\n  type an e-mail address, @FILE for a list or an e-mail, or - for stdin\n  for a session token: --reader-token-stdin\n',
    );
    expect((await sandbox('token')).stderr).toBe(
      'error: an e-mail address is required\n  type gatectl token EMAIL\n',
    );
  });
});

describe('purchases', () => {
  test('csv has the documented columns in a fixed order', async () => {
    const { stdout } = await sandbox('purchases', '--email', 'active@example.com', '--csv');
    expect(stdout).toBe(
      'productKey,item,status,expiresAt\npremium,,active,2031-12-31T23:59:59Z\nsports,,active,\n,https://example.com/articles/long-read,active,\n',
    );
  });

  test('--active omits what gives no access now', async () => {
    const all = await sandbox('purchases', '--email', 'expired@example.com', '--jq', 'length');
    const active = await sandbox('purchases', '--email', 'expired@example.com', '--active', '--jq', 'length');
    expect([all.stdout, active.stdout]).toEqual(['1\n', '0\n']);
  });
});

describe('what an API may send beyond what is documented', () => {
  const ask = async (args: string[], reply: Reply) => {
    const server = await wireServer(() => reply);
    const env = {
      GATECTL_BASE_URL: server.baseUrl,
      GATECTL_API_KEY: 'some-key',
      GATECTL_DOMAIN: 'example.com',
    };
    const ran = await run([...args, '--email', 'a@example.com'], { env });
    await server.close();
    return ran;
  };

  test('unknown fields and every digit reach json', async () => {
    const body =
      '{"success":true,"data":[{"productKey":"p","status":"active","price":12345678901234567890.10,"new":{"a":[1e400]}}]}';
    const { stdout } = await ask(['purchases', '-o', 'ndjson'], { body });
    expect(stdout).toBe(
      '{"productKey":"p","status":"active","price":12345678901234567890.10,"new":{"a":[1e400]}}\n',
    );
  });

  test('text from the server cannot drive the terminal', async () => {
    const { stdout } = await ask(
      ['purchases'],
      granted([{ productKey: 'a\u001b]0;x\u0007b', status: 'act\rive\u202e' }]),
    );
    expect(stdout).toBe('PRODUCT         STATUS          ENDS\na\\x1b]0;x\\x07b  act\\rive\\u202e  –\n');
  });

  test('wide characters line up', async () => {
    const { stdout } = await ask(
      ['purchases'],
      granted([
        { productKey: '日本語', status: 'active' },
        { productKey: '👩‍👩‍👧é', status: 'x' },
      ]),
    );
    expect(stdout).toBe('PRODUCT  STATUS  ENDS\n日本語   active  –\n👩‍👩‍👧é      x       –\n');
  });

  test.each(['products', 'reader'])('%s accepts only texts as product handles', async command => {
    const reply = granted([{ productKey: 'p', status: 'active' }]);
    const { code, stdout, stderr } = await ask([command], reply);
    expect({ code, stdout, first: stderr.split('\n')[0] }).toEqual({
      code: 6,
      stdout: '',
      first: 'error: no list of products in the response',
    });
  });

  test('a response that is not a list is an error, not a crash', async () => {
    expect((await ask(['products'], granted({ a: 1 }))).code).toBe(6);
    expect((await ask(['purchases'], granted(['p']))).code).toBe(6);
    expect((await ask(['token'], granted({}))).code).toBe(6);
  });
});

describe('the support view', () => {
  test('json holds products, purchases and a decision for each product concerned', async () => {
    const { stdout } = await sandbox(
      'reader',
      '--email',
      'denied@example.com',
      '--product',
      'premium',
      '--json',
    );
    expect(JSON.parse(stdout)).toMatchObject({
      reader: 'denied@example.com',
      domain: 'example.com',
      products: ['sports'],
      purchases: [{ productKey: 'sports', status: 'active' }],
      decisions: [
        { product: 'premium', decision: 'denied', reasonCode: 'no_entitlement', allowed: false },
        { product: 'sports', decision: 'allowed', allowed: true },
      ],
    });
  });

  test('an unknown reader is reported as such, exit 0', async () => {
    const { code, stdout } = await sandbox('reader', '--email', 'nobody@example.com', '--product', 'premium');
    expect(code).toBe(0);
    expect(stdout).toContain('This address is not known at example.com.');
  });

  test('csv holds the decisions', async () => {
    const { stdout } = await sandbox('reader', '--email', 'active@example.com', '--csv');
    expect(stdout.split('\n')[0]).toBe('product,decision,reasonCode,allowed,meaning,next,nearest');
  });
});

test('on a terminal of any width a token has a line to itself, to be copied', async () => {
  const args = ['token', '--email', 'reader@example.com', '--sandbox'];
  const { stdout } = await run(args, { columns: 40, env: { NO_COLOR: '1' } });
  expect(stdout).toMatch(/^[\w-]{20,}\.[\w-]{20,}\.[\w-]{20,}\nEXPIRES {2}\S/);
  expect((await run([...args, '-o', 'md'])).stdout).toContain('| Token   | ey');
});

test('an identity token is printed with its lifetime, and --jq extracts it for a script', async () => {
  const { stdout } = await sandbox('token', '--email', 'reader@example.com', '--json');
  const { token, expiresAt } = JSON.parse(stdout);
  expect(token.split('.')).toHaveLength(3);
  expect(expiresAt).toBe('2026-03-14T13:00:00Z');
});
