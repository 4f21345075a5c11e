import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { run } from '../../support/run.ts';

let home: string;
beforeEach(() => {
  home = temporaryFolder();
});
const completion = (args: readonly string[], env: Record<string, string> = {}) =>
  run(['completion', ...args], { env, homedir: home });
const changes = async (...args: string[]) =>
  JSON.parse((await completion([...args, '--json'])).stdout).map(
    ({ path, change }: { path: string; change: string }) => [path.replace(`${home}/`, ''), change],
  );

const PLACES: readonly [shell: string, script: string, startup?: string][] = [
  ['bash', '.local/share/bash-completion/completions/gatectl', '.bashrc'],
  ['zsh', '.local/share/gatectl/zsh/_gatectl', '.zshrc'],
  ['fish', '.config/fish/completions/gatectl.fish'],
  [
    'powershell',
    '.local/share/gatectl/completion.ps1',
    '.config/powershell/Microsoft.PowerShell_profile.ps1',
  ],
];

describe.each(PLACES)('%s', (shell, script, startup) => {
  const files = [script, ...(startup === undefined ? [] : [startup])];

  test('a fresh home gets the script; a second run changes nothing; uninstall removes all of it', async () => {
    const flags = ['--shell', shell];
    expect(await changes('install', ...flags)).toEqual(files.map(file => [file, 'created']));
    expect(readFileSync(join(home, script), 'utf8')).toBe((await completion([shell])).stdout);
    expect(await changes('install', ...flags)).toEqual(files.map(file => [file, 'unchanged']));
    expect(await changes('uninstall', ...flags)).toEqual(files.map(file => [file, 'removed']));
    for (const file of files) expect(existsSync(join(home, file))).toBe(false);
    expect(await changes('uninstall', ...flags)).toEqual(files.map(file => [file, 'unchanged']));
  });
});

test('a start-up file keeps its own lines and its link, and the block replaces an older one', async () => {
  mkdirSync(join(home, 'dotfiles'));
  writeFileSync(join(home, 'dotfiles/bashrc'), 'alias ll="ls -l"');
  symlinkSync(join(home, 'dotfiles/bashrc'), join(home, '.bashrc'));
  await completion(['install'], { SHELL: '/usr/bin/bash' });
  const once = readFileSync(join(home, '.bashrc'), 'utf8');
  expect(once).toMatch(
    /^alias ll="ls -l"\n# >>> gatectl completion >>>\n.*\n# <<< gatectl completion <<<\n$/,
  );
  writeFileSync(join(home, '.bashrc'), `${once.replace('source', 'old-source')}export A=1\n`);
  await completion(['install'], { SHELL: '/usr/bin/bash' });
  expect(readFileSync(join(home, '.bashrc'), 'utf8')).toBe(`${once}export A=1\n`);
  await completion(['uninstall'], { SHELL: '/usr/bin/bash' });
  expect(readFileSync(join(home, '.bashrc'), 'utf8')).toBe('alias ll="ls -l"\nexport A=1\n');
  expect(lstatSync(join(home, '.bashrc')).isSymbolicLink()).toBe(true);
});

test('an unknown shell requires --shell, exit 2', async () => {
  expect(await completion(['install'], { SHELL: '/bin/dash' })).toEqual({
    code: 2,
    stdout: '',
    stderr: 'error: cannot detect the shell\n  add --shell with one of: bash, zsh, fish, powershell\n',
  });
});
