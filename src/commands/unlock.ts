import { configPath } from '../config/platform.ts';
import { LockedError, UsageError } from '../errors/index.ts';
import { sidecarPaths } from '../export/output-path.ts';
import { type LockState, lockState, unlock as releaseLock } from '../files/lock.ts';
import { journalFolders } from '../operations/purge/journal-folders.ts';
import type { Context } from './framework/context.ts';
import { boolean, defineCommand, variadic } from './framework/define-command.ts';
import { lockMachine } from './framework/lock-machine.ts';
import { listOf } from './framework/output-schema.ts';

export const unlock = defineCommand({
  name: 'unlock',
  effect: 'read',
  summary: 'remove locks left by processes that have ended',
  description:
    'Exports, purges and the profiles file are locked while gatectl uses them. Stale locks are removed automatically, except on shared folders, where gatectl cannot determine whether a process on another machine is running. Releases such locks, and locks of running processes only with --force.',
  arguments: {
    file: variadic(
      'file',
      'export files, or other paths that an error message named (default: all purges and the profiles file)',
    ),
  },
  options: { force: boolean('--force', 'release locks of running processes, too') },
  examples: {
    'gatectl unlock daily.csv': 'release the lock of an export on a lost machine',
    'gatectl unlock': 'release the locks of interrupted purges',
  },
  output: listOf({
    path: ['string', 'the locked file or folder'],
    released: ['boolean', 'false for a lock of a running process'],
    pid: ['number | null', 'the process that locked it'],
    host: ['string | null', 'the host name of its machine at that time'],
    since: ['string | null', 'when it was locked (RFC 3339)'],
  }),
  async run({ file, force }, context) {
    const machine = lockMachine(context);
    const locked: { path: string; state: LockState; released: boolean }[] = [];
    for (const path of file.length > 0 ? await lockedOf(file, context) : await wellKnown(context)) {
      const state = await releaseLock(path, machine, force);
      if (state.kind === 'free') continue;
      locked.push({ path, state, released: force || state.kind === 'abandoned' || !state.isRunning });
    }
    await context.out.print(
      locked.map(({ path, state, released }) => {
        const holder = state.kind === 'free' ? undefined : state.holder;
        const { pid = null, host = null, since = null } = holder ?? {};
        return { path, released, pid, host, since };
      }),
      {
        columns: [
          { key: 'path', title: 'Path', kind: 'text' },
          { key: 'released', title: 'Released', kind: 'text' },
          { key: 'pid', title: 'PID', kind: 'text' },
          { key: 'host', title: 'Host', kind: 'text' },
          { key: 'since', title: 'Since', kind: 'text' },
        ],
        empty: 'no locks found',
      },
    );
    const running = locked.find(({ released }) => !released);
    if (running?.state.kind === 'held') throw new LockedError(running.path, running.state);
  },
});

/** The locked paths for the given files: an export is locked by its unfinished file. Throws UsageError. */
async function lockedOf(files: readonly string[], context: Context): Promise<readonly string[]> {
  const found = await Promise.all(
    files.map(async file => {
      for (const path of [sidecarPaths(file).partial, file])
        if ((await lockState(path, lockMachine(context))).kind !== 'free') return path;
      throw new UsageError(`${file} is not locked`);
    }),
  );
  return [...new Set(found)];
}

async function wellKnown(context: Context): Promise<readonly string[]> {
  const profiles = configPath(context.io);
  return [
    ...(profiles === undefined ? [] : [profiles]),
    ...(await journalFolders(lockMachine(context), text => context.log.warn(text))),
  ];
}
