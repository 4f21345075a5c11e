import { dirname, posix, win32 } from 'node:path';
import { UsageError } from '../errors/index.ts';
import { conflict, invalidValue, missingSetting } from '../errors/usage.ts';
import { writeAtomic } from '../files/atomic-file.ts';
import { makeFolder } from '../files/folders.ts';
import { textIfThere } from '../files/if-there.ts';
import type { Io } from '../terminal/io.ts';
import type { Context } from './framework/context.ts';
import { boolean, defineCommand, optional, string } from './framework/define-command.ts';
import { object, TEXT } from './framework/output-schema.ts';

/** Where assistants look for skills: in a folder of the project, and of the user. */
const ASSISTANTS = {
  'claude-code': { project: '.claude', user: '.claude' },
  codex: { project: '.agents', user: '.agents' },
  copilot: { project: '.github', user: '.copilot' },
  cursor: { project: '.cursor', user: '.cursor' },
} as const;
type Assistant = keyof typeof ASSISTANTS;
const NAMES = Object.keys(ASSISTANTS) as readonly Assistant[];

export const skillsInstall = defineCommand({
  name: 'install',
  effect: 'read',
  summary: 'write the skill where an AI assistant finds it',
  description:
    'Writes SKILL.md into the skills of the assistant, for the current folder or with --user for all of them. It says how to find commands, which of them change something, and how to read exit codes. Install it again after an update of gatectl.',
  arguments: {
    assistant: optional('assistant', `${NAMES.join(', ')} (default: claude-code)`, { completes: NAMES }),
  },
  options: {
    user: boolean('--user', 'install for the user instead of the current folder'),
    dir: string('--dir <folder>', 'install into gatectl/ of this folder of skills, for any other assistant'),
    replace: boolean('--replace', 'replace a file that differs'),
    dryRun: boolean('--dry-run', 'print the path without writing'),
  },
  examples: {
    'gatectl skills install': 'for Claude Code, in this folder',
    'gatectl skills install codex --user': 'for Codex, in every folder',
    'gatectl skills install --dir ~/.assistant/skills': 'for another assistant',
  },
  output: object({
    path: ['string', 'the file'],
    change: ['string', 'created, updated or unchanged; with --dry-run, what would happen'],
  }),
  async run({ assistant, user, dir, replace, dryRun }, context) {
    if (dir !== undefined) rejectOthers(assistant, user);
    const path =
      dir === undefined
        ? skillPath(assistantNamed(assistant ?? 'claude-code'), user, context.io)
        : skillBelow(dir, context.io);
    const text = (await context.manual.documentation()).skill();
    const before = await textIfThere(path);
    const change = before === undefined ? 'created' : before === text ? 'unchanged' : 'updated';
    if (change === 'updated' && !replace && !dryRun) throw differs(path);
    if (change !== 'unchanged' && !dryRun) {
      await makeFolder(dirname(path), 0o755);
      await writeAtomic(path, text);
    }
    await print({ path, change }, context);
  },
});

export const skillsShow = defineCommand({
  name: 'show',
  effect: 'read',
  summary: 'print the skill',
  description: 'Prints SKILL.md, for assistants that skills install does not know.',
  options: {},
  examples: { 'gatectl skills show > SKILL.md': 'write it elsewhere' },
  output: TEXT,
  async run(_, context) {
    await context.out.printText((await context.manual.documentation()).skill());
  },
});

function assistantNamed(name: string): Assistant {
  const found = NAMES.find(each => each === name.toLowerCase());
  if (found !== undefined) return found;
  throw invalidValue(
    `unknown assistant '${name}'`,
    `one of: ${NAMES.join(', ')}`,
    'others: gatectl skills install --dir FOLDER',
  );
}

/** Throws UsageError for what names another folder than --dir does. */
function rejectOthers(assistant: string | undefined, isForUser: boolean): void {
  const other = assistant ?? (isForUser ? '--user' : undefined);
  if (other !== undefined) throw conflict(`${other} and --dir both name a folder`, 'give one of them');
}

/** The file below a folder that holds skills. Throws UsageError for an empty name. */
function skillBelow(folder: string, { cwd, platform }: Io): string {
  if (folder.trim() === '') throw invalidValue('--dir is empty', 'type the folder that holds skills');
  const { join, resolve } = platform === 'win32' ? win32 : posix;
  return join(resolve(cwd, folder), 'gatectl', 'SKILL.md');
}

function skillPath(assistant: Assistant, isForUser: boolean, { cwd, homedir, platform }: Io): string {
  const { join } = platform === 'win32' ? win32 : posix;
  if (isForUser && homedir === undefined)
    throw missingSetting('cannot install the skill: no home folder', 'set HOME');
  const folder = isForUser ? (homedir ?? '') : cwd;
  const own = ASSISTANTS[assistant][isForUser ? 'user' : 'project'];
  return join(folder, own, 'skills', 'gatectl', 'SKILL.md');
}

function differs(path: string): UsageError {
  return new UsageError(`${path} differs from the skill of this version`, {
    code: 'confirmation_required',
    hints: ['add --replace, or compare them: gatectl skills show'],
  });
}

async function print(
  result: { readonly path: string; readonly change: string },
  context: Context,
): Promise<void> {
  const columns = [
    { key: 'path', title: 'Path', kind: 'text' },
    { key: 'change', title: 'Change', kind: 'text' },
  ] as const;
  await context.out.printResult(result, [{ title: 'Skill', data: result, view: { columns } }], [result]);
}
