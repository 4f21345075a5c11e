import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { run } from '../../support/run.ts';

const SERVER = { command: 'gatectl', args: ['mcp'] };

function folders() {
  const homedir = temporaryFolder();
  const cwd = temporaryFolder();
  return {
    homedir,
    cwd,
    install: (args: readonly string[]) => run(['mcp', 'install', ...args], { homedir, cwd }),
  };
}

test.each([
  ['claude-desktop', 'homedir', '.config/Claude/claude_desktop_config.json', 'mcpServers'],
  ['claude-code', 'cwd', '.mcp.json', 'mcpServers'],
  ['cursor', 'homedir', '.cursor/mcp.json', 'mcpServers'],
  ['vscode', 'cwd', '.vscode/mcp.json', 'servers'],
  ['windsurf', 'homedir', '.codeium/windsurf/mcp_config.json', 'mcpServers'],
] as const)('%s is configured in its file', async (client, folder, name, servers) => {
  const { install, ...places } = folders();
  const path = join(places[folder], name);
  expect((await install([client, '--yes'])).code).toBe(0);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ [servers]: { gatectl: SERVER } });
});

test('other servers and settings in the file do not change, and a second time writes nothing', async () => {
  const { homedir, install } = folders();
  const path = join(homedir, '.cursor/mcp.json');
  mkdirSync(dirname(path));
  const before = { theme: 1.0, mcpServers: { other: { command: 'x', args: [] } } };
  writeFileSync(path, JSON.stringify(before));
  await install(['cursor', '--yes']);
  const after = readFileSync(path, 'utf8');
  expect(JSON.parse(after)).toEqual({ ...before, mcpServers: { ...before.mcpServers, gatectl: SERVER } });
  const { stdout } = await install(['cursor', '-o', 'json']);
  expect(JSON.parse(stdout)).toEqual({ path, server: SERVER, written: false });
  expect(readFileSync(path, 'utf8')).toBe(after);
});

test('the profile and allowed writes are part of the entry', async () => {
  const { homedir, cwd, install } = folders();
  const added = ['profile', 'add', 'staging', '--base-url', 'https://gateway.example.com', '--api-key-stdin'];
  await run(added, { homedir, cwd, input: 'made-up-key' });
  const { stdout } = await install([
    'cursor',
    '--dry-run',
    '-o',
    'json',
    '-p',
    'staging',
    '--allow',
    'cdn-purge',
  ]);
  expect(JSON.parse(stdout).server.args).toEqual(['--profile', 'staging', 'mcp', '--allow', 'cdn-purge']);
});

test('nothing is written with --dry-run, without confirmation, or into a file that is not a JSON object', async () => {
  const { homedir, install } = folders();
  const path = join(homedir, '.cursor/mcp.json');
  expect((await install(['cursor', '--dry-run'])).code).toBe(0);
  const { code, stderr } = await install(['cursor']);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `error: writing ${path} requires confirmation\n  add --yes, or --dry-run to see the change\n`,
  });
  expect(existsSync(path)).toBe(false);
  mkdirSync(dirname(path));
  writeFileSync(path, '{ // a comment\n}');
  expect((await install(['cursor', '--yes'])).code).toBe(2);
  expect(readFileSync(path, 'utf8')).toBe('{ // a comment\n}');
});

test('an unknown client is rejected with the known ones', async () => {
  const { code, stderr } = await folders().install(['emacs']);
  expect(code).toBe(2);
  expect(stderr).toContain('one of: claude-desktop, claude-code, cursor, vscode, windsurf');
});

test('an unknown write is rejected before anything is written', async () => {
  const { homedir, install } = folders();
  const { code, stderr } = await install(['cursor', '--yes', '--allow', 'everything']);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: "error: invalid --allow 'everything'\n  one of: cdn-purge\n",
  });
  expect(existsSync(join(homedir, '.cursor'))).toBe(false);
});

test('a file instead of the folder is named', async () => {
  const { homedir, install } = folders();
  writeFileSync(join(homedir, '.cursor'), '');
  const { code, stderr } = await install(['cursor', '--yes']);
  expect({ code, stderr }).toEqual({
    code: 9,
    stderr: `error: ${join(homedir, '.cursor')} is a file, not a folder\n`,
  });
});

test('the options that select the gateway are part of the entry', async () => {
  const { install } = folders();
  const { stdout } = await install([
    ...['cursor', '--dry-run', '-o', 'json', '--base-url', 'https://gateway.example.com', '--timeout', '5'],
  ]);
  expect(JSON.parse(stdout).server.args).toEqual([
    ...['--base-url', 'https://gateway.example.com', '--timeout', '5', 'mcp'],
  ]);
});

test.each(['{ // a comment\n}', '{"mcpServers":[]}'])(
  'a file with %j is not changed, and a hint shows the entry',
  async text => {
    const { homedir, install } = folders();
    mkdirSync(join(homedir, '.cursor'));
    writeFileSync(join(homedir, '.cursor/mcp.json'), text);
    const { code, stderr } = await install(['cursor', '--dry-run']);
    expect(code).toBe(2);
    expect(stderr).toContain(
      'add this entry by hand: {"mcpServers":{"gatectl":{"command":"gatectl","args":["mcp"]}}}',
    );
  },
);
