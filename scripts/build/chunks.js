// Which modules share a file. Each file costs a start some 0.2 ms, and each module that is not needed costs its text.
import { relative, resolve } from 'node:path';

/** What is loaded together, by the modules that are the reason; what these import goes with them, as far as none before has it. */
const LAYERS = {
  // The second before the rest, so that Node keeps the compiled code of the rest.
  gatectl: ['src/cli/entry.ts', 'src/cli/compile-cache.ts'],
  // What prints the help of gatectl, without a parser.
  help: ['src/cli/brief-help.ts'],
  // Before a command line is understood. Aliases are small, and a file of their own would cost more.
  run: ['src/cli/run.ts', 'src/cli/aliases.ts'],
  // Whatever sends a request and shows the answer.
  asking: [
    'src/cli/command-context.ts',
    'src/config/key.ts',
    'src/config/keyring.ts',
    'src/files/text-source.ts',
    'src/output/render.ts',
    'src/terminal/numbers.ts',
  ],
  // Whatever prints a table.
  table: ['src/output/table.ts'],
  // Whatever writes a file, or reads one that may be missing.
  files: ['src/files/atomic-file.ts', 'src/files/lock.ts', 'src/files/folders.ts', 'src/files/if-there.ts'],
};

/** Commands made of many modules, beyond the layers. What two of them share goes with whatever asks. */
const COMMANDS = {
  readers: ['src/commands/access/access.ts'],
  purge: ['src/commands/cdn/purge/purge.ts', 'src/commands/cdn/purge/urls.ts', 'src/cli/govern-writes.ts'],
  rows: [
    'src/commands/bda/query/query.ts',
    'src/commands/bda/output/write-rows.ts',
    'src/commands/bda/output/rows-to-file.ts',
  ],
};

/** What programs import, by the name of its file in dist/library. */
export const LIBRARIES = { client: 'src/client/index.ts', sandbox: 'src/sandbox/library.ts' };

const LIBRARY_FILES = Object.fromEntries(Object.entries(LIBRARIES).map(([name, path]) => [name, [path]]));

/**
 * Layers and commands that libraries share with the command line are split in two: what a library loads must not load commander.
 * By name, the file for the shared part.
 */
const SHARED = { run: 'base', asking: 'core', readers: 'access', purge: 'clear-urls', rows: 'export' };
/** What a library loads later only, such as what logs writes, has a file of its own. */
const LATE = { purge: 'write-log' };

/** For rollup's `manualChunks`; everything else lies where rollup puts it. */
export function chunkOf(id, { getModuleInfo }) {
  const having = groups => Object.keys(groups).filter(name => reached(groups[name], getModuleInfo).has(id));
  const [layer] = having(LAYERS);
  const [command, ...others] = having(COMMANDS);
  const chunk = layer ?? (others.length > 0 ? 'asking' : command);
  if (!librariesReach(getModuleInfo).has(id)) return chunk;
  const isLate = !having(LIBRARY_FILES).length;
  if (id.startsWith(resolve('src/client'))) return isLate ? undefined : 'client';
  return (isLate ? LATE[chunk] : undefined) ?? SHARED[chunk] ?? chunk;
}

/** All modules that a library may load, now or later. */
function librariesReach(getModuleInfo) {
  return reached(LIBRARIES, getModuleInfo, Object.values(LIBRARIES), true);
}

const known = new Map();

/** The modules that are loaded with these, by what imports say; with `late` also those that are imported later. */
function reached(key, getModuleInfo, paths = key, late = false) {
  if (known.has(key)) return known.get(key);
  const found = new Set();
  const waiting = paths.map(path => resolve(path));
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const info = getModuleInfo(id);
    if (info === null || info.isExternal || found.has(id)) continue;
    found.add(id);
    waiting.push(...info.importedIds, ...(late ? info.dynamicallyImportedIds : []));
  }
  known.set(key, found);
  return found;
}

/** What each file of the bundle is made of, for the test that watches over what a start loads: names of packages, and modules of src. */
export function contentsOf(output) {
  const chunks = output.filter(({ type }) => type === 'chunk');
  return Object.fromEntries(
    chunks.map(({ fileName, modules }) => {
      // A module that only passes on what Node has leaves nothing.
      const parts = Object.keys(modules).filter(id => !id.startsWith('\0') && modules[id].renderedLength > 0);
      return [fileName, [...new Set(parts.map(partName))].sort()];
    }),
  );
}

function partName(id) {
  const [path] = id.replaceAll('\\', '/').split('?');
  const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
  return name ?? relative(resolve('.'), path).replaceAll('\\', '/');
}
