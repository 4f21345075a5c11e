import { describe, expect, test } from 'vitest';
import { run } from '../support/run.ts';

describe('--fields', () => {
  test('prints these members of an object, as JSON', async () => {
    const ran = await run([
      'access',
      'active@example.com',
      '--product',
      'premium',
      '--fields',
      'decision,allowed',
      '--sandbox',
    ]);
    expect({ code: ran.code, stderr: ran.stderr, data: JSON.parse(ran.stdout) }).toEqual({
      code: 0,
      stderr: '',
      data: { decision: 'allowed', allowed: true },
    });
  });

  test('prints them of each object of a list', async () => {
    const { stdout } = await run(['purchases', 'active@example.com', '--fields', 'status', '--sandbox']);
    expect(JSON.parse(stdout)[0]).toEqual({ status: 'active' });
  });

  test('prints them of rows, of which only the query knows the names, with all digits', async () => {
    const query = [
      'bda',
      'query',
      '--data-set',
      'pageview',
      '-d',
      'country',
      '-m',
      'revenue',
      '--last',
      '7d',
    ];
    const [all, some] = await Promise.all(
      ['--json', '--fields=revenue'].map(flag => run([...query, '--limit', '1', '-q', '--sandbox', flag])),
    );
    const digits = /"revenue": ?([\d.]+)/.exec(all?.stdout ?? '')?.[1];
    expect(some?.stdout).toContain(`${digits}`);
    expect(some?.stdout).not.toContain('country');
  });

  test.each([
    ['bda columns', 'name'],
    ['bda domains', 'domain'],
    ['bda data-sets', 'name'],
    ['schema --compact', 'about'],
    ['schema --openapi', 'info'],
    ['cdn purge https://www.example.com/a --dry-run', 'path'],
    ['reader active@example.com expired@example.com --product premium', 'email'],
    ['bda why --data-set pageview -m visits --last 7d', 'conclusions'],
  ])('%s has the field %s', async (words, name) => {
    const { code, stdout } = await run([...words.split(' '), '--fields', name, '-q', '--sandbox']);
    const data = JSON.parse(stdout);
    const [first] = Array.isArray(data) ? data : [data];
    expect({ code, names: Object.keys(first) }).toEqual({ code: 0, names: [name] });
    expect(first[name]).not.toBeNull();
  });

  const QUERY = ['bda', 'query', '--data-set', 'pageview', '-d', 'country', '-m', 'visits', '--last', '7d'];
  test.each([
    ['a listing', ['bda', 'columns', '--fields', 'nam'], 'did you mean name?'],
    ['a query', [...QUERY, '--fields', 'countri'], 'did you mean country?'],
    ['a compared query', [...QUERY, '--compare', 'previous', '--fields', 'countri'], 'did you mean country?'],
    ['no name', ['cdn', 'ping', '--fields', ''], 'empty name'],
    ['--out', [...QUERY, '--fields', 'visits', '--out', 'never.csv'], '--fields and --out'],
    ['-o csv', [...QUERY, '--fields', 'visits', '-o', 'csv'], '--fields'],
  ])('tells of a field that no object of the answer has: %s', async (_, args, told) => {
    const { code, stdout, stderr } = await run([...args, '--sandbox']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(told);
    expect(stderr).not.toContain('--jq');
  });

  test.each([
    ['a name that the output does not have', ['cdn', 'ping', '--fields', 'Sucess'], 'did you mean Success?'],
    ['output without fields', ['products', 'active@example.com', '--fields', 'name'], 'omit --fields'],
    ['another format', ['cdn', 'ping', '--fields', 'Success', '--csv'], 'give one of them'],
    ['--jq', ['cdn', 'ping', '--fields', 'Success', '--jq', '.'], 'give one of them'],
  ])('is a usage error with %s, before anything is sent', async (_, args, hint) => {
    const { code, stdout, stderr } = await run([...args, '--sandbox']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(hint);
  });

  test.each([
    ['a created segment', ['bda', 'segment', 'create', '--name', 'X', '--country', 'us']],
    ['api', ['api', 'POST', '/cdnservices/clearcache', '-f', 'url=https://example.com/a']],
  ])('warns after a change of a name that the response lacks, and prints it whole: %s', async (_, args) => {
    const whole = await run([...args, '-o', 'json', '--sandbox']);
    const { code, stdout, stderr } = await run([...args, '--fields', 'nonsense', '--sandbox']);
    expect({ code, data: JSON.parse(stdout) }).toEqual({ code: 0, data: JSON.parse(whole.stdout) });
    expect(stderr).toContain(
      "warning: --fields: unknown field 'nonsense'; the change was sent, so the complete response is printed\n",
    );
  });

  test('fails for an unknown name where nothing was changed', async () => {
    const { code, stdout, stderr } = await run([
      ...['api', 'GET', '/bdaservices/getcolumns/', '--fields', 'nonsense', '--sandbox'],
    ]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain("unknown field 'nonsense'");
  });

  test('is completed with the fields of the command, one after the other', async () => {
    const { stdout } = await run([
      '__complete',
      'fish',
      '.decision,',
      'access',
      'a@example.com',
      '--product',
      'premium',
      '--fields',
    ]);
    expect(stdout).toContain('decision,allowed');
    expect(stdout).not.toContain('decision,decision');
  });
});
