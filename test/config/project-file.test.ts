import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findProjectFile, PROJECT_FILE } from '../../src/config/project-file.ts';
import { parseProjectFile } from '../../src/config/project-settings.ts';
import { FileError } from '../../src/errors/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { run } from '../support/run.ts';

const uid = process.geteuid?.();

/** A folder with a project file, and a folder deep below it. */
function project(text: string, { mode = 0o644 }: { readonly mode?: number } = {}) {
  const root = temporaryFolder();
  const path = join(root, PROJECT_FILE);
  const below = join(root, 'src', 'pages');
  mkdirSync(below, { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
  return { root, path, below };
}

function find(cwd: string, { homedir, user = uid }: { homedir?: string; user?: number | undefined } = {}) {
  return findProjectFile({ cwd, homedir, platform: 'linux', self: { uid: user } });
}

async function show(cwd: string, args: readonly string[] = [], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await run(['profile', 'show', '--json', ...args], {
    cwd,
    env: { GATECTL_CONFIG_DIR: temporaryFolder(), ...env },
  });
  const rows: { setting: string; value: unknown; origin: string }[] = code === 0 ? JSON.parse(stdout) : [];
  const settings = Object.fromEntries(rows.map(({ setting, value, origin }) => [setting, [value, origin]]));
  return { code, stderr, settings };
}

describe('a project file sets defaults', () => {
  test('for commands in its folder and below it: flag before environment before project', async () => {
    const { path, below } = project('domain: news.example.com\ntimeout: 5\ndata-set: pageview\n');
    const { settings } = await show(below, ['--timeout', '9'], { GATECTL_DATA_SET: 'session' });
    expect(settings).toMatchObject({
      domain: ['news.example.com', `project file ${path}`],
      'data-set': ['session', 'environment GATECTL_DATA_SET'],
      timeout: [9, 'flag --timeout'],
    });
  });

  test('it selects a profile and beats its settings', async () => {
    const { path, below } = project('profile: staging\ndomain: news.example.com\n');
    const env = { GATECTL_CONFIG_DIR: temporaryFolder(), GATECTL_TRUST: 'profile:staging' };
    for (const name of ['prod', 'staging'])
      await run(
        [
          'profile',
          'add',
          name,
          '--base-url',
          `https://${name}.example.com`,
          '--domain',
          `${name}.example.com`,
        ],
        { env },
      );
    expect((await show(below, [], env)).settings).toMatchObject({
      profile: ['staging', `project file ${path}`],
      'base-url': ['https://staging.example.com', 'profile staging'],
      domain: ['news.example.com', `project file ${path}`],
    });
    expect((await show(below, ['-p', 'prod'], env)).settings).toMatchObject({
      profile: ['prod', 'flag --profile'],
      'base-url': ['https://prod.example.com', 'profile prod'],
    });
  });

  test('a profile that does not exist is reported with the file that names it', async () => {
    const { path, root } = project('profile: prod\n');
    const { code, stderr } = await run(['bda', 'domains'], { cwd: root });
    expect({ code, first: stderr.split('\n')[0] }).toEqual({
      code: 2,
      first: `error: there is no profile "prod" (project file ${path})`,
    });
  });

  test('--verbose names it', async () => {
    const { path, root } = project('retries: 0\n');
    const env = { GATECTL_BASE_URL: 'http://127.0.0.1:1', GATECTL_API_KEY: 'k', GATECTL_CONFIG_DIR: root };
    const { stderr } = await run(['bda', 'domains', '-v'], { cwd: root, env });
    expect(stderr.split('\n')[0]).toBe(`project file: ${path}`);
  });

  test('doctor names it and what it sets', async () => {
    const { path, root } = project('profile: news\ndata-set: pageview\n');
    const { stdout } = await run(['doctor', '--json'], { cwd: root, env: { GATECTL_CONFIG_DIR: root } });
    expect(JSON.parse(stdout)).toContainEqual({
      area: 'config',
      check: 'project',
      state: 'ok',
      found: `${path} sets profile, data-set`,
      advice: null,
    });
  });

  test('the embedded gateway ignores it, as it ignores profiles', async () => {
    const { root } = project('output: json\nprofile: prod\n');
    const { code, stdout } = await run(['bda', 'domains', '--sandbox'], { cwd: root });
    expect({ code, isJson: stdout.startsWith('[') }).toEqual({ code: 0, isJson: false });
  });
});

describe('a project file is looked for upwards', () => {
  test('only the nearest one is used', async () => {
    const { root, below } = project('domain: news.example.com\n');
    const inner = join(root, 'src', PROJECT_FILE);
    writeFileSync(inner, 'output: json\n', { mode: 0o600 });
    expect((await find(below)).project).toEqual({
      path: inner,
      profile: undefined,
      values: { output: { value: 'json', place: '1:9' } },
    });
  });

  test('not above the root of a repository', async () => {
    const { root, below } = project('output: json\n');
    mkdirSync(join(root, 'src', '.git'));
    expect((await find(below)).project).toBeUndefined();
    expect((await find(root)).project?.path).toBe(join(root, PROJECT_FILE));
  });

  test('not above the home folder, and in it', async () => {
    const { root, below } = project('output: json\n');
    expect((await find(below, { homedir: join(root, 'src') })).project).toBeUndefined();
    expect((await find(below, { homedir: root })).project?.path).toBe(join(root, PROJECT_FILE));
  });

  test('a folder of that name is ignored with a warning', async () => {
    const root = temporaryFolder();
    mkdirSync(join(root, PROJECT_FILE));
    expect(await find(root)).toEqual({
      project: undefined,
      warnings: [`${join(root, PROJECT_FILE)} is ignored: it is not a regular file`],
    });
  });
});

describe.skipIf(uid === undefined)("a project file counts only when it is the user's own", () => {
  test('one that other users can change is ignored, with one warning', async () => {
    const { path, below } = project('output: json\n', { mode: 0o646 });
    const { stderr, settings } = await show(below);
    expect(settings.output).toEqual(['json', 'flag --output']);
    expect(stderr).toBe(`warning: ${path} is ignored: other users can change it; run chmod go-w on it\n`);
  });

  test('one that another user owns is ignored, whatever it holds', async () => {
    const { path, below } = project('api-key: nonsense: [\n');
    expect(await find(below, { user: (uid ?? 0) + 1 })).toEqual({
      project: undefined,
      warnings: [`${path} is ignored: another user owns it`],
    });
  });
});

describe('a mistake in a project file is named by line and column', () => {
  test.each([
    ['# ours\ndomian: example.com\n', '2:1: unknown setting "domian"\n  did you mean domain?'],
    ['data_set: pageview\n', '1:1: unknown setting "data_set"\n  did you mean data-set?'],
    [
      'weather: fine\n',
      '1:1: unknown setting "weather"\n  settings: profile, domain, data-set, output, time-zone, read-only, timeout, retries, compression',
    ],
    [
      'output: csv\napi-key: s3cr3t\n',
      '2:1: "api-key": the file must not contain secrets\n  gatectl reads the key from a profile or from GATECTL_API_KEY',
    ],
    [
      'developerKey: s3cr3t\n',
      '1:1: "developerKey": the file must not contain secrets\n  gatectl reads the key from a profile or from GATECTL_API_KEY',
    ],
    [
      'base-url: https://other.example.com\n',
      '1:1: base-url belongs in a profile: gatectl profile set base-url',
    ],
    ['protected: false\n', '1:1: protected belongs in a profile: gatectl profile set protected'],
    ['timeout: soon\n', '1:10: timeout must be a number'],
    ['profile:\n', '1:9: profile has no value'],
    ['domain: [a.example.com]\n', '1:9: domain must be text'],
    ['output: csv\noutput: json\n', '2:1: duplicate setting'],
    ['output: "csv\n', '2:1: not valid YAML'],
    ['- output\n', '1:1: the file must be a map'],
    ['? [a]\n: b\n', '1:3: expected the name of a setting'],
    ['output: pdf\n', '1:9: output is not an allowed value; use one of table, json'],
    ['domain: https://www.example.com/\n', '1:9: domain is more than a bare domain; type example.com'],
  ])('%j', async (text, problem) => {
    const { path, root } = project(text);
    const { code, stderr } = await run(['bda', 'domains'], { cwd: root });
    expect(code).toBe(9);
    expect(stderr.replace(path, 'PATH')).toContain(`error: PATH:${problem}`);
    expect(stderr).not.toContain('s3cr3t');
  });

  test('an empty file, or one of comments, sets nothing', async () => {
    for (const text of ['', '# nothing yet\n', '---\n']) {
      expect((await find(project(text).root)).project).toMatchObject({ profile: undefined, values: {} });
    }
  });

  test('whatever the text, it is read or rejected with a place', () => {
    const word = fc.constantFrom(
      'domain',
      'output',
      ': ',
      '\n',
      '- ',
      '"',
      '&a ',
      '*a',
      '!!str ',
      '<<',
      '{',
      'x',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(word).map(words => words.join('')),
        ),
        text => {
          try {
            parseProjectFile('/p', text);
          } catch (error) {
            expect(error).toBeInstanceOf(FileError);
            expect((error as FileError).message).toMatch(/^\/p:\d+:\d+: /);
          }
        },
      ),
    );
  });
});
