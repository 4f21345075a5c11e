import {
  chmodSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BIN = join(ROOT, 'bin/gatectl.js');
const HOOK = join(ROOT, 'test/support/scripts.cjs');
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
/** The help of gatectl itself is a text; that of a command is parsed for. */
const HELP = ['bda', '--help'];
/** Newer versions of Node have a cache of their own. */
const isOurs = major < 22 || (major === 22 && minor < 8);

interface Start {
  readonly stdout: string;
  /** By chunk: whether V8 took its stored code, null where there was none. */
  readonly scripts: Readonly<Record<string, boolean | null>>;
}

async function start(home: string, args: readonly string[], env = {}, flags: string[] = []): Promise<Start> {
  const to = join(home, 'scripts.json');
  const { stdout, stderr, exitCode } = await execa(
    process.execPath,
    [...flags, '--require', HOOK, BIN, ...args],
    { extendEnv: false, env: { HOME: home, SCRIPTS_TO: to, ...env } },
  );
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  return { stdout, scripts: JSON.parse(readFileSync(to, 'utf8')) };
}

/** The files of the cache by name, with their versions. */
function stored(home: string): { folder: string; files: Record<string, number> } {
  const compiled = join(home, '.cache/gatectl/compiled');
  const folder = join(compiled, readdirSync(compiled)[0] ?? '');
  return {
    folder,
    files: Object.fromEntries(readdirSync(folder).map(n => [n, statSync(join(folder, n)).ino])),
  };
}

describe.skipIf(!isOurs)('compiled code where Node has no cache for it', () => {
  test('is stored by the first start, readable by this user only, and used by the next, which stores nothing', async () => {
    const home = temporaryFolder();
    const first = await start(home, HELP);
    expect(first.scripts).toEqual({ 'base.cjs': null, 'help.cjs': null, 'run.cjs': null });
    const { folder, files } = stored(home);
    expect(Object.keys(files)).toEqual(['base.cjs.bin', 'help.cjs.bin', 'run.cjs.bin']);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'run.cjs.bin')).mode & 0o777).toBe(0o600);

    expect(await start(home, HELP)).toEqual({
      stdout: first.stdout,
      scripts: { 'base.cjs': true, 'help.cjs': true, 'run.cjs': true },
    });
    expect(stored(home).files).toEqual(files);
  });

  test('grows with each command that needs more of it, once', async () => {
    const home = temporaryFolder();
    const path = ['profile', 'path'];
    await start(home, HELP);
    const small = stored(home).files;
    await start(home, path);
    const { files, folder } = stored(home);
    expect(files['run.cjs.bin']).not.toBe(small['run.cjs.bin']);
    const { scripts } = await start(home, path);
    expect(new Set(Object.values(scripts))).toEqual(new Set([true]));
    await start(home, HELP);
    expect(stored(home)).toEqual({ folder, files });
  });

  const UNUSABLE: readonly (readonly [string, (path: string) => void, boolean | null])[] = [
    ['cut short', path => writeFileSync(path, readFileSync(path).subarray(0, 1000)), null],
    ['damaged at its beginning', path => writeFileSync(path, readFileSync(path).fill(1, 0, 64)), false],
    [
      'of another build',
      path =>
        writeFileSync(
          path,
          readFileSync(path, 'latin1').replace(/[0-9a-f]{16} (?=\/)/, '0123456789abcdef '),
          'latin1',
        ),
      null,
    ],
    ['open to other users', path => chmodSync(path, 0o666), null],
    [
      'behind a link',
      path => {
        renameSync(path, `${path}.other`);
        symlinkSync(`${path}.other`, path);
      },
      null,
    ],
    ['empty', path => writeFileSync(path, ''), null],
  ];
  test.each(UNUSABLE)('that is %s is compiled again and replaced', async (_, spoil, taken) => {
    const home = temporaryFolder();
    const { stdout } = await start(home, HELP);
    spoil(join(stored(home).folder, 'run.cjs.bin'));
    expect(await start(home, HELP)).toEqual({
      stdout,
      scripts: { 'base.cjs': true, 'help.cjs': true, 'run.cjs': taken },
    });
    expect((await start(home, HELP)).scripts).toEqual({
      'base.cjs': true,
      'help.cjs': true,
      'run.cjs': true,
    });
  });

  test('made with other flags of V8 is rejected by V8', async () => {
    const home = temporaryFolder();
    const { stdout } = await start(home, HELP);
    const other = await start(home, HELP, {}, ['--no-opt']);
    expect(other).toEqual({ stdout, scripts: { 'base.cjs': false, 'help.cjs': false, 'run.cjs': false } });
  });

  test('is not stored with NODE_DISABLE_COMPILE_CACHE or in a read-only home', async () => {
    const home = temporaryFolder();
    const { scripts } = await start(home, HELP, { NODE_DISABLE_COMPILE_CACHE: '1' });
    expect(scripts).toEqual({});
    writeFileSync(join(home, '.cache'), '');
    expect((await start(home, HELP)).scripts).toEqual({
      'base.cjs': null,
      'help.cjs': null,
      'run.cjs': null,
    });
    expect(readdirSync(home).sort()).toEqual(['.cache', 'scripts.json']);
  });
});
