import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { allPages } from '../../src/cli/manual/surface.ts';
import { outline } from '../../src/cli/outline.ts';
import { CommandLine } from '../../src/cli/parser.ts';
import { isGroup, leavesOf } from '../../src/commands/framework/define-command.ts';
import { tree } from '../../src/commands/tree.ts';
import { splitShellWords } from '../../src/text/shell-words.ts';
import { temporaryFolder } from '../support/folder.ts';
import { run } from '../support/run.ts';

const skill = readFileSync(fileURLToPath(new URL('../../skills/gatectl/SKILL.md', import.meta.url)), 'utf8');
const lines = [...skill.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block = '']) =>
  block.trim().split('\n'),
);

describe('the skill', () => {
  test.each(lines)('gatectl accepts its line %s', async line => {
    const { words } = splitShellWords(line, 'linux');
    expect(words[0]).toBe('gatectl');
    expect((await new CommandLine(outline, undefined).parse(words.slice(1))).kind).toBe('run');
  });

  test('lists every command that may change something at the gateway, and no other', () => {
    const listed = [...skill.matchAll(/^\| `gatectl ([\w -]+)` \|/gm)].map(([, words]) => words);
    const changing = leavesOf(tree).filter(({ leaf }) => leaf.effect !== 'read');
    expect(listed.toSorted()).toEqual(changing.map(({ words }) => words.join(' ')).toSorted());
  });

  test('names options and commands in its prose that exist', () => {
    const flags = new Set(allPages().flatMap(page => page.flags.map(({ long }) => long)));
    const global = ['--sandbox', '--read-only', '--curl', '--json', '--jq', '--fields', '--help'];
    const named = [...skill.matchAll(/`(--[a-z-]+)/g)].map(([, flag = '']) => flag);
    expect(named.filter(flag => !flags.has(flag) && !global.includes(flag))).toEqual([]);
    const paths = allPages().map(({ path }) => path.join(' '));
    const commands = [...skill.matchAll(/`gatectl ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)?)/g)].map(
      ([, words = '']) => words,
    );
    expect(
      commands.filter(words => !paths.includes(words) && !paths.includes(words.split(' ')[0] ?? '')),
    ).toEqual([]);
  });

  test('has a name and a description, which decide when an assistant reads it', () => {
    expect(skill).toMatch(/^---\nname: gatectl\ndescription: .{100,900}\n---\n/);
    expect(Buffer.byteLength(skill)).toBeLessThan(5000);
  });
});

describe('gatectl skills install', () => {
  test('writes the skill into a folder of skills, for any assistant', async () => {
    const cwd = temporaryFolder();
    const path = join(cwd, 'my skills/gatectl/SKILL.md');
    const args = ['skills', 'install', '--dir', 'my skills', '--json'];
    const { code, stdout } = await run(args, { cwd });
    expect({ code, result: JSON.parse(stdout) }).toEqual({ code: 0, result: { path, change: 'created' } });
    expect(readFileSync(path, 'utf8')).toBe(skill);
    writeFileSync(path, 'mine');
    const { code: refused } = await run(args, { cwd });
    expect({ refused, text: readFileSync(path, 'utf8') }).toEqual({ refused: 2, text: 'mine' });
  });

  test.each([
    [['codex', '--dir', 'skills'], 'codex and --dir both name a folder'],
    [['--user', '--dir', 'skills'], '--user and --dir both name a folder'],
    [['--dir', ''], '--dir is empty'],
  ])('refuses %j', async (args, told) => {
    const cwd = temporaryFolder();
    const { code, stderr } = await run(['skills', 'install', ...args], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(told);
    expect(readdirSync(cwd)).toEqual([]);
  });

  test('writes the skill for an assistant, once', async () => {
    const cwd = temporaryFolder();
    const path = join(cwd, '.claude/skills/gatectl/SKILL.md');
    const { code, stdout } = await run(['skills', 'install', '--json'], { cwd });
    expect({ code, result: JSON.parse(stdout) }).toEqual({ code: 0, result: { path, change: 'created' } });
    expect(readFileSync(path, 'utf8')).toBe(skill);
    const { stdout: again } = await run(['skills', 'install', '--json'], { cwd });
    expect(JSON.parse(again).change).toBe('unchanged');
  });

  test('replaces a file that differs only when asked, and writes nothing with --dry-run', async () => {
    const homedir = temporaryFolder();
    const path = join(homedir, '.agents/skills/gatectl/SKILL.md');
    const install = (...more: string[]) =>
      run(['skills', 'install', 'codex', '--user', ...more], { homedir });
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, 'mine');
    expect(await install()).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: ${path} differs from the skill of this version\n  add --replace, or compare them: gatectl skills show\n`,
    });
    await install('--dry-run');
    expect(readFileSync(path, 'utf8')).toBe('mine');
    await install('--replace');
    expect(readFileSync(path, 'utf8')).toBe(skill);
  });

  test('names the assistants that it knows', async () => {
    const { code, stderr } = await run(['skills', 'install', 'hal']);
    expect(code).toBe(2);
    expect(stderr).toContain('one of: claude-code, codex, copilot, cursor');
    expect((await run(['skills', 'show'])).stdout).toBe(skill);
  });
});

describe('gatectl schema --compact', () => {
  const leaves = allPages().filter(({ command }) => !isGroup(command));

  test('has every command with its effect and its flags, in at most 20,000 bytes', async () => {
    const { stdout } = await run(['schema', '--compact']);
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(20_000);
    const { commands } = JSON.parse(stdout);
    expect(Object.keys(commands)).toEqual(leaves.map(({ path }) => path.join(' ')));
    for (const { path, flags } of leaves) {
      const words = commands[path.join(' ')].takes.split(' ').map((word: string) => word.replace(/=$/, ''));
      expect(flags.filter(({ long }) => !words.includes(long))).toEqual([]);
    }
    expect(commands['bda report create'].effect).toBe('irreversible');
  });

  test('of one group has its commands only', async () => {
    const { stdout } = await run(['schema', 'cdn', '--compact', '--jq', '.commands | keys']);
    expect(JSON.parse(stdout)).toEqual(['cdn history', 'cdn listen', 'cdn ping', 'cdn purge']);
  });

  test.each([
    ['--compact', '--openapi'],
    ['--compact', '--search', 'x'],
    ['--search', 'x', '--sync'],
    ['cdn', '--search', 'x'],
  ])('schema %s %s is a usage error', async (...words) => {
    expect((await run(['schema', ...words])).code).toBe(2);
  });
});
