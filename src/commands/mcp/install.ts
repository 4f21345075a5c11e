import { dirname, posix, win32 } from 'node:path';
import { FileError, UsageError } from '../../errors/index.ts';
import { invalidInput, invalidValue } from '../../errors/usage.ts';
import { writeAtomic } from '../../files/atomic-file.ts';
import { makeFolder } from '../../files/folders.ts';
import { textIfThere } from '../../files/if-there.ts';
import { isRecord, type Json, type JsonRecord, stringifyJson, tryParseJson } from '../../json/index.ts';
import type { Io } from '../../terminal/io.ts';
import type { Context } from '../framework/context.ts';
import { boolean, defineCommand, required } from '../framework/define-command.ts';
import { object } from '../framework/output-schema.ts';
import { ALLOW_FLAG } from './allow-flag.ts';

/** Clients whose configuration is a JSON file, and the member that holds its servers. */
const CLIENTS = {
  'claude-desktop': {
    servers: 'mcpServers',
    path: ['Claude', 'claude_desktop_config.json'],
    from: 'settings',
  },
  'claude-code': { servers: 'mcpServers', path: ['.mcp.json'], from: 'project' },
  cursor: { servers: 'mcpServers', path: ['.cursor', 'mcp.json'], from: 'home' },
  vscode: { servers: 'servers', path: ['.vscode', 'mcp.json'], from: 'project' },
  windsurf: { servers: 'mcpServers', path: ['.codeium', 'windsurf', 'mcp_config.json'], from: 'home' },
} as const;
type Client = keyof typeof CLIENTS;
const NAMES = Object.keys(CLIENTS) as readonly Client[];

export const install = defineCommand({
  name: 'install',
  effect: 'read',
  summary: 'add gatectl to the configuration of an AI client',
  description:
    'Shows the change to the configuration file of the client, then writes it after confirmation. Other servers in the file do not change. claude-code and vscode are configured for the current folder, the others for the user. The file contains no key: gatectl reads it from the profile.',
  arguments: { client: required('client', `the client: ${NAMES.join(', ')}`, { completes: NAMES }) },
  options: {
    allow: ALLOW_FLAG,
    yes: boolean('-y, --yes', 'write without confirmation'),
    dryRun: boolean('--dry-run', 'show the change without writing'),
  },
  examples: {
    'gatectl mcp install cursor': 'configure Cursor',
    'gatectl mcp install claude-code -p staging':
      'configure Claude Code for this project, with the profile staging',
  },
  output: object({
    path: ['string', 'the configuration file'],
    server: ['object', 'the entry for gatectl'],
    written: ['boolean', 'false with --dry-run, or if the entry already exists'],
  }),
  async run({ client, allow, yes, dryRun }, context) {
    const path = pathOf(clientNamed(client), context.io);
    const { servers } = CLIENTS[clientNamed(client)];
    const words = [...context.connectionWords(), 'mcp', ...allow.flatMap(word => ['--allow', word])];
    const server = { command: 'gatectl', args: words };
    const entry = { [servers]: { gatectl: server } };
    const before = await configurationIn(path, entry);
    const known = before[servers];
    if (known !== undefined && !isRecord(known)) throw unreadable(path, entry);
    const after = { ...before, [servers]: { ...known, gatectl: server } };
    const isSame = stringifyJson(known?.gatectl ?? null) === stringifyJson(server);
    if (!isSame && !dryRun) {
      await confirm(path, entry, yes, context);
      await makeFolder(dirname(path));
      await writeAtomic(path, `${stringifyJson(after, 2)}\n`);
    }
    await context.out.print({ path, server, written: !isSame && !dryRun });
    if (!isSame && !dryRun) context.log.note(`restart ${client} to use it`);
  },
});

function clientNamed(name: string): Client {
  const client = NAMES.find(known => known === name);
  if (client !== undefined) return client;
  throw invalidValue(
    `unknown client '${name}'`,
    `one of: ${NAMES.join(', ')}`,
    'configure other clients to run: gatectl mcp',
  );
}

function pathOf(client: Client, { platform, homedir, env, cwd }: Io): string {
  const { path, from } = CLIENTS[client];
  const { join } = platform === 'win32' ? win32 : posix;
  if (from === 'project') return join(cwd, ...path);
  if (homedir === undefined)
    throw new FileError('there is no home folder to write to', { path: path.join('/') });
  if (from === 'home') return join(homedir, ...path);
  const settings = {
    win32: env.APPDATA ?? join(homedir, 'AppData', 'Roaming'),
    darwin: join(homedir, 'Library', 'Application Support'),
  };
  const folder = platform === 'win32' || platform === 'darwin' ? settings[platform] : undefined;
  return join(folder ?? env.XDG_CONFIG_HOME ?? join(homedir, '.config'), ...path);
}

async function configurationIn(path: string, entry: JsonRecord): Promise<JsonRecord> {
  const text = (await textIfThere(path)) ?? '';
  const parsed = text.trim() === '' ? {} : tryParseJson(text);
  if (isRecord(parsed)) return parsed;
  throw unreadable(path, entry);
}

/** Files with comments are not read, because writing them would lose the comments. */
function unreadable(path: string, entry: JsonRecord): UsageError {
  return invalidInput(
    `${path} is not plain JSON with an object of servers, so it was not changed`,
    `add this entry by hand: ${stringifyJson(entry)}`,
  );
}

async function confirm(path: string, change: Json, yes: boolean, context: Context): Promise<void> {
  if (yes) return;
  const { prompt } = context;
  if (prompt === undefined)
    throw new UsageError(`writing ${path} requires confirmation`, {
      code: 'confirmation_required',
      hints: ['add --yes, or --dry-run to see the change'],
    });
  context.log.info(`${path}:\n${stringifyJson(change, 2)}`);
  if (!(await prompt.confirm('Add this entry?')))
    throw new UsageError('nothing was written', { code: 'confirmation_required' });
}
