import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawServer } from '../../support/raw-server.ts';
import { run } from '../../support/run.ts';
import { type Received, type Reply, type WireServer, wireServer } from '../../support/wire-server.ts';

const KEY = 'k-4711-secret';
const V2 = '/gateway/bdaservices/v2';

/** Runs `gatectl api` against a server that answers as the test says; everything that arrived comes back too. */
async function api(
  args: readonly string[],
  reply: (request: Received, index: number) => Reply = () => ({ body: '{"ok":true}' }),
  more: { env?: Record<string, string>; input?: string } = {},
) {
  const server: WireServer = await wireServer(reply);
  const ran = await run(['api', ...args], {
    env: { GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: KEY, ...more.env },
    ...(more.input !== undefined && { input: more.input }),
  });
  await server.close();
  return { ...ran, received: server.received, baseUrl: server.baseUrl };
}

describe('without a method', () => {
  test.each([
    [['/elsewhere'], 'GET', '/elsewhere'],
    [['elsewhere', '-f', 'domain=example.com'], 'GET', '/elsewhere?domain=example.com'],
    [['-i', '/elsewhere'], 'GET', '/elsewhere'],
    [['post', '/elsewhere'], 'POST', '/elsewhere'],
  ])('%j is sent as %s %s', async (words, method, target) => {
    const { code, received } = await api(words);
    expect({ code, sent: received.map(each => [each.method, each.target]) }).toEqual({
      code: 0,
      sent: [[method, target]],
    });
  });

  test.each([
    [['GET'], 'PATH is missing: path below the base URL', 'type gatectl api GET PATH'],
    [['/query', 'POST'], '/query is not a method', 'type gatectl api POST /query'],
    [['/query', '--input', '-'], '--input requires a method', 'type gatectl api POST /query --input …'],
    [
      ['/query', '-X', 'POST'],
      "unknown option '-X'",
      'type the method before the path: gatectl api POST PATH',
    ],
    [
      ['/query', '-d', '{}'],
      "unknown option '-d'",
      'send a body with --input FILE or - for stdin, or fields with -f',
    ],
  ])('%j is rejected with the command to type', async (words, message, hint) => {
    const { code, stderr, received } = await api(words);
    expect({ code, stderr, received }).toEqual({
      code: 2,
      stderr: `error: ${message}\n  ${hint}\n`,
      received: [],
    });
  });
});

describe('the key goes where the API of the path requires it', () => {
  test.each([
    ['GET', '/subscriptions/v1/products', 'header'],
    ['POST', '/cdnservices/ping/', 'header'],
    ['POST', '/gateway/cdnservices/ping/', 'header'],
    ['GET', '/bdaservices/getreports/', 'query'],
    ['GET', '/gateway/bdaservices/getreports/', 'query'],
    ['GET', `${V2}/columns`, 'header'],
    ['GET', '/bdaservices/v2/columns', 'header'],
    ['GET', '/bdaservicesandmore/x', 'header'],
    ['GET', '/elsewhere', 'header'],
  ])('%s %s: in the %s', async (method, path, place) => {
    const { received, code } = await api([method, path]);
    expect(code).toBe(0);
    expect(received[0]?.headers['x-api-key']).toBe(place === 'header' ? KEY : undefined);
    expect(received[0]?.target).toBe(place === 'query' ? `${path}?developerKey=${KEY}` : path);
  });

  test('a prefix of the profile counts, and so does its key-in', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gatectl-api-'));
    const profiles = { p: { 'prefix-cdn': '/edge', 'key-in': 'query' } };
    const config = JSON.stringify({ version: 1, current: 'p', profiles });
    await writeFile(join(folder, 'config.json'), config, { mode: 0o600 });
    const { received } = await api(['POST', '/edge/ping/'], undefined, {
      env: { GATECTL_CONFIG_DIR: folder },
    });
    await rm(folder, { recursive: true });
    expect(received[0]?.target).toBe(`/edge/ping/?developerKey=${KEY}`);
  });

  test.each([
    [['GET', '/bdaservices/getreports/?developerKey=x'], 'developerKey'],
    [['GET', '/bdaservices/getreports/?developer%4Bey=x'], 'developerKey'],
    [['GET', '/bdaservices/getreports/', '-f', 'developerKey=x'], 'developerKey'],
    [['GET', '/elsewhere', '-H', 'x-api-key: x'], 'X-API-Key'],
  ])('a key on the command line is rejected: %s', async (args, name) => {
    const { code, stderr, received } = await api(args);
    expect(code).toBe(2);
    expect(stderr).toContain(`error: ${name} is not given on the command line, where others can see it\n`);
    expect(received).toEqual([]);
  });
});

describe('the path', () => {
  test('may lack its first slash, contain a query, or be a full URL below the base URL', async () => {
    const bare = await api(['GET', 'bdaservices/getreport/?reportName=All%20Pages']);
    expect(bare.received[0]?.target).toBe(`/bdaservices/getreport/?developerKey=${KEY}&reportName=All+Pages`);
    const server = await wireServer(() => ({ body: '1' }));
    const env = { GATECTL_BASE_URL: `${server.baseUrl}/root`, GATECTL_API_KEY: KEY };
    await run(['api', 'GET', `${server.baseUrl}/root${V2}/columns`], { env });
    const outside = await run(['api', 'GET', `${server.baseUrl}/rooted/columns`], { env });
    await server.close();
    expect(server.received.map(({ target }) => target)).toEqual([`/root${V2}/columns`]);
    expect(outside.code).toBe(2);
    expect(outside.stderr).toContain('to which the key belongs');
  });

  test('cannot climb out of the API that its key placement was chosen for', async () => {
    const { received } = await api(['GET', `${V2}/../getreports/`]);
    expect(received[0]?.target).toBe(`/gateway/bdaservices/getreports/?developerKey=${KEY}`);
  });

  test.each([
    ['C:/Program Files/Git/cdnservices/ping/', 'cdnservices/ping/'],
    ['D:\\tools\\msys64\\bdaservices\\getreports\\', 'bdaservices/getreports/'],
    ['C:/somewhere/else', 'cdnservices/ping/'],
  ])('%s was converted by Git Bash, and a hint shows how to avoid that', async (path, hint) => {
    const { code, stderr, received } = await api(['POST', path]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error: Git Bash turned the path into ${path}\n  omit the leading slash: ${hint}\n`,
    });
    expect(received).toEqual([]);
  });
});

describe('fields', () => {
  test('are the query of a GET, as text', async () => {
    const { received } = await api(['get', '/elsewhere', '-f', 'a=1 2', '-F', 'b=true']);
    expect(received[0]?.method).toBe('GET');
    expect(received[0]?.target).toBe('/elsewhere?a=1+2&b=true');
  });

  test('are the JSON body of a POST: text with -f, JSON values with -F, nested by keys with brackets', async () => {
    const { received } = await api([
      'POST',
      '/elsewhere',
      ...[
        '-f',
        'text=1',
        '-F',
        'number=12345678901234567890.50',
        '-F',
        'yes=true',
        '-F',
        'none=null',
        '-F',
        'word=007',
      ],
      ...['-f', 'range[start]=a', '-f', 'range[end]=b=c', '-f', 'list[]=x', '-F', 'list[]=2'],
      ...['-f', 'filters[][column]=visits', '-F', 'filters[][value]=3', '-f', 'filters[][column]=country'],
      ...[
        '-f',
        'sort[][column]=u',
        '-f',
        'sort[][direction]=desc',
        '-f',
        'sort[][column]=v',
        '-f',
        '__proto__=p',
      ],
    ]);
    expect(received[0]?.headers['content-type']).toBe('application/json');
    expect(received[0]?.body).toBe(
      '{"text":"1","number":12345678901234567890.50,"yes":true,"none":null,"word":"007","range":{"start":"a","end":"b=c"},"list":["x",2],"filters":[{"column":"visits","value":3},{"column":"country"}],"sort":[{"column":"u","direction":"desc"},{"column":"v"}],"__proto__":"p"}',
    );
  });

  test('-F key=@file reads the value from a file, @- from stdin', async () => {
    const { received } = await api(['POST', '/elsewhere', '-F', 'note=@-'], undefined, {
      input: 'two\nlines',
    });
    expect(received[0]?.body).toBe('{"note":"two\\nlines"}');
  });

  test.each([
    [['-f', 'url=C:/Program Files/Git/news'], 'url is a path that Git Bash made of /news'],
    [['-f', 'novalue'], '-f novalue is not key=value'],
    [['-f', 'a[=1'], 'the key a[ cannot be read'],
    [['-f', 'a=1', '-f', 'a=2'], 'a was already given, or as something else'],
    [['-f', 'a=1', '-f', 'a[b]=2'], 'a[b] was already given, or as something else'],
    [['-f', 'a[]=1', '-f', 'a[b]=2'], 'a[b] was already given, or as something else'],
  ])('%s is rejected', async (args, message) => {
    const { code, stderr, received } = await api(['POST', '/elsewhere', ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(`error: ${message}\n`);
    expect(received).toEqual([]);
  });
});

describe('the body and headers', () => {
  test('--input is sent byte for byte, with fields in the query', async () => {
    const body = '{ "MaxItems": 10,\n  "n": 1.00 }\n';
    const args = ['POST', '/bdaservices/getdata/', '--input', '-', '-f', 'reportName=Pages'];
    const { received } = await api(args, undefined, { input: body });
    expect(received[0]?.body).toBe(body);
    expect(received[0]?.target).toBe(`/bdaservices/getdata/?developerKey=${KEY}&reportName=Pages`);
  });

  test('invalid JSON is reported with its position, and nothing is sent', async () => {
    const { code, stderr, received } = await api(['POST', '/elsewhere', '--input', '-'], undefined, {
      input: '{"a":1,\n  b}',
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: stdin is not JSON: .* \(line 2, column 3\)\n$/);
    expect(received).toEqual([]);
  });

  test('-H is sent, and a reader in it is not printed', async () => {
    const { received, stdout, stderr } = await api(
      ['GET', '/subscriptions/v1/products', '-H', 'x-service-reader-email: ana@example.com', '--verbose'],
      () => ({ status: 400, body: '{"success":false,"message":"no ana@example.com here"}' }),
    );
    expect(received[0]?.headers['x-service-reader-email']).toBe('ana@example.com');
    expect(stdout).toBe('{\n  "success": false,\n  "message": "no *** here"\n}\n');
    expect(stderr).not.toContain('ana@');
  });

  test.each(['Host: x', 'no colon', 'Content-Length: 3'])('-H %s is rejected', async header => {
    const { code, received } = await api(['GET', '/elsewhere', '-H', header]);
    expect(code).toBe(2);
    expect(received).toEqual([]);
  });
});

describe('the output', () => {
  test('is the JSON as the API sent it, digit for digit', async () => {
    const { stdout } = await api(['GET', '/elsewhere'], () => ({
      body: '{"n":12345678901234567890.10,"a":[]}',
    }));
    expect(stdout).toBe('{\n  "n": 12345678901234567890.10,\n  "a": []\n}\n');
  });

  test('is JSON whatever format the settings name, unless a flag requests another', async () => {
    const reply = () => ({ body: '[{"a":1}]' });
    const env = { GATECTL_OUTPUT: 'csv' };
    expect((await api(['GET', '/elsewhere'], reply, { env })).stdout).toBe('[\n  {\n    "a": 1\n  }\n]\n');
    expect((await api(['GET', '/elsewhere', '--csv'], reply)).stdout).toBe('a\n1\n');
    expect((await api(['GET', '/elsewhere', '--jq', '.[0].a'], reply)).stdout).toBe('1\n');
  });

  test('--include prints status and headers first', async () => {
    const { stdout } = await api(['GET', '/elsewhere', '-i'], () => ({
      headers: { 'x-trace': 'abc', date: 'Sat, 14 Mar 2026 12:00:00 GMT' },
      body: '[]',
    }));
    expect(stdout).toMatch(/^HTTP\/1\.1 200\n(?:[a-z-]+: .*\n)*x-trace: abc\n(?:[a-z-]+: .*\n)*\n\[\]\n$/);
  });

  test.each([
    ['HEAD', 200],
    ['DELETE', 204],
  ])('nothing, for a %s that ends with %i', async (method, status) => {
    const { code, stdout, stderr } = await api([method, '/elsewhere'], () => ({ status }));
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test.each([
    ['/bdaservices/getreport/', 404, '{"Success":false,"Error":"no such report"}', 5],
    ['/cdnservices/clearcache', 200, '{"Success":false,"Error":"not cleared"}', 5],
    [`${V2}/columns`, 200, '{"error":{"code":"unauthorized","message":"who?"}}', 4],
    ['/subscriptions/v1/products', 403, '{"success":false,"message":"not enabled"}', 4],
    ['/elsewhere', 429, '{"slow":"down"}', 8],
    ['/elsewhere', 503, '{}', 6],
  ])(
    'of a failure at %s with %i is its body, and the exit code of its kind',
    async (path, status, body, exit) => {
      const { code, stdout, stderr } = await api(['POST', path, '--retries', '0'], () => ({ status, body }));
      expect(code).toBe(exit);
      expect(JSON.parse(stdout)).toEqual(JSON.parse(body));
      expect(stderr).toMatch(/^error: /);
    },
  );

  test('of a failure that is not JSON goes to stderr, so that stdout stays clean', async () => {
    const html = `<html>${'x'.repeat(300)}</html>`;
    const { code, stdout, stderr } = await api(['GET', '/elsewhere'], () => ({
      status: 403,
      headers: { 'content-type': 'text/html' },
      body: html,
    }));
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toContain(`warning: the body is not JSON: ${html}\n`);
  });

  test('never holds the key, even where the server repeats it', async () => {
    const reply = ({ target }: Received) => ({ body: JSON.stringify({ echo: target }) });
    const { stdout } = await api(['GET', '/bdaservices/getreports/'], reply);
    expect(JSON.parse(stdout)).toEqual({ echo: '/bdaservices/getreports/?developerKey=***' });
  });
});

describe('what may have created something is not sent again', () => {
  test.each([
    ['POST', '/bdaservices/createsegment/', 1],
    ['POST', '/bdaservices/createcustomreport/', 1],
    ['POST', '/subscriptions/v1/identity-token', 1],
    ['POST', '/elsewhere', 1],
    ['PATCH', '/elsewhere', 1],
    ['POST', '/bdaservices/getdata/', 3],
    ['POST', `${V2}/query`, 3],
    ['POST', '/cdnservices/ping/', 3],
    ['GET', '/elsewhere', 3],
    ['DELETE', '/elsewhere', 3],
  ])('%s %s after a 503: %i times in all', async (method, path, times) => {
    const { received, code } = await api([method, path, '--retries', '2'], () => ({
      status: 503,
      body: '{}',
    }));
    expect(code).toBe(6);
    expect(received).toHaveLength(times);
  });
});

describe('--paginate', () => {
  let query: string;
  beforeAll(async () => {
    query = join(await mkdtemp(join(tmpdir(), 'gatectl-api-')), 'query.json');
    await writeFile(query, '{"data_set":"pageview","dimensions":["country"],"limit":2,"sort":[]}');
  });
  afterAll(() => rm(join(query, '..'), { recursive: true }));
  const POST = ['POST', `${V2}/query`, '--paginate'];

  /** Serves rows 1 to `count` by offset and limit. */
  const rows = (count: number) => (request: Received) => {
    const { offset, limit } = JSON.parse(request.body);
    const all = Array.from({ length: count }, (_, index) => ({ n: index + 1 }));
    return { body: JSON.stringify({ rows: all.slice(offset, offset + limit), total_rows: count, took: 1 }) };
  };

  test('requests page after page, in a total order, and writes one document', async () => {
    const { code, stdout, received } = await api([...POST, '--input', query], rows(5));
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      rows: [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }, { n: 5 }],
      total_rows: 5,
      took: 1,
    });
    expect(received.map(({ body }) => JSON.parse(body).offset)).toEqual([0, 2, 4]);
    expect(JSON.parse(received[0]?.body ?? '').sort).toEqual([{ column: 'country', direction: 'asc' }]);
  });

  test('of nothing is a document without rows', async () => {
    const { stdout } = await api([...POST, '--input', query], rows(0));
    expect(JSON.parse(stdout)).toEqual({ rows: [], total_rows: 0, took: 1 });
  });

  test('goes with --jq and -o', async () => {
    expect((await api([...POST, '--input', query, '--jq', '.rows | length'], rows(5))).stdout).toBe('5\n');
    expect((await api([...POST, '--input', query, '--csv'], rows(3))).stdout).toBe('n\n1\n2\n3\n');
  });

  test('that fails half-way writes the failure and no half document', async () => {
    const reply = (request: Received, index: number) =>
      index === 1
        ? { status: 400, body: '{"error":{"code":"validation_error","message":"too deep"}}' }
        : rows(5)(request);
    const { code, stdout } = await api([...POST, '--input', query], reply);
    expect(code).toBe(5);
    expect(JSON.parse(stdout)).toEqual({ error: { code: 'validation_error', message: 'too deep' } });
  });

  test('fewer rows than total_rows are warned about', async () => {
    const short = () => ({ body: '{"rows":[],"total_rows":3}' });
    const { stderr } = await api([...POST, '--input', query], short);
    expect(stderr).toBe('warning: 0 rows came, and total_rows is 3\n');
  });

  test.each([
    [['GET', `${V2}/columns`, '--paginate']],
    [['POST', '/bdaservices/getdata/', '--paginate']],
    [[...POST, '--include', '-f', 'data_set=x']],
  ])('elsewhere is rejected: %s', async args => {
    const { code, received } = await api(args);
    expect(code).toBe(2);
    expect(received).toEqual([]);
  });
});

describe('a response that is not valid', () => {
  const query = ['POST', `${V2}/query`, '-f', 'data_set=pageview', '-F', 'limit=2'];

  test.each([
    ['of invalid UTF-8', ['/elsewhere'], Buffer.from('{"name":"caf\xe9"}', 'latin1'), 'invalid_utf8'],
    [
      'of invalid UTF-8, page after page',
      [...query, '--paginate'],
      Buffer.from('{"rows":[{"name":"caf\xe9"}],"total_rows":1}', 'latin1'),
      'invalid_utf8',
    ],
    ['with two byte order marks', ['/elsewhere'], '\ufeff\ufeff{"ok":true}', 'invalid_json'],
  ])('%s is an error, and nothing is printed', async (_, args, body, code) => {
    const ran = await api([...args, '-o', 'json'], () => ({ body }));
    expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 6, stdout: '' });
    expect(JSON.parse(ran.stderr).error.code).toBe(code);
  });

  test('with one byte order mark is read', async () => {
    expect(await api(['/elsewhere'], () => ({ body: '\ufeff{"ok":true}' }))).toMatchObject({
      code: 0,
      stdout: '{\n  "ok": true\n}\n',
    });
  });

  test('with a body and status 205 is an error; without one it is printed as nothing', async () => {
    const server = await rawServer((socket, index) => {
      const body = index === 0 ? '{"ok":true}' : '';
      socket.end(`HTTP/1.1 205 Reset Content\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    });
    const env = { GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: KEY };
    const [full, empty] = [await run(['api', '/x'], { env }), await run(['api', '/x'], { env })];
    await server.close();
    expect(full).toMatchObject({ code: 6 });
    expect(full.stderr).toContain('the server sent a body with status 205 (Reset Content)');
    expect(empty).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});
