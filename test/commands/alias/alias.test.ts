import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { run } from '../../support/run.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});
const gatectl = (...args: string[]) => run(args, { env: { GATECTL_CONFIG_DIR: folder } });
const stored = async () => JSON.parse(await readFile(join(folder, 'config.json'), 'utf8'));

describe('an alias', () => {
  test('with a key in it is rejected, and the key shows nowhere', async () => {
    for (const expansion of [
      'api GET /cdnservices/ping/ -H "X-API-Key: hunter2secret"',
      'bda migrate-query --url https://example.com/bdaservices/getreports?developerKey=hunter2secret',
      'api GET /x -f note=hunter2secret',
    ]) {
      const ran = await run(['alias', 'set', 'leak', expansion], {
        env: { GATECTL_CONFIG_DIR: folder, GATECTL_API_KEY: 'hunter2secret' },
      });
      expect(ran).toEqual({
        code: 2,
        stdout: '',
        stderr:
          'error: the expansion contains an API key, which alias list would print\n' +
          '  omit it: gatectl adds the key\n',
      });
    }
    expect((await gatectl('alias', 'list', '--json')).stdout).toBe('[]\n');
    expect((await gatectl('alias', 'set', 'ok', 'api GET $1 -f developerKey=$2')).code).toBe(0);
  });

  test('replaces a command and its flags; what follows fills its placeholders', async () => {
    expect(await gatectl('alias', 'set', 'may', 'access --product premium --email $1')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'note: may now expands to: access --product premium --email $1\n',
    });
    const { code, stdout } = await gatectl(
      'may',
      'denied@example.com',
      '--exit-code',
      '--sandbox',
      '--jq',
      '.decision',
    );
    expect({ code, stdout }).toEqual({ code: 3, stdout: 'denied\n' });
  });

  test('may follow global options, with and without values', async () => {
    await gatectl('alias', 'set', 'mine', 'products --email active@example.com');
    const { stdout } = await gatectl('--sandbox', '-o', 'csv', '--retries', '0', 'mine');
    expect(stdout).toBe('product\npremium\nsports\n');
  });

  test('with too few arguments prints the command that it replaces', async () => {
    await gatectl('alias', 'set', 'may', 'access --product premium --email $1');
    expect(await gatectl('may')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'error: the alias may requires 1 argument\n  it expands to: access --product premium --email $1\n',
    });
  });

  test('does not lead to another alias', async () => {
    const aliases = { one: 'two', two: 'products --email active@example.com --sandbox' };
    await writeFile(join(folder, 'config.json'), JSON.stringify({ version: 1, profiles: {}, aliases }));
    const { code, stderr } = await gatectl('one');
    expect({ code, stderr: stderr.split('\n')[0] }).toEqual({
      code: 2,
      stderr: "error: unknown command 'two'",
    });
  });

  test('that was edited by hand to replace a command is ignored', async () => {
    const aliases = { products: 'cdn purge --all --yes' };
    await writeFile(join(folder, 'config.json'), JSON.stringify({ version: 1, profiles: {}, aliases }));
    const { stdout } = await gatectl('products', '--email', 'active@example.com', '--sandbox', '--csv');
    expect(stdout).toBe('product\npremium\nsports\n');
  });

  test('has the help of its command, and is listed in the help of gatectl', async () => {
    await gatectl('alias', 'set', 'may', 'access --product premium --email $1');
    const usage = 'Usage: gatectl access [options] [email...]';
    expect((await gatectl('may', '--help')).stdout.split('\n')[0]).toBe(usage);
    expect((await gatectl('help', 'may')).stdout.split('\n')[0]).toBe(usage);
    const section = '\nAliases:\n  may  access --product premium --email $1\n';
    expect((await gatectl('--help')).stdout).toContain(section);
    expect((await gatectl('help')).stdout).toContain(section);
    expect((await gatectl('cdn', '--help')).stdout).not.toContain('Aliases:');
  });
});

describe('a value that an alias passes on', () => {
  test('is not an option, whatever it starts with', async () => {
    await gatectl('alias', 'set', 'may', 'access --product premium --exit-code --sandbox --email $1');
    for (const value of ['--help', '-h', '--version', '-Vera@example.com', '--curl', '-q']) {
      const { code, stdout } = await gatectl('may', value);
      expect({ value, ok: code === 0, stdout: /^(?:Usage|\d)/.test(stdout) }).toEqual({
        value,
        ok: false,
        stdout: false,
      });
    }
    await gatectl('alias', 'set', 'ask', 'access --product premium --sandbox --email $1');
    expect((await gatectl('ask', '--help', '--exit-code')).code).toBe(2);
    expect((await gatectl('ask', 'active@example.com', '--exit-code', '--help')).code).toBe(2);
  });

  test('is found behind several global options in one word', async () => {
    await gatectl('profile', 'add', 'news', '--base-url', 'https://gateway.example.com');
    await gatectl('alias', 'set', 'news', 'cdn purge --all --yes');
    expect((await gatectl('-qp', 'news', 'schema', 'products', '--jq', '.command')).code).toBe(0);
  });
});

describe('what is rejected', () => {
  test.each([
    [
      ['set', 'access', 'products'],
      'access is a command, and an alias cannot replace it',
      'choose another name',
    ],
    [['set', 'help', 'products'], 'help is a command, and an alias cannot replace it', 'choose another name'],
    [
      ['set', 'a b', 'products'],
      '"a b" is not a valid alias name',
      'use letters, digits, hyphens and underscores, starting with a letter',
    ],
    [
      ['set', 'x', 'produkts'],
      'the expansion must start with a command, not produkts',
      'did you mean products?',
    ],
    [
      ['set', 'x', '!ls -l'],
      'the expansion must start with a command, not !ls',
      'an alias expands to a gatectl command; for a shell command use a shell alias',
    ],
    [['set', 'x', ' '], 'the expansion is empty', "type 'cdn purge --file $1'"],
    [['set', 'x', "products 'a"], 'the expansion has an unclosed quote', 'close the quote'],
    [['delete', 'x'], 'there is no alias x', 'there are no aliases yet'],
  ])('%j', async (args, message, hint) => {
    const { code, stderr } = await gatectl('alias', ...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: `error: ${message}\n  ${hint}\n` });
  });

  test('the name of another alias, unless --replace is given', async () => {
    await gatectl('alias', 'set', 'mine', 'products --email a@example.com');
    const again = await gatectl('alias', 'set', 'mine', 'purchases');
    expect(again.stderr).toContain('error: the alias mine already exists: products --email a@example.com\n');
    expect((await gatectl('alias', 'set', 'mine', 'purchases', '--replace')).code).toBe(0);
    expect((await stored()).aliases).toEqual({ mine: 'purchases' });
  });
});

test('aliases are listed, deleted, and survive changes to profiles', async () => {
  expect((await gatectl('alias', 'list', '--json')).stdout).toBe('[]\n');
  await gatectl('alias', 'set', 'one', 'products');
  await gatectl('alias', 'set', 'two', 'purchases');
  await gatectl('profile', 'add', 'news', '--base-url', 'https://gateway.example.com');
  expect((await gatectl('alias', 'list', '--csv')).stdout).toBe(
    'alias,expansion\none,products\ntwo,purchases\n',
  );
  expect((await gatectl('alias', 'delete', 'one')).stderr).toBe('note: deleted the alias one\n');
  expect((await stored()).aliases).toEqual({ two: 'purchases' });
  await gatectl('alias', 'delete', 'two');
  expect(await stored()).not.toHaveProperty('aliases');
});

test('a broken file stops what needs its aliases, and nothing else', async () => {
  await writeFile(join(folder, 'config.json'), '{"version":1,"profiles":{},"aliases":["a"]}');
  expect((await gatectl('nonsense')).code).toBe(9);
  expect((await gatectl('--help')).code).toBe(0);
  expect((await gatectl('products', '--email', 'active@example.com', '--sandbox')).code).toBe(0);
});
