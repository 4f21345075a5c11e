import type { Plant } from './history.ts';

/** Replaces a part of a text, of which there is one. */
const instead = (part: string, by: string) => (text: string) => {
  if (text.split(part).length !== 2) throw new Error(`there is not one ${JSON.stringify(part)}`);
  return text.replace(part, () => by);
};

/** Faults that the simulator has to find, each in a part of the program that has it or in the disk. */
export const PLANTS: readonly Plant[] = [
  { name: 'a sync that does nothing', operation: 'export', disk: { ignoresSync: true } },
  {
    name: 'a checkpoint before its rows are synced',
    operation: 'export',
    source: { 'src/export/checkpoint-writer.ts': instead('    await this.#file.sync();\n', '') },
  },
  {
    name: 'a file that has its name before it is synced',
    operation: 'atomic-file',
    source: {
      'src/files/writable-file.ts': instead(
        'await this.#named(this.#handle.sync());\n    await this.#close();',
        'await this.#close();',
      ),
    },
  },
  {
    name: 'a name that could not be synced',
    operation: 'atomic-file',
    source: {
      'src/files/disk-io.ts': instead('if (!CANNOT_FLUSH.has(systemCode(error)))', 'if (error === 0)'),
    },
  },
  {
    name: 'a lock that is taken over without a claim',
    operation: 'lock',
    source: {
      'src/files/lock.ts': instead(
        'const held = await tryClaim(claim, machine);\n  if (held === undefined) return false;',
        'void claim;\n  await removeLockEntry(lock).catch(() => {});\n  return true;\n  const held = undefined as never;',
      ),
    },
  },
  {
    name: 'a partition that is replaced while its ledger has the one before',
    operation: 'sync',
    source: {
      'src/sync/destinations/lake/lake.ts': instead(
        'if (superseded !== undefined)',
        'if (superseded === entry)',
      ),
    },
  },
  {
    name: 'a folder that is lost with the partition in it',
    operation: 'sync',
    source: { 'src/files/durable-names.ts': instead('    await syncFolder(dirname(path));\n', '') },
  },
  {
    name: 'a state that is confirmed although its purge failed',
    operation: 'changed',
    source: {
      'src/commands/cdn/purge/changes/changes.ts': instead(
        'if (isConfirmed) await this.#confirm(id);',
        'if (isConfirmed || result) await this.#confirm(id);',
      ),
    },
  },
  {
    name: 'a purge that does not record what it begins',
    operation: 'changed',
    source: {
      'src/commands/cdn/purge/changes/changes.ts': instead(
        'onStart: () => this.#owe({}),',
        'onStart: async () => {},',
      ),
    },
  },
  {
    name: 'an event that is accepted before it is written',
    operation: 'queue',
    source: {
      'src/operations/listen/event-queue.ts': instead(
        '      await written;\n    } finally',
        '      written.catch(() => {});\n    } finally',
      ),
    },
  },
  {
    name: 'an event that is accepted before it is synced',
    operation: 'queue',
    source: { 'src/operations/listen/event-queue.ts': instead('      await this.#handle.datasync();\n', '') },
  },
  {
    name: 'what is done, known to one listener only',
    operation: 'listeners',
    source: {
      'src/operations/listen/event-queue.ts': instead(
        "await writeAtomic(join(this.#folder, 'done.json'),",
        "await ((..._: unknown[]) => {})(join(this.#folder, 'done.json'),",
      ),
    },
  },
  {
    name: 'a plan that is applied after it expired',
    operation: 'plan',
    source: {
      'src/operations/writes/apply-plan.ts': instead(
        '!isValidAt(plan, machine.now())',
        '!isValidAt(plan, Date.parse(plan.created))',
      ),
    },
  },
  {
    name: 'a plan that is applied again',
    operation: 'plan',
    source: { 'src/operations/writes/apply-plan.ts': instead('applied.has(plan.hash)', '!applied') },
  },
  {
    name: 'an audit that is complete although readers could not be checked',
    operation: 'audit',
    source: {
      'src/operations/access/audit-readers.ts': instead('if (left === 0) await', 'if (left >= 0) await'),
    },
  },
  {
    name: 'a journal that is lost with the folder above it',
    operation: 'purge',
    source: { 'src/files/folders.ts': instead('  await onParent(parent);\n', '') },
  },
  {
    name: 'a state that is lost with its folder',
    operation: 'alerts',
    source: {
      'src/files/folders.ts': instead(
        'await makeFolder(path, 0o700, syncName);\n  await syncName(path);',
        'await makeFolder(path, 0o700, syncName);',
      ),
    },
  },
  {
    name: 'a line of the journal that is lost',
    operation: 'purge',
    source: {
      'src/apis/cdn/journal.ts': instead(
        '      writeAllSync(',
        '      await this.#done;\n      if (from !== 100) writeAllSync(',
      ),
    },
  },
  {
    name: 'a batch that is confirmed before it is cleared',
    operation: 'purge',
    source: {
      'src/operations/purge/clear-targets.ts': instead(
        'const error = await attempt(',
        'await options.onEvent({ batch, cleared: true, split: false });\n    const error = await attempt(',
      ),
    },
  },
];
