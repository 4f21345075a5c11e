import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import nodeModule from 'node:module';
import { basename, dirname, join } from 'node:path';
import type { Script } from 'node:vm';

// Node stores compiled code itself since 22.8 (module.enableCompileCache). This does the same in older versions.

/** The bundle whose files are cached. */
export interface Bundle {
  /** The folder that holds the entry file. */
  readonly folder: string;
  /** A hash of all its files. */
  readonly build: string;
}

/** The bundle of this module; the build inserts the hash. */
export function thisBundle(): Bundle {
  return { folder: __dirname, build: 'HASH_OF_ALL_CHUNKS' };
}

/** The loader that `require` calls for a file extension. */
type Loader = (module: NodeJS.Module, filename: string) => void;

const HEAD = '(function (exports, require, module, __filename, __dirname) { ';
const TAIL = '\n})';
/** Folders of other builds are deleted after this time without a change. */
const UNUSED_MS = 30 * 86_400_000;
const FOLDER_NAME = /^v[\d.]+-[a-z0-9]+-[0-9a-f]{16}$/;

/**
 * Loads chunks of the bundle with their compiled code from `folder`, and stores missing code there when the process exits. Code that is
 * missing, damaged, unsafe or from another version of V8 is compiled as usual. Never throws.
 */
export function cacheCompiledCode(folder: string, bundle: Bundle, process: NodeJS.Process): void {
  if (process.env.NODE_DISABLE_COMPILE_CACHE) return;
  const extensions = (nodeModule as unknown as { readonly _extensions: Record<string, Loader> })._extensions;
  const own = join(folder, `${process.version}-${process.arch}-${bundle.build}`);
  const { Script } = process.getBuiltinModule('node:vm');
  const uid = process.geteuid?.();
  const loaded: Loaded[] = [];
  extensions['.cjs'] = (module, filename) => {
    if (dirname(dirname(filename)) !== bundle.folder) {
      extensions['.js']?.(module, filename);
      return;
    }
    const path = join(own, `${basename(filename)}.bin`);
    const label = labelOf(filename, bundle);
    const stored = storedCode(path, label, uid);
    const script = new Script(HEAD + readFileSync(filename, 'latin1') + TAIL, {
      filename,
      columnOffset: -HEAD.length,
      ...(stored && { cachedData: stored.code }),
    });
    const usedWith = script.cachedDataRejected === false ? stored?.usedWith : undefined;
    loaded.push({ name: basename(filename, '.cjs'), path, label, script, usedWith: usedWith ?? [] });
    const { exports } = module;
    const require = Object.assign((id: string) => module.require(id), {
      resolve: (id: string) => nodeModule.createRequire(filename).resolve(id),
    });
    script.runInThisContext().call(exports, exports, require, module, filename, dirname(filename));
  };
  process.on('exit', () => {
    // V8 compiles a function when it is first called: with each command, more of what commands share has been compiled.
    const names = loaded.map(({ name }) => name);
    const incomplete = loaded.filter(({ usedWith }) => names.some(name => !usedWith.includes(name)));
    if (incomplete.length === 0) return;
    try {
      makeOwnFolder(own, uid);
      for (const chunk of incomplete) store(chunk, names, process.pid);
      deleteUnused(folder, own);
    } catch {
      // Read-only, full or another user's folder: the next start compiles again.
    }
  });
}

interface Loaded {
  readonly name: string;
  /** Of its compiled code. */
  readonly path: string;
  readonly label: Buffer;
  readonly script: Script;
  /** The chunks with which it has run since its code was first stored; none where it was compiled now. */
  readonly usedWith: readonly string[];
}

/** Stored after the code to identify its source, of which V8 only compares the length. */
function labelOf(filename: string, { build }: Bundle): Buffer {
  return Buffer.from(`${build} ${filename} ${statSync(filename).mtimeMs}\n`);
}

/** Reads stored code. V8 runs it without comparing it with its source, so no other user may be able to write the file. */
function storedCode(
  path: string,
  label: Buffer,
  uid: number | undefined,
): { readonly code: Buffer; readonly usedWith: readonly string[] } | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(
      path,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || !isOwn(stats, uid)) return undefined;
    const bytes = readFileSync(descriptor);
    const end = bytes.lastIndexOf(label);
    if (end <= 0) return undefined;
    return {
      code: bytes.subarray(0, end),
      usedWith: bytes.toString('latin1', end + label.length).split(' '),
    };
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Whether only this user can write a file or folder. Always true on systems without user ids (Windows). */
function isOwn(stats: { readonly uid: number; readonly mode: number }, uid: number | undefined): boolean {
  return uid === undefined || (stats.uid === uid && (stats.mode & 0o022) === 0);
}

/** Creates a folder and its parents. Throws unless an existing one belongs to this user: with sudo, the home may be another user's. */
function makeOwnFolder(path: string, uid: number | undefined): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && dirname(path) !== path) {
      makeOwnFolder(dirname(path), uid);
      mkdirSync(path, { mode: 0o700 });
    } else if (code !== 'EEXIST' || !isOwn(statSync(path), uid)) throw error;
  }
}

/** Stores code under a temporary name and renames it, so that readers find a complete file or none. */
function store({ path, label, script, usedWith }: Loaded, names: readonly string[], pid: number): void {
  const temporary = `${path}.${pid}.tmp`;
  try {
    const all = Buffer.from([...new Set([...usedWith, ...names])].join(' '), 'latin1');
    const bytes = Buffer.concat([script.createCachedData(), label, all]);
    writeFileSync(temporary, bytes, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function deleteUnused(folder: string, own: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (path !== own && FOLDER_NAME.test(name) && Date.now() - statSync(path).mtimeMs > UNUSED_MS)
      rmSync(path, { recursive: true, force: true });
  }
}
