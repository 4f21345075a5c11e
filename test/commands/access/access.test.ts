import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../../support/run.ts';
import { granted, type Reply, wireServer } from '../../support/wire-server.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatectl-access-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const ask = (...args: string[]) => run(['access', ...args, '--sandbox']);
const premium = (email: string, ...more: string[]) => ask('--product', 'premium', '--email', email, ...more);

describe('one reader', () => {
  test('a table shows the decision, its reason and its meaning', async () => {
    expect(await premium('active@example.com')).toEqual({
      code: 0,
      stderr: '',
      stdout:
        'Access to premium at example.com for active@example.com\n' +
        'ALLOWED   yes\nDECISION  allowed\nREASON    allowed\nMEANING   the reader has access now\n',
    });
  });

  test('product and reader are printed above the decision, with the address masked on request', async () => {
    const heading = async (...args: string[]) => (await ask(...args)).stdout.split('\n')[0];
    expect(await heading('--product', 'premium', '--email', 'active@example.com', '--mask')).toBe(
      'Access to premium at example.com for a***@example.com',
    );
    expect(
      await heading('--item', 'https://example.com/a', '--email', 'active@example.com', '-o', 'md'),
    ).toBe('### Access to the item https://example.com/a at example.com for active@example.com');
    await writeFile(join(folder, 'one.txt'), 'active@example.com\n');
    expect(await heading('--product', 'premium', '--from-file', join(folder, 'one.txt'))).toBe(
      'Access to premium at example.com',
    );
  });

  test.each([
    'https://example.com/a?e=active%40example.com&b=YWN0aXZlQGV4YW1wbGUuY29t',
    'active@example.com',
    'https://example.com/u/active@example.com',
  ])('--mask hides the address inside the item %s', async item => {
    const file = join(folder, 'masked.txt');
    await writeFile(file, 'active@example.com\n');
    for (const words of [
      ['access', 'active@example.com', '-o', 'md'],
      ['access', '--from-file', file],
      ['reader', 'active@example.com'],
    ]) {
      const ran = await run([...words, '--item', item, '--mask', '--sandbox']);
      expect([ran.code, ran.stderr]).toEqual([0, '']);
      expect(ran.stdout.replaceAll('\\', '')).toContain('***');
      expect(ran.stdout).not.toMatch(/active(?:@|%40)|YWN0aXZl/);
    }
  });

  test.each(['access', 'reader'])('%s --mask cannot be combined with --curl', async name => {
    const product = ['--product', 'premium'];
    const ran = await run([name, 'active@example.com', ...product, '--mask', '--curl', '--sandbox']);
    expect([ran.code, ran.stdout]).toEqual([2, '']);
    expect(ran.stderr).toContain('--mask and --curl cannot be combined');
  });

  test.each(['https://www.example.com/news', 'https://example.com/', 'example.com:80'])(
    '--domain %s uses example.com, with a note',
    async domain => {
      const ran = await premium('active@example.com', '--domain', domain, '--jq', '.decision');
      expect(ran).toEqual({
        code: 0,
        stdout: 'allowed\n',
        stderr: `note: using the domain example.com of ${domain}\n`,
      });
    },
  );

  test('--domain with an address or an invalid name is rejected before anything is sent', async () => {
    const at = async (domain: string) => (await premium('active@example.com', '--domain', domain)).code;
    expect([await at('a@example.com'), await at('example'), await at('https://192.0.2.1/')]).toEqual([
      2, 2, 2,
    ]);
    expect((await premium('active@example.com', '--domain', 'Example.com')).stderr).toBe('');
  });

  test('the address is the argument', async () => {
    expect(await ask('active@example.com', '--product', 'premium', '--jq', '.decision')).toEqual({
      code: 0,
      stdout: 'allowed\n',
      stderr: '',
    });
  });

  test('a session token is not accepted as the argument, and is not printed', async () => {
    const token = `eyJhbGciOiJIUzI1NiJ9.${'e'.repeat(40)}.signature`;
    expect(await ask(token, '--product', 'premium')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'error: a session token is not accepted in place of an e-mail address\n  pass the token on stdin with --reader-token-stdin\n',
    });
  });

  test('a www. domain is sent as typed: the API decides whether the account has it', async () => {
    const words = [
      'access',
      '--product',
      'premium',
      '--email',
      'a@example.com',
      '--domain',
      'www.example.com',
    ];
    const ran = await run([...words, '--curl'], {
      env: { GATECTL_BASE_URL: 'https://gateway.example.com' },
    });
    expect(ran.stdout).toContain('/subscriptions/v1/access?domain=www.example.com&product=premium');
  });

  test('--failed-file never overwrites the list of readers', async () => {
    const file = join(folder, 'kept.txt');
    await writeFile(file, 'active@example.com\n');
    const ran = await ask('--product', 'premium', '--from-file', file, '--failed-file', file);
    expect([ran.code, ran.stderr]).toEqual([
      2,
      `error: --from-file and --failed-file are the same file, ${file}\n  --failed-file overwrites its file; give it another name\n`,
    ]);
    expect(await readFile(file, 'utf8')).toBe('active@example.com\n');
  });

  test('json holds what the API sent, and allowed and meaning', async () => {
    const { stdout } = await premium('suspended@example.com', '--json');
    expect(JSON.parse(stdout)).toEqual({
      decision: 'denied',
      reasonCode: 'suspended',
      allowed: false,
      meaning: 'the subscription is on hold, so there is no access for now',
    });
  });

  test('an unknown reader is a result, exit 0', async () => {
    expect(await premium('nobody@example.com', '--jq', '.decision')).toEqual({
      code: 0,
      stdout: 'login_required\n',
      stderr: '',
    });
  });

  test.each([
    ['active@example.com', 0],
    ['nobody@example.com', 3],
    ['denied@example.com', 3],
    ['expired@example.com', 3],
    ['revoked@example.com', 3],
    ['pending@example.com', 3],
  ])('access with --exit-code exits for %s with %i', async (email, code) => {
    expect((await premium(email, '--exit-code')).code).toBe(code);
  });

  test('a session token can come from stdin', async () => {
    const serving = await run(['access', '--product', 'premium', '--reader-token-stdin', '--sandbox'], {
      input: 'x.y.z\n',
    });
    expect(serving.code).toBe(4);
  });
});

describe('bad input is rejected before anything is sent', () => {
  test.each<[string[], string]>([
    [['--email', 'a@example.com'], '--product or --item is required'],
    [
      ['--product', 'p', '--item', 'i', '--email', 'a@example.com'],
      '--product and --item cannot be combined',
    ],
    [['--product', 'p'], 'a reader is required'],
    [
      ['--product', 'p', '--email', 'a@example.com', '--reader-token', 't'],
      '--email and --reader-token cannot be combined',
    ],
    [['--product', 'p', '--email', 'a@@example.com'], 'not a valid e-mail address'],
    [['--product', 'p', 'a@@example.com'], 'not a valid e-mail address'],
    [['--product', 'p', '--email', 'a@example.com\r\nX-Evil: 1'], '--email contains U+000D at character 14'],
    [['--product', 'p', '--email', 'a@example.com', '--email', 'b@example.com'], '--email was given twice'],
    [
      ['--product', 'p', '--from-file', 'f', '--email', 'a@example.com'],
      'a list of readers and --email cannot be combined',
    ],
    [
      ['--product', 'p', '--email', 'a@example.com', '--failed-file', 'f'],
      'one reader and --failed-file cannot be combined',
    ],
    [['--prodct', 'p'], "unknown option '--prodct'"],
    [['--product', 'p', '--email', 'a@example.com', '-o', 'xml'], "invalid --output 'xml'"],
    [
      ['--product', 'p', '--email', 'a@example.com', '--json', '--csv'],
      '--json and --csv are different formats',
    ],
    [['--product', 'p', '--email', 'a@example.com', '--retries', '-1'], "invalid --retries '-1'"],
    [['--product', 'p', '--email', 'a@example.com', 'a@example.com'], 'EMAIL and --email cannot be combined'],
    [['--product', 'p', 'a@example.com', 'extra'], 'word 2 is neither an e-mail address nor a page'],
  ])('%j', async (args, message) => {
    const server = await wireServer(() => ({}));
    const env = {
      GATECTL_BASE_URL: server.baseUrl,
      GATECTL_API_KEY: 'some-key',
      GATECTL_DOMAIN: 'example.com',
    };
    const ran = await run(['access', ...args], { env });
    await server.close();
    expect({ code: ran.code, stdout: ran.stdout, sent: server.received.length }).toEqual({
      code: 2,
      stdout: '',
      sent: 0,
    });
    const told = ran.stderr.startsWith('{')
      ? JSON.parse(ran.stderr).error.message
      : ran.stderr.split('\n')[0]?.replace('error: ', '');
    expect(told).toBe(message);
  });

  test('a mistyped flag is rejected with the nearest one', async () => {
    expect((await ask('--prodct', 'x')).stderr).toBe(
      "error: unknown option '--prodct'\n  did you mean --product?\n",
    );
  });
});

describe('many readers', () => {
  const list =
    'email,name\nactive@example.com,A\nnobody@example.com,N\nexpired@example.com,E\nactive@example.com,A again\n';
  const many = (input: string, ...args: string[]) =>
    run(['access', '--product', 'premium', '--from-file', '-', '--sandbox', ...args], { input });

  test('csv has one row each, in the order of the file', async () => {
    const ran = await many(list, '--csv');
    expect(ran.code).toBe(0);
    expect(ran.stdout.split('\n').map(line => line.split(',').slice(0, 5).join(','))).toEqual([
      'email,name,allowed,decision,reasonCode',
      'active@example.com,A,true,allowed,allowed',
      'nobody@example.com,N,false,login_required,customer_required',
      'expired@example.com,E,false,expired,expired',
      'active@example.com,A again,true,allowed,allowed',
      '',
    ]);
    expect(ran.stderr).toBe('');
    const plain = await many('active@example.com\nactive@example.com\n', '--jq', 'length');
    expect([plain.stdout, plain.stderr]).toEqual(['1\n', 'note: skipped 1 duplicate address\n']);
  });

  test('the list may be the argument: - for stdin, @FILE for a file, also behind --from-file', async () => {
    const file = join(folder, 'two.txt');
    await writeFile(file, 'active@example.com\nnobody@example.com\n');
    const decisions = 'allowed\nlogin_required\n';
    for (const words of [[`@${file}`], ['--from-file', `@${file}`], ['--from-file', file]])
      expect((await ask(...words, '--product', 'premium', '--jq', '.[].decision')).stdout).toBe(decisions);
    const input = await readFile(file, 'utf8');
    const words = ['access', '-', '--product', 'premium', '--sandbox', '--jq', '.[].decision'];
    expect((await run(words, { input })).stdout).toBe(decisions);
  });

  test('ndjson streams a line each, and --mask hides the addresses', async () => {
    const { stdout } = await many(
      'active@example.com\n\n# comment\nnobody@example.com\n',
      '-o',
      'ndjson',
      '--mask',
    );
    expect(
      stdout
        .trim()
        .split('\n')
        .map(line => JSON.parse(line).email),
    ).toEqual(['a***@example.com', 'n***@example.com']);
  });

  test('--exit-code exits 3 when one of them has no access', async () => {
    expect((await many(list, '--exit-code')).code).toBe(3);
    expect((await many('active@example.com\n', '--exit-code')).code).toBe(0);
  });

  test.each<[string, string[]]>([
    ['', ['the list contains no reader']],
    ['email\n', ['the list contains no reader']],
    ['email,name\na@example.com,A\n,B\n', ['line 3: no address']],
    ['{"email":"a@example.com"}\n{"email":"b"}\n', ['line 2: not an e-mail address']],
    ['["a@example.com","b"]', ['item 2: not an e-mail address']],
    ['a@@example.com,A\nb@example.com,B\n', ['line 1: not an e-mail address']],
    [
      'active@example.com\nnot an address\n\n@\n',
      ['line 2: not an e-mail address', 'line 4: not an e-mail address'],
    ],
  ])('a list such as %j is rejected with line numbers', async (input, problems) => {
    const ran = await many(input);
    expect(ran).toEqual({
      code: 2,
      stdout: '',
      stderr: [
        'error: the readers on stdin cannot be used, and nothing was sent',
        ...problems.map(p => `  ${p}`),
        ...(problems[0]?.startsWith('the list') ? [] : ['  fix them, or pass --skip-invalid']),
        '',
      ].join('\n'),
    });
  });

  test('CSV without an e-mail address is rejected', async () => {
    expect(await many('name,age\nA,1\n')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'error: no column of standard input contains an e-mail address\n  name the column email, or pass one e-mail address per line\n',
    });
  });

  test.each([
    ['CSV with a quoted header', '"email"\n"active@example.com"\n"nobody@example.com"\n'],
    ['CSV with semicolons', 'name;contact\nA;active@example.com\nN;nobody@example.com\n'],
    ['JSON', '[{"email":"active@example.com"},{"email":"nobody@example.com"}]'],
    ['ndjson', '{"email":"active@example.com"}\n{"email":"nobody@example.com"}\n'],
  ])('a list may be %s', async (_, input) => {
    expect((await many(input, '--jq', '.[].decision')).stdout).toBe('allowed\nlogin_required\n');
  });

  const UTF16 = { le: (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le') };
  const bytes = (input: Buffer, ...args: string[]) =>
    run(['access', '--product', 'premium', '--from-file', '-', '--sandbox', ...args], {
      stdin: Readable.from([input]),
    });

  test.each<[string, Buffer]>([
    ['UTF-16 LE with semicolons', UTF16.le('Name;E-Mail\r\nJürgen;active@example.com\r\n')],
    ['UTF-16 BE with tabs', UTF16.le('Name\tE-Mail\r\nJürgen\tactive@example.com\r\n').swap16()],
    ['UTF-8 with a mark', Buffer.from('\uFEFFName;E-Mail\r\nJürgen;active@example.com\r\n')],
    ['a sep= line', Buffer.from('sep=;\r\nName, first;E-Mail\r\nJ,a,b;active@example.com\r\n')],
    ['a comma in a quoted header', Buffer.from('"Name, first, last";E-Mail\r\nJ;active@example.com\r\n')],
    ['blank rows of a spreadsheet', Buffer.from(';\r\nName;E-Mail\r\n;\r\nJ;active@example.com\r\n;\r\n')],
  ])('an export of Excel is read without a flag: %s', async (_, input) => {
    expect(await bytes(input, '--jq', '.[].decision')).toEqual({
      code: 0,
      stdout: 'allowed\n',
      stderr: '',
    });
  });

  test('Windows-1252 on stdin is read with a note, as a file is, and without one with --encoding latin1', async () => {
    const input = Buffer.from('Name;E-Mail\nA;denied@example.com\nJürgen;active@example.com\n', 'latin1');
    const ran = await bytes(input, '--csv', '--columns', 'Name,decision');
    expect(ran).toEqual({
      code: 0,
      stdout: 'Name,decision\nA,denied\nJürgen,allowed\n',
      stderr:
        'note: standard input is not UTF-8 text and is read as Windows-1252, as Excel saves CSV; --encoding names another\n',
    });
    const named = await bytes(input, '--encoding', 'latin1', '--jq', '.[].decision');
    expect(named).toEqual({ code: 0, stdout: 'denied\nallowed\n', stderr: '' });
  });

  test.each([1, 3, 1000])('every encoding is detected on stdin, in pieces of %i bytes', async size => {
    const text = 'Name;E-Mail\nJürgen;active@example.com\n';
    const cut = (all: Buffer) =>
      Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
        all.subarray(at * size, (at + 1) * size),
      );
    for (const encoded of [
      Buffer.from(text),
      Buffer.from(text, 'latin1'),
      Buffer.from(text, 'utf16le'),
      Buffer.from(`\ufeff${text}`, 'utf16le'),
      Buffer.from(text, 'utf16le').swap16(),
    ]) {
      const words = ['access', '--from-file', '-', '--product', 'premium', '--sandbox', '--jq', '.[].Name'];
      const ran = await run(words, { stdin: Readable.from(cut(encoded)) });
      expect([ran.code, ran.stdout]).toEqual([0, 'Jürgen\n']);
    }
  });

  test('--skip-invalid skips invalid lines, and names them', async () => {
    const ran = await many('active@example.com\nnobody\nn@@n\n', '--skip-invalid', '--jq', '.[].email');
    expect(ran).toEqual({
      code: 0,
      stdout: 'active@example.com\n',
      stderr:
        'warning: skipped 2 invalid lines\n  line 2: not an e-mail address\n  line 3: not an e-mail address\n',
    });
    expect((await many('nobody\n', '--skip-invalid')).code).toBe(2);
  });

  test('--email-column chooses between two columns of addresses; another name lists the columns, the nearest first', async () => {
    const input = 'id,name,owner,contact\n1,A,active@example.com,nobody@example.com\n';
    expect((await many(input)).stderr).toContain(
      'several columns of standard input contain an e-mail address',
    );
    expect((await many(input, '--email-column', 'Owner', '--jq', '.[].decision')).stdout).toBe('allowed\n');
    const ran = await many(input, '--email-column', 'contacts');
    expect([ran.code, ran.stderr]).toEqual([
      2,
      'error: no column contacts in standard input\n  columns: contact, id, name, owner\n',
    ]);
  });

  test('an address that the server repeats in an error stays hidden with --mask', async () => {
    const server = await wireServer(() => ({
      status: 400,
      body: '{"success":false,"message":"no reader b@example.com"}',
    }));
    const env = {
      GATECTL_BASE_URL: server.baseUrl,
      GATECTL_API_KEY: 'some-key',
      GATECTL_DOMAIN: 'example.com',
    };
    const input = 'a@example.com\nb@example.com\n';
    const words = ['access', '--product', 'p', '-', '-o', 'ndjson', '--mask', '--concurrency', '1'];
    const ran = await run(words, { env, input });
    await server.close();
    expect(ran.code).toBe(7);
    expect(ran.stdout.split('\n')[1]).toContain('no reader ***');
    expect(ran.stdout).toContain('"email":"b***@example.com"');
  });

  test.each(['jos{e}@x.com', 'what?x@x.com', 'john/doe@example.com', 'smith=jane@x.com'])(
    '--mask hides all of %s but its first letter and host',
    async email => {
      const words = ['access', '--product', 'premium', '-', '-o', 'ndjson', '--mask', '--sandbox'];
      const { stdout } = await run(words, { input: `${email}\n` });
      expect(JSON.parse(stdout).email).toBe(`${email[0]}***${email.slice(email.indexOf('@'))}`);
    },
  );

  test('with --mask no address of a response is shown, in any spelling', async () => {
    const server = await wireServer(() =>
      granted({ decision: 'denied', owner: 'A@Example.com', 'b@example.com': [1.5, 'see c%40example.com'] }),
    );
    const env = {
      GATECTL_BASE_URL: server.baseUrl,
      GATECTL_API_KEY: 'some-key',
      GATECTL_DOMAIN: 'example.com',
    };
    const words = ['access', '--product', 'p', 'a@example.com', '--mask', '-o', 'json'];
    const { stdout } = await run(words, { env });
    await server.close();
    expect(JSON.parse(stdout)).toMatchObject({
      owner: 'A***@Example.com',
      'b***@example.com': [1.5, 'see c***%40example.com'],
    });
  });

  test('readers that cannot be checked are rows with an error, listed for another try, and the exit code is 7', async () => {
    const server = await wireServer(request =>
      request.headers['x-service-reader-email'] === 'b@example.com'
        ? { status: 500 }
        : { body: '{"success":true,"data":{"decision":"allowed","reasonCode":"allowed"}}' },
    );
    const file = join(folder, 'readers.txt');
    const failedFile = join(folder, 'failed.txt');
    await writeFile(file, 'a@example.com\nb@example.com\nc@example.com\n');
    const env = {
      GATECTL_BASE_URL: server.baseUrl,
      GATECTL_API_KEY: 'some-key',
      GATECTL_DOMAIN: 'example.com',
    };
    const ran = await run(
      [
        'access',
        '--product',
        'p',
        '--from-file',
        file,
        '--failed-file',
        failedFile,
        '--retries',
        '0',
        '--json',
      ],
      { env },
    );
    await server.close();
    expect(ran.code).toBe(7);
    expect(JSON.parse(ran.stdout)).toMatchObject([
      { email: 'a@example.com', allowed: true },
      { email: 'b@example.com', error: 'the server responded with 500' },
      { email: 'c@example.com', allowed: true },
    ]);
    expect(await readFile(failedFile, 'utf8')).toBe('b@example.com\n');
  });

  test.each<[string, Reply, number, string]>([
    [
      'a rejected key',
      { status: 401, body: '{"success":false,"message":"no such key"}' },
      4,
      'error: no such key',
    ],
    [
      'a rate limit for hours',
      { status: 429, headers: { 'retry-after': '7200' }, body: '{"message":"too many"}' },
      8,
      '\n  wait 7200 s ',
    ],
  ])('%s ends the list immediately', async (_, reply, exit, says) => {
    const server = await wireServer(() => reply);
    const env = {
      GATECTL_BASE_URL: server.baseUrl,
      GATECTL_API_KEY: 'some-key',
      GATECTL_DOMAIN: 'example.com',
    };
    const input = Array.from({ length: 100 }, (_, i) => `r${i}@example.com`).join('\n');
    const ran = await run(['access', '--product', 'p', '--from-file', '-', '--csv'], {
      ...{ env, input },
      sleep: async ms => expect.unreachable(`waited for ${ms} ms`),
    });
    await server.close();
    expect(ran.code).toBe(exit);
    expect(ran.stderr).toContain(says);
    expect(server.received.length).toBeLessThan(20);
  });
});
