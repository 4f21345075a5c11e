import { dirname } from 'node:path';
import { writeAtomic } from '../../files/atomic-file.ts';
import { rm } from '../../files/disk.ts';
import { fileError } from '../../files/file-error.ts';
import { makeFolder } from '../../files/folders.ts';
import { textIfThere } from '../../files/if-there.ts';
import { chosenShell, completionPlace } from './completion-places.ts';
import { type Context, SHELLS, type Shell } from './context.ts';
import { defineCommand, oneOf, optional } from './define-command.ts';
import { listOf } from './output-schema.ts';

const FIRST = '# >>> gatectl completion >>>';
const LAST = '# <<< gatectl completion <<<';

const SHELL = oneOf('--shell <shell>', 'the shell (default: that of $SHELL)', SHELLS);
const NAME = optional('shell', 'the shell, as with --shell', { completes: SHELLS });
const CHANGES = listOf({
  path: ['string', 'the file'],
  change: ['string', 'created, updated, unchanged or removed'],
});

type Change = 'created' | 'updated' | 'unchanged' | 'removed';

export const install = defineCommand({
  name: 'install',
  effect: 'read',
  summary: 'install completions for your shell',
  description:
    'Writes the completion script where the shell finds it, and for bash, zsh and PowerShell a marked block into the start-up file. Prints each file that changed. Running it again updates the script; gatectl completion uninstall undoes it.',
  arguments: { name: NAME },
  options: { shell: SHELL },
  examples: {
    'gatectl completion install': 'for the shell in use',
    'gatectl completion install zsh': 'for another shell',
  },
  output: CHANGES,
  async run(flags, context) {
    const shell = chosenShell(flags, context.io);
    await print(await installCompletions(shell, context), context);
    context.log.note(`open a new ${shell} to use them`);
  },
});

export const uninstall = defineCommand({
  name: 'uninstall',
  effect: 'read',
  summary: 'remove installed completions',
  description: 'Removes the script and the marked block that gatectl completion install wrote.',
  arguments: { name: NAME },
  options: { shell: SHELL },
  examples: { 'gatectl completion uninstall': 'for the shell in use' },
  output: CHANGES,
  async run(flags, context) {
    const { script, startup } = completionPlace(chosenShell(flags, context.io), context.io);
    const changes = [await update(script, () => '')];
    if (startup !== undefined) changes.push(await update(startup.path, withoutBlock));
    await print(changes, context);
  },
});

/** Installs or updates the completions of a shell. Throws FileError. */
export async function installCompletions(shell: Shell, context: Context): Promise<readonly FileChange[]> {
  const { script, startup } = completionPlace(shell, context.io);
  const text = await context.manual.completion(shell);
  const changes = [await update(script, () => text)];
  if (startup !== undefined) {
    const block = [FIRST, ...startup.lines, LAST, ''].join('\n');
    changes.push(await update(startup.path, old => withBlock(old, block)));
  }
  return changes;
}

/** Whether the completions of a shell are installed. */
export async function hasCompletions(shell: Shell, { io }: Context): Promise<boolean> {
  return (await textIfThere(completionPlace(shell, io).script)) !== undefined;
}

interface FileChange {
  readonly path: string;
  readonly change: Change;
}

/** Rewrites a file where its text changes; a file that becomes empty is removed. */
async function update(path: string, edit: (text: string) => string): Promise<FileChange> {
  const before = await textIfThere(path);
  const after = edit(before ?? '');
  if (after === (before ?? '')) return { path, change: 'unchanged' };
  try {
    if (after === '') {
      await rm(path);
      return { path, change: 'removed' };
    }
    await makeFolder(dirname(path), 0o755);
    await writeAtomic(path, after);
  } catch (error) {
    throw fileError(path, error, 'write');
  }
  return { path, change: before === undefined ? 'created' : 'updated' };
}

/** A start-up file with one block, at the place of an earlier one or at the end. */
function withBlock(text: string, block: string): string {
  const [start, end] = blockIn(text);
  if (start >= 0) return text.slice(0, start) + block + text.slice(end);
  return text + (text === '' || text.endsWith('\n') ? '' : '\n') + block;
}

function withoutBlock(text: string): string {
  const [start, end] = blockIn(text);
  return start < 0 ? text : text.slice(0, start) + text.slice(end);
}

/** Where the block begins and ends with its line break; -1 for none, or for one without an end. */
function blockIn(text: string): readonly [start: number, end: number] {
  const start = text.indexOf(`${FIRST}\n`);
  const last = start < 0 ? -1 : text.indexOf(LAST, start);
  if (last < 0) return [-1, -1];
  const end = last + LAST.length;
  return [start, text[end] === '\n' ? end + 1 : end];
}

async function print(changes: readonly FileChange[], context: Context): Promise<void> {
  const rows = changes.map(({ path, change }) => ({ path, change }));
  const columns = [
    { key: 'path', title: 'Path', kind: 'text' },
    { key: 'change', title: 'Change', kind: 'text' },
  ] as const;
  await context.out.printResult(rows, [{ title: 'Completions', data: rows, view: { columns } }], rows);
}
