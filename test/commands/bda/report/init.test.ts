import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { openerOf, openFile } from '../../../../src/commands/framework/open-file.ts';
import type { Io } from '../../../../src/terminal/io.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { run } from '../../../support/run.ts';

const INIT = ['bda', 'report', 'init'];
const FLAGS = ['--data-set', 'pageview', '-m', 'visits,revenue'];

describe('bda report init', () => {
  test('writes a file that builds', async () => {
    const cwd = temporaryFolder();
    expect(await run([...INIT, ...FLAGS, '-d', 'country'], { cwd })).toEqual({
      code: 0,
      stdout: '',
      stderr: 'wrote report.yaml; next: gatectl bda report build report.yaml --out report.html --open\n',
    });
    expect(
      readFileSync(join(cwd, 'report.yaml'), 'utf8'),
    ).toBe(`# gatectl bda report build report.yaml --out report.html

title: Weekly report
defaults: {data-set: pageview, last: 7d}
sections:
  - title: Visits and revenue per day
    query: {dimension: report_day, metric: [visits, revenue], compare: previous}
    chart: true
  - title: Visits and revenue by country
    query: {dimension: country, metric: [visits, revenue], compare: previous, sort: visits:desc, limit: 10}
    chart: true
`);
    const { code, stdout, stderr } = await run([
      'bda',
      'report',
      'build',
      join(cwd, 'report.yaml'),
      '--sandbox',
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^# Weekly report\n[\s\S]*\| Revenue \(USD\) \|/);
  });

  test.each([
    ['month', 'year', 'Monthly report', '{data-set: pageview, previous: month}', ', compare: year}'],
    ['28d', 'none', 'The last 28 days', '{data-set: pageview, last: 28d}', '[visits, revenue]}'],
  ])('of %s compared with %s', async (days, compare, title, defaults, end) => {
    const cwd = temporaryFolder();
    const flags = [...FLAGS, '--days', days, '--compare', compare];
    expect((await run([...INIT, 'new.yaml', ...flags], { cwd })).code).toBe(0);
    const text = readFileSync(join(cwd, 'new.yaml'), 'utf8');
    expect(text).toContain(`title: ${title}\ndefaults: ${defaults}\n`);
    expect(text).toContain(`${end}\n    chart: true\n`);
    const { code } = await run(['bda', 'report', 'build', join(cwd, 'new.yaml'), '--sandbox', '--dry-run']);
    expect(code).toBe(0);
  });

  test('never overwrites a file', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'report.yaml'), 'mine');
    const { code, stderr } = await run([...INIT, ...FLAGS], { cwd });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'error: report.yaml already exists\n  edit it, or name another file\n',
    });
    expect(readFileSync(join(cwd, 'report.yaml'), 'utf8')).toBe('mine');
  });

  test('without a terminal queries the usual data set, as bda query does', async () => {
    const cwd = temporaryFolder();
    const { code, stderr } = await run([...INIT, '-m', 'visits'], { cwd });
    expect(code).toBe(0);
    expect(stderr).toContain('note: data set pageview; --data-set NAME selects another\n');
    expect(readFileSync(join(cwd, 'report.yaml'), 'utf8')).toContain('{data-set: pageview, last: 7d}');
  });

  test('notes columns that are neither documented nor listed so far', async () => {
    const cwd = temporaryFolder();
    const { code, stderr } = await run([...INIT, '-m', 'visits,bananas', '-d', 'country'], { cwd });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining(
        'note: no column bananas is known yet; gatectl bda columns lists the columns of the gateway\n',
      ),
    });
  });

  test('without a terminal requires what it would prompt for', async () => {
    const cwd = temporaryFolder();
    const { code, stderr } = await run([...INIT, '--data-set', 'pageview'], { cwd });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'error: --metric is required\n  type gatectl bda report init -m visits\n  on a terminal, gatectl bda report init prompts for everything\n',
    });
    expect(existsSync(join(cwd, 'report.yaml'))).toBe(false);
    const named = await run([...INIT, 'own.yaml', '--data-set', 'pageview'], { cwd });
    expect(named.stderr).toContain('  type gatectl bda report init own.yaml -m visits\n');
  });
});

describe('--open', () => {
  const terminal = (env: Io['env'], platform: NodeJS.Platform, isTTY = true) => {
    const stream = Object.assign(new PassThrough(), { isTTY });
    return { stdin: stream, stderr: stream, env, platform } as unknown as Io;
  };

  test.each([
    ['xdg-open', terminal({ DISPLAY: ':0' }, 'linux')],
    ['xdg-open', terminal({ WAYLAND_DISPLAY: 'wayland-0' }, 'linux')],
    ['open', terminal({}, 'darwin')],
    ['explorer.exe', terminal({}, 'win32')],
    ['there is no display', terminal({}, 'linux')],
    ['there is no terminal', terminal({ DISPLAY: ':0' }, 'linux', false)],
  ])('uses what the system has: %s', (expected, io) => {
    const opener = openerOf(io);
    expect('words' in opener ? opener.words[0] : opener.reason).toBe(expected);
  });

  test('passes the path of the file to the program', async () => {
    const folder = temporaryFolder();
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\nprintf %s "$1" > '${pipe}'\n`, { mode: 0o755 });
    const io = terminal({ DISPLAY: ':0', PATH: `${folder}:${process.env.PATH}` }, 'linux');
    expect(await openFile('a b.html', { ...io, cwd: folder })).toBeUndefined();
    expect(await readFile(pipe, 'utf8')).toBe(join(folder, 'a b.html'));
  });

  test('says that the program is missing', async () => {
    const io = terminal({ DISPLAY: ':0', PATH: temporaryFolder() }, 'linux');
    expect(await openFile('a.html', { ...io, cwd: '/' })).toBe('xdg-open cannot be started');
  });

  test('writes the report, and says that nothing was opened without a terminal', async () => {
    const cwd = temporaryFolder();
    await run([...INIT, ...FLAGS], { cwd });
    const build = ['bda', 'report', 'build', join(cwd, 'report.yaml'), '--sandbox', '--open'];
    const { code, stderr } = await run([...build, '--out', join(cwd, 'weekly.html'), '-q']);
    expect({ code, stderr: stderr.replace(`${cwd}/`, '') }).toEqual({
      code: 0,
      stderr: 'warning: weekly.html was not opened: there is no terminal\n',
    });
    expect(existsSync(join(cwd, 'weekly.html'))).toBe(true);
    expect(await run(build)).toMatchObject({
      code: 2,
      stderr: 'error: --open requires --out FILE\n  type --out report.html --open\n',
    });
  });
});
