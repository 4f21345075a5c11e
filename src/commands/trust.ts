import { basename, join, resolve } from 'node:path';
import { configPath } from '../config/platform.ts';
import { readProfiles } from '../config/profiles-file.ts';
import { findProjectFile, PROJECT_FILE, reachOfProject } from '../config/project-file.ts';
import { distrustFiles, type Reach, readTrusted } from '../config/trust.ts';
import { unknownName } from '../errors/usage.ts';
import { stat } from '../files/disk.ts';
import { fileError } from '../files/file-error.ts';
import { SYNC_FILE } from '../sync/config.ts';
import type { Context } from './framework/context.ts';
import { defineCommand, optional } from './framework/define-command.ts';
import { lockMachine } from './framework/lock-machine.ts';
import { listOf, NOTHING } from './framework/output-schema.ts';
import { nameOf, rememberTrust } from './framework/trust.ts';

export const trust = defineCommand({
  name: 'trust',
  effect: 'read',
  summary: 'trust the files of a repository to send data elsewhere',
  description:
    'Allows a sync file, units of a plan or a .gatectl.yaml to name a server, a bucket, a folder outside its own or a profile. The trust is stored by path and these values: if one changes, gatectl asks again. Without a terminal, such as in cron and CI, an untrusted file is an error. With --insecure-http, its connections to other machines may be unencrypted.',
  arguments: {
    path: optional('path', `a file, or a folder with ${SYNC_FILE} or ${PROJECT_FILE} (default: this one)`, {
      completes: 'file',
    }),
  },
  options: {},
  examples: {
    'gatectl trust': 'trust the files of a repository',
    'gatectl trust analytics/gatectl.sync.yaml': 'trust one sync file',
  },
  output: NOTHING,
  async run({ path = '.' }, context) {
    context.withoutSettings();
    let remembered = 0;
    for (const reach of await reachesAt(resolve(context.io.cwd, path), context)) {
      if (reach.path === undefined || reach.targets.length === 0) continue;
      await rememberTrust({ ...reach, path: reach.path }, context);
      remembered += 1;
      for (const { does } of reach.targets)
        context.log.info(`trusted: ${nameOf(reach.path, context)} ${does}`);
    }
    if (remembered === 0)
      context.log.note(`${path} names nothing outside its folder and this machine: nothing to trust`);
  },
});

export const trustList = defineCommand({
  name: 'list',
  effect: 'read',
  summary: 'list the trusted files',
  options: {},
  examples: { 'gatectl trust list': 'list the trusted files' },
  output: listOf({
    path: ['string', 'the file'],
    targets: ['string[]', 'the servers, buckets, folders and profiles that it may name'],
    insecure: ['boolean', 'whether connections may be unencrypted'],
    since: ['string', 'when it was trusted (RFC 3339)'],
  }),
  async run(_, context) {
    const files = await readTrusted(context.io);
    await context.out.print(
      files.map(({ path, targets, insecure, since }) => ({ path, targets: [...targets], insecure, since })),
      {
        columns: [
          { key: 'path', title: 'File', kind: 'text' },
          { key: 'targets', title: 'May name', kind: 'text' },
          { key: 'insecure', title: 'Unencrypted', kind: 'text' },
          { key: 'since', title: 'Since', kind: 'time' },
        ],
        empty: 'no file is trusted yet; trust one with: gatectl trust FILE',
      },
    );
  },
});

export const trustRemove = defineCommand({
  name: 'remove',
  effect: 'read',
  summary: 'stop trusting a file, or the files of a folder',
  arguments: {
    path: optional('path', 'the file or folder (default: this one)', { completes: 'file' }),
  },
  options: {},
  examples: { 'gatectl trust remove': 'ask again for this repository' },
  output: NOTHING,
  async run({ path = '.' }, context) {
    context.withoutSettings();
    const options = { system: context.io, machine: lockMachine(context) };
    const forgotten = await distrustFiles(resolve(context.io.cwd, path), options);
    if (forgotten.length === 0)
      throw unknownName(`no trusted file is ${path} or below it`, 'list them: gatectl trust list');
    for (const file of forgotten) context.log.info(`no longer trusted: ${nameOf(file.path, context)}`);
  },
});

/** What a file, or the files of a folder, may send where. Throws UsageError and FileError. */
async function reachesAt(path: string, context: Context): Promise<readonly Reach[]> {
  const stats = await stat(path).catch(error => {
    throw fileError(nameOf(path, context), error, 'read');
  });
  if (!stats.isDirectory()) return [await reachOfFile(path, context)];
  const sync = join(path, SYNC_FILE);
  const isThere = (await stat(sync).catch(() => undefined)) !== undefined;
  return [await reachOfProjectAt(path, context), ...(isThere ? [await reachOfFile(sync, context)] : [])];
}

async function reachOfFile(path: string, context: Context): Promise<Reach> {
  if (basename(path) === PROJECT_FILE) return await reachOfProjectAt(join(path, '..'), context);
  if (/\.(?:nd)?jsonl?$/i.test(path)) {
    const { openUnitsFile, reachOfUnits } = await import('../sync/units-file.ts');
    const { io, signal } = context;
    const file = await openUnitsFile(path, io, signal);
    return (await reachOfUnits(file, io.env)) ?? { path, values: [], targets: [] };
  }
  const { reachOfSync, readSync } = await import('./framework/open-sync.ts');
  return await reachOfSync(await readSync(path, context), context);
}

/** What the project file for a folder decides. */
async function reachOfProjectAt(folder: string, { io, log }: Context): Promise<Reach> {
  const { homedir, platform, self } = io;
  const { project, warnings } = await findProjectFile({ cwd: folder, homedir, platform, self });
  for (const warning of warnings) log.warn(warning);
  if (project === undefined) return { path: undefined, values: [], targets: [] };
  const { current } = await readProfiles(configPath(io), io.platform);
  return reachOfProject(project, current);
}
