import { dirname, posix } from 'node:path';
import type { World } from './world.ts';

const PAGE_BYTES = 4096;
/** The folders of a new user. */
const THERE = ['/tmp', '/data', '/home', '/home/user'];

/** What the planted faults of disks are. */
export interface DiskDefects {
  /** A sync does nothing. */
  readonly ignoresSync?: boolean;
}

/** A change of a file that is not on the disk yet. */
type Pending =
  | { readonly kind: 'write'; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: 'size'; readonly size: number };

interface NodeFacts {
  readonly ino: number;
  mode: number;
  mtimeMs: number;
}

/** A file: its bytes as processes see them, as they are on the disk, and the changes between the two. */
export interface FileNode extends NodeFacts {
  readonly kind: 'file';
  bytes: Buffer;
  size: number;
  synced: Buffer;
  pending: Pending[];
}

/** A change of names that is there as a whole or not at all. Of a rename between folders, both have it. */
interface NameChange {
  readonly parts: readonly {
    readonly folder: FolderNode;
    readonly name: string;
    readonly to: DiskNode | undefined;
  }[];
}

export interface FolderNode extends NodeFacts {
  readonly kind: 'folder';
  readonly names: Map<string, DiskNode>;
  readonly synced: Map<string, DiskNode>;
  pending: NameChange[];
}

/** A socket in the file system. */
export interface SocketNode extends NodeFacts {
  readonly kind: 'socket';
  isListening: () => boolean;
}

export type DiskNode = FileNode | FolderNode | SocketNode;

const MESSAGES: Record<string, string> = {
  ENOENT: 'no such file or directory',
  EEXIST: 'file already exists',
  ENOTDIR: 'not a directory',
  EISDIR: 'illegal operation on a directory',
  ENOTEMPTY: 'directory not empty',
  ENOSPC: 'no space left on device',
  EIO: 'i/o error',
  EINVAL: 'invalid argument',
  EBADF: 'bad file descriptor',
  EACCES: 'permission denied',
  EMFILE: 'too many open files',
};

/** An error as Node has it. */
export function systemError(code: string, syscall: string, path?: string): NodeJS.ErrnoException {
  const at = path === undefined ? '' : ` '${path}'`;
  return Object.assign(new Error(`${code}: ${MESSAGES[code] ?? code}, ${syscall}${at}`), {
    code,
    syscall,
    ...(path !== undefined && { path }),
  });
}

/**
 * A disk as POSIX promises it, and no better: bytes outlive a power cut once their file was synced, names once their folder was. Until
 * then any of the changes may be there: names in any order, and of a file its first writes, the last of them torn or followed by zeros,
 * or any of its pages.
 */
export class Disk {
  readonly root: FolderNode;
  isFull = false;
  /** Whether a power cut left a page of a file, but not one before it. */
  hasHoles = false;
  readonly #world: World;
  readonly #defects: DiskDefects;
  #nextIno = 2;

  constructor(world: World, defects: DiskDefects = {}) {
    this.#world = world;
    this.#defects = defects;
    this.root = this.#newFolder(0o755);
    for (const path of THERE) this.makeFolder(path, 0o700);
    this.syncAll();
  }

  /** What is at a path. Throws ENOENT and ENOTDIR. */
  at(path: string, syscall: string): DiskNode {
    const found = this.find(path, syscall);
    if (found === undefined) throw systemError('ENOENT', syscall, path);
    return found;
  }

  /** What is at a path, if anything. Throws ENOENT for a folder above it that is missing, and ENOTDIR. */
  find(path: string, syscall: string): DiskNode | undefined {
    let node: DiskNode = this.root;
    const names = posix.normalize(path).split('/').filter(Boolean);
    for (const [index, name] of names.entries()) {
      if (node.kind !== 'folder') throw systemError('ENOTDIR', syscall, path);
      const next: DiskNode | undefined = node.names.get(name);
      if (next === undefined) {
        if (index === names.length - 1) return undefined;
        throw systemError('ENOENT', syscall, path);
      }
      node = next;
    }
    return node;
  }

  /** The text of a file as processes see it; undefined without one. */
  text(path: string): string | undefined {
    let node: DiskNode | undefined;
    try {
      node = this.find(path, 'open');
    } catch {}
    return node?.kind === 'file' ? node.bytes.toString('latin1', 0, node.size) : undefined;
  }

  /** The names in a folder; none without one. */
  names(path: string): string[] {
    try {
      const node = this.at(path, 'scandir');
      return node.kind === 'folder' ? [...node.names.keys()].sort() : [];
    } catch {
      return [];
    }
  }

  /** The paths of the files below a folder. */
  files(path: string): string[] {
    return this.names(path).flatMap(name => {
      const node = this.at(`${path}/${name}`, 'stat');
      return node.kind === 'folder' ? this.files(`${path}/${name}`) : [`${path}/${name}`];
    });
  }

  /** Writes a file that is on the disk at once; of a new one, with everything else. */
  put(path: string, text: string): void {
    const existing = this.find(path, 'open');
    const node = existing?.kind === 'file' ? existing : this.createFile(path, 0o644, 'open');
    node.bytes = Buffer.from(text);
    node.size = node.bytes.length;
    if (existing === undefined) this.syncAll();
    else this.#persist(node);
  }

  createFile(path: string, mode: number, syscall: string): FileNode {
    this.assertRoom(syscall, path);
    const node: FileNode = {
      kind: 'file',
      ino: this.#nextIno++,
      mode: 0o100000 | (mode & 0o777),
      mtimeMs: this.#world.now,
      bytes: Buffer.alloc(0),
      size: 0,
      synced: Buffer.alloc(0),
      pending: [],
    };
    this.#change([[path, node]], syscall);
    return node;
  }

  createSocket(path: string, isListening: () => boolean): void {
    if (this.find(path, 'listen') !== undefined) throw systemError('EEXIST', 'listen', path);
    const facts = { ino: this.#nextIno++, mode: 0o140755, mtimeMs: this.#world.now };
    this.#change([[path, { kind: 'socket', ...facts, isListening }]], 'listen');
  }

  makeFolder(path: string, mode: number): void {
    this.assertRoom('mkdir', path);
    if (this.find(path, 'mkdir') !== undefined) throw systemError('EEXIST', 'mkdir', path);
    this.#change([[path, this.#newFolder(mode)]], 'mkdir');
  }

  removeFolder(path: string): void {
    const node = this.at(path, 'rmdir');
    if (node.kind !== 'folder') throw systemError('ENOTDIR', 'rmdir', path);
    if (node.names.size > 0) throw systemError('ENOTEMPTY', 'rmdir', path);
    this.#change([[path, undefined]], 'rmdir');
  }

  unlink(path: string): void {
    if (this.at(path, 'unlink').kind === 'folder') throw systemError('EISDIR', 'unlink', path);
    this.#change([[path, undefined]], 'unlink');
  }

  link(from: string, to: string): void {
    const node = this.at(from, 'link');
    if (this.find(to, 'link') !== undefined) throw systemError('EEXIST', 'link', to);
    this.#change([[to, node]], 'link');
  }

  rename(from: string, to: string): void {
    const node = this.at(from, 'rename');
    const over = this.find(to, 'rename');
    if (over === node) return;
    if (over !== undefined) {
      if (node.kind === 'folder' && over.kind !== 'folder') throw systemError('ENOTDIR', 'rename', to);
      if (node.kind !== 'folder' && over.kind === 'folder') throw systemError('EISDIR', 'rename', to);
      if (over.kind === 'folder' && over.names.size > 0) throw systemError('ENOTEMPTY', 'rename', to);
    }
    this.#change(
      [
        [from, undefined],
        [to, node],
      ],
      'rename',
    );
  }

  /** Writes bytes at a position; the file may be a name that is gone. */
  write(node: FileNode, bytes: Uint8Array, at: number): void {
    const end = at + bytes.length;
    if (end > node.bytes.length) {
      const larger = Buffer.alloc(Math.max(end, node.bytes.length * 2, 64));
      node.bytes.copy(larger, 0, 0, node.size);
      node.bytes = larger;
    }
    if (at > node.size) node.bytes.fill(0, node.size, at);
    node.bytes.set(bytes, at);
    node.size = Math.max(node.size, end);
    node.mtimeMs = this.#world.now;
    node.pending.push({ kind: 'write', at, bytes: Buffer.from(bytes) });
  }

  truncate(node: FileNode, size: number): void {
    if (size === node.size) return;
    if (size > node.size) this.write(node, Buffer.alloc(size - node.size), node.size);
    node.size = size;
    node.pending.push({ kind: 'size', size });
  }

  sync(node: DiskNode): void {
    if (this.#defects.ignoresSync) return;
    this.#persist(node);
  }

  /** Throws ENOSPC on a full disk. */
  assertRoom(syscall: string, path: string): void {
    if (this.isFull) throw systemError('ENOSPC', syscall, path);
  }

  /** Puts everything on the disk. */
  syncAll(node: DiskNode = this.root): void {
    this.#persist(node);
    if (node.kind === 'folder') for (const each of node.names.values()) this.syncAll(each);
  }

  /** What a power cut leaves. */
  cut(): void {
    this.#cutFolder(this.root, new Set());
  }

  #persist(node: DiskNode): void {
    if (node.kind === 'file') {
      node.synced = Buffer.from(node.bytes.subarray(0, node.size));
      node.pending = [];
    } else if (node.kind === 'folder') for (const change of [...node.pending]) apply(change);
  }

  #newFolder(mode: number): FolderNode {
    const facts = { ino: this.#nextIno++, mode: 0o40000 | (mode & 0o777), mtimeMs: this.#world.now };
    return { kind: 'folder', ...facts, names: new Map(), synced: new Map(), pending: [] };
  }

  /** Changes names at once, for processes. */
  #change(parts: readonly (readonly [path: string, to: DiskNode | undefined])[], syscall: string): void {
    const change: NameChange = {
      parts: parts.map(([path, to]) => {
        const folder = this.at(dirname(path), syscall);
        if (folder.kind !== 'folder') throw systemError('ENOTDIR', syscall, path);
        return { folder, name: posix.basename(path), to };
      }),
    };
    for (const { folder, name, to } of change.parts) {
      if (to === undefined) folder.names.delete(name);
      else folder.names.set(name, to);
      folder.mtimeMs = this.#world.now;
      if (!folder.pending.includes(change)) folder.pending.push(change);
    }
  }

  #cutFolder(folder: FolderNode, seen: Set<DiskNode>): void {
    if (seen.has(folder)) return;
    seen.add(folder);
    for (const change of chosen(folder.pending, this.#world)) apply(change);
    for (const change of folder.pending)
      for (const part of change.parts)
        part.folder.pending = part.folder.pending.filter(each => each !== change);
    folder.names.clear();
    for (const [name, node] of folder.synced) folder.names.set(name, node);
    for (const node of folder.names.values()) {
      if (node.kind === 'folder') this.#cutFolder(node, seen);
      else if (node.kind === 'file' && !seen.has(node)) {
        seen.add(node);
        this.#cutFile(node);
      }
    }
  }

  /** The first of its changes, of which the last may be torn; or any of its pages, each as it was or as it was to be. */
  #cutFile(node: FileNode): void {
    if (node.pending.length === 0) return;
    const world = this.#world;
    const pages = Math.ceil(Math.max(node.size, node.synced.length) / PAGE_BYTES);
    if (pages > 1 && world.random() < 0.2) {
      this.hasHoles = true;
      const bytes = Buffer.alloc(node.size);
      for (let from = 0; from < node.size; from += PAGE_BYTES) {
        const source = world.random() < 0.5 ? node.bytes : node.synced;
        source.subarray(from, Math.min(from + PAGE_BYTES, node.size)).copy(bytes, from);
      }
      node.bytes = bytes;
    } else {
      const count = world.pick([0, node.pending.length, world.below(node.pending.length + 1)]);
      node.bytes = this.#with(node.synced, node.pending.slice(0, count));
    }
    node.size = node.bytes.length;
    this.#persist(node);
  }

  #with(synced: Buffer, changes: readonly Pending[]): Buffer {
    const world = this.#world;
    let bytes = synced;
    for (const [index, change] of changes.entries()) {
      if (change.kind === 'size') {
        bytes = Buffer.concat([bytes.subarray(0, change.size)], change.size);
        continue;
      }
      const isTorn = index === changes.length - 1 && world.random() < 0.4;
      const part = isTorn ? change.bytes.subarray(0, world.below(change.bytes.length + 1)) : change.bytes;
      const isLong = isTorn && world.random() < 0.3;
      const end = change.at + (isLong ? change.bytes.length : part.length);
      const grown = Buffer.alloc(Math.max(bytes.length, end));
      bytes.copy(grown);
      part.copy(grown, change.at);
      bytes = grown;
    }
    return bytes;
  }
}

/** None, all, the first or any of some changes. */
function chosen<Change>(changes: readonly Change[], world: World): readonly Change[] {
  switch (world.below(4)) {
    case 0:
      return [];
    case 1:
      return changes;
    case 2:
      return changes.slice(0, world.below(changes.length + 1));
    default:
      return changes.filter(() => world.random() < 0.5);
  }
}

/** Puts a change on the disk. */
function apply(change: NameChange): void {
  for (const { folder, name, to } of change.parts) {
    if (to === undefined) folder.synced.delete(name);
    else folder.synced.set(name, to);
  }
  for (const { folder } of change.parts) folder.pending = folder.pending.filter(each => each !== change);
}
