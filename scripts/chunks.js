// Which modules share a file. Each file costs a start some 0.2 ms, and each module that is not needed costs its text.
import { resolve } from 'node:path';

/** Loaded before anything else, so that Node keeps the compiled code of the rest. */
const FIRST = ['src/cli/compiled-code.ts'];
/** Loaded before a command line is understood. */
const AT_ONCE = ['src/cli/run.ts'];
/** Loaded by whatever sends a request and shows the answer. */
const TO_ASK = [
  'src/cli/live-context.ts',
  'src/profile/key.ts',
  'src/profile/keyring.ts',
  'src/files/text-source.ts',
  'src/output/render.ts',
];

/** For rollup's `manualChunks`. */
export function chunkOf(id, { getModuleInfo }) {
  if (reached(FIRST, getModuleInfo).has(id)) return 'compiled-code';
  if (reached(AT_ONCE, getModuleInfo).has(id)) return 'run';
  return reached(TO_ASK, getModuleInfo).has(id) ? 'asking' : undefined;
}

const known = new Map();

/** The modules that are loaded with these, by what imports say. */
function reached(paths, getModuleInfo) {
  if (known.has(paths)) return known.get(paths);
  const found = new Set();
  const waiting = paths.map(path => resolve(path));
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const info = getModuleInfo(id);
    if (info === null || info.isExternal || found.has(id)) continue;
    found.add(id);
    waiting.push(...info.importedIds);
  }
  known.set(paths, found);
  return found;
}
