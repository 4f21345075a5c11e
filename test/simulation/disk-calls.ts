import { constants } from 'node:fs';
import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { type DiskNode, type FileNode, systemError } from './disk.ts';
import type { Machine, Process } from './machine.ts';

/** Unlike any other error, so that nobody handles it by what it says. The process is dead: nothing that it does has an effect. */
class Killed extends Error {}

const CHUNK_BYTES = 64 * 1024;

/** An open file. */
interface Open {
  readonly node: DiskNode;
  readonly path: string;
  readonly isAppending: boolean;
  at: number;
}

type Flags = string | number | undefined;

function flagsOf(flags: Flags): number {
  const { O_RDONLY, O_RDWR, O_WRONLY, O_CREAT, O_APPEND, O_TRUNC, O_EXCL } = constants;
  if (typeof flags === 'number') return flags;
  switch (flags ?? 'r') {
    case 'r':
      return O_RDONLY;
    case 'r+':
      return O_RDWR;
    case 'w':
      return O_WRONLY | O_CREAT | O_TRUNC;
    case 'w+':
      return O_RDWR | O_CREAT | O_TRUNC;
    case 'wx+':
      return O_RDWR | O_CREAT | O_EXCL;
    case 'wx':
      return O_WRONLY | O_CREAT | O_EXCL;
    case 'a':
      return O_WRONLY | O_CREAT | O_APPEND;
    case 'a+':
      return O_RDWR | O_CREAT | O_APPEND;
    default:
      throw new Error(`the simulated disk has no flag ${flags}`);
  }
}

/** A random part of a name, so that places in a trace are the same in each history. */
const RANDOM_PART = /[0-9a-f]{12}|[0-9a-f-]{36}|\d{4}-\d\d-\d\dT[\d-]+Z-\d+/g;

/**
 * The calls of `src/files/disk.ts` on the disk of a machine, as the process that `current` returns makes them. Each takes a moment of
 * the simulated time, is a step at which the process may be ended, and has its effect at once.
 */
export function diskCalls(machine: () => Machine, current: () => Process) {
  /** Does something now, unless it is the step of a fault. */
  const step = <Value>(call: string, path: string, effect: () => Value, partly?: () => void): Value => {
    const process = current();
    if (process.isDead) throw new Killed();
    const { world } = machine();
    const place = `${call} ${path.replace(RANDOM_PART, '*')}`;
    const fault = world.nextStep(place);
    if (fault !== undefined) world.struck.push(`${fault} ${place}`);
    switch (fault) {
      case 'kill before':
        process.kill();
        throw new Killed();
      case 'cut before':
        machine().cutPower();
        throw new Killed();
      case 'kill within':
        if (partly !== undefined) partly();
        else effect();
        process.kill();
        throw new Killed();
      case 'fail':
        throw systemError(world.pick(['EIO', isFolder(path) ? 'EIO' : 'EACCES', 'EMFILE']), call, path);
      case 'full':
        machine().disk.isFull = true;
        break;
    }
    const value = effect();
    if (fault === 'kill after') {
      process.kill();
      throw new Killed();
    }
    if (fault === 'cut after') {
      machine().cutPower();
      throw new Killed();
    }
    return value;
  };

  /** The same, a moment later. Of a dead process, it never ends. */
  const later = <Value>(call: string, path: string, effect: () => Value, partly?: () => void) => {
    const process = current();
    return new Promise<Value>((resolve, reject) => {
      if (process.isDead) return;
      const { world } = machine();
      world.after(world.random() * 2, process, () => {
        try {
          resolve(step(call, path, effect, partly));
        } catch (error) {
          if (!(error instanceof Killed)) reject(error);
        }
      });
    });
  };

  const disk = () => machine().disk;
  /** A folder that may not be read cannot be flushed, which is no failure. */
  const isFolder = (path: string) => {
    try {
      return disk().at(path, 'stat').kind === 'folder';
    } catch {
      return false;
    }
  };

  const openNode = (path: string, flags: number, mode: number): Open => {
    const { O_CREAT, O_EXCL, O_TRUNC, O_APPEND, O_WRONLY, O_RDWR } = constants;
    const found = disk().find(path, 'open');
    if (found !== undefined && (flags & O_CREAT) !== 0 && (flags & O_EXCL) !== 0)
      throw systemError('EEXIST', 'open', path);
    if (found === undefined && (flags & O_CREAT) === 0) throw systemError('ENOENT', 'open', path);
    const node = found ?? disk().createFile(path, mode, 'open');
    const writes = (flags & (O_WRONLY | O_RDWR)) !== 0;
    if (node.kind === 'folder' && writes) throw systemError('EISDIR', 'open', path);
    if (node.kind === 'socket') throw systemError('EACCES', 'open', path);
    if (node.kind === 'file' && (flags & O_TRUNC) !== 0) disk().truncate(node, 0);
    return { node, path, isAppending: (flags & O_APPEND) !== 0, at: 0 };
  };

  const fileOf = ({ node, path }: Open): FileNode => {
    if (node.kind !== 'file') throw systemError('EISDIR', 'read', path);
    return node;
  };

  /** Writes, and returns the number of bytes; on a full disk, those that there is room for. */
  const writeTo = (open: Open, bytes: Uint8Array, position: number | null): number => {
    const node = fileOf(open);
    const { world } = machine();
    const at = open.isAppending ? node.size : (position ?? open.at);
    const grows = at + bytes.length > node.size;
    let length = bytes.length;
    if (grows && disk().isFull) {
      if (length < 2 || world.random() < 0.5) throw systemError('ENOSPC', 'write');
      length = 1 + world.below(length - 1);
    }
    disk().write(node, bytes.subarray(0, length), at);
    if (position === null || open.isAppending) open.at = at + length;
    return length;
  };
  const writePart = (open: Open, bytes: Uint8Array, position: number | null) => () => {
    writeTo(open, bytes.subarray(0, machine().world.below(bytes.length + 1)), position);
  };

  const readFrom = (open: Open, into: Uint8Array, position: number | null): number => {
    const node = fileOf(open);
    const at = position ?? open.at;
    const length = Math.max(0, Math.min(into.length, node.size - at));
    into.set(node.bytes.subarray(at, at + length));
    if (position === null) open.at = at + length;
    return length;
  };

  const opened = (fd: number): Open => {
    const found = current().files.get(fd);
    if (found === undefined) throw systemError('EBADF', 'write');
    return found as Open;
  };

  const handleOf = (open: Open) => {
    const fd = current().addFile(open);
    let isOpen = true;
    const { path } = open;
    const atOnce = <Value>(call: string, effect: () => Value, partly?: () => void) =>
      isOpen ? later(call, path, effect, partly) : Promise.reject(systemError('EBADF', call));
    const sync = () => atOnce('fsync', () => disk().sync(open.node));
    const write = async (
      bytes: Uint8Array,
      from = 0,
      length = bytes.length - from,
      at: number | null = null,
    ) => {
      const part = bytes.subarray(from, from + length);
      const bytesWritten = await atOnce('write', () => writeTo(open, part, at), writePart(open, part, at));
      return { bytesWritten, buffer: bytes };
    };
    return {
      get fd() {
        return isOpen ? fd : -1;
      },
      async read(...args: unknown[]) {
        const isBytes = args[0] instanceof Uint8Array;
        const given = isBytes
          ? { buffer: args[0], offset: args[1], length: args[2], position: args[3] }
          : args[0];
        const {
          buffer,
          offset = 0,
          length,
          position = null,
        } = given as {
          buffer: Buffer;
          offset?: number;
          length?: number;
          position?: number | null;
        };
        const into = buffer.subarray(offset, length === undefined ? undefined : offset + length);
        return { bytesRead: await atOnce('read', () => readFrom(open, into, position)), buffer };
      },
      write,
      async appendFile(bytes: string | Uint8Array) {
        let rest: Uint8Array = Buffer.from(bytes);
        while (rest.length > 0) rest = rest.subarray((await write(rest)).bytesWritten);
      },
      stat: () => atOnce('fstat', () => new Stats(open.node)),
      sync,
      datasync: sync,
      truncate: (size = 0) => atOnce('ftruncate', () => disk().truncate(fileOf(open), size)),
      chmod: (mode: number) =>
        atOnce('fchmod', () => {
          open.node.mode = (open.node.mode & ~0o777) | mode;
        }),
      async close() {
        if (!isOpen) return;
        isOpen = false;
        const { files } = current();
        await later('close', path, () => void files.delete(fd));
      },
    };
  };

  const open = async (path: string, flags?: Flags, mode = 0o666) =>
    handleOf(await later('open', path, () => openNode(path, flagsOf(flags), mode)));

  const statNow = (path: string) => new Stats(disk().at(path, 'stat'));
  const bytesNow = (path: string): Buffer => {
    const node = disk().at(path, 'open');
    if (node.kind !== 'file') throw systemError('EISDIR', 'read', path);
    return Buffer.from(node.bytes.subarray(0, node.size));
  };
  const namesNow = (path: string, options?: { readonly withFileTypes?: boolean }) => {
    const node = disk().at(path, 'scandir');
    if (node.kind !== 'folder') throw systemError('ENOTDIR', 'scandir', path);
    const names = [...node.names.keys()].sort();
    if (!options?.withFileTypes) return names;
    return names.map(name =>
      Object.assign(new Stats(node.names.get(name) as DiskNode), { name, path, parentPath: path }),
    );
  };
  const encoded = (bytes: Buffer, options?: string | { readonly encoding?: string }) => {
    const encoding = typeof options === 'string' ? options : options?.encoding;
    return encoding === undefined ? bytes : bytes.toString(encoding as BufferEncoding);
  };
  const removeAll = async (path: string): Promise<void> => {
    const node = await later('lstat', path, () => disk().at(path, 'lstat'));
    if (node.kind !== 'folder') return await later('unlink', path, () => disk().unlink(path));
    const names = (await later('scandir', path, () => namesNow(path))) as string[];
    for (const name of names) await removeAll(posix.join(path, name)).catch(ifMissing);
    await later('rmdir', path, () => disk().removeFolder(path));
  };

  return {
    constants,
    open,
    access: (path: string) => later('access', path, () => void disk().at(path, 'access')),
    async appendFile(path: string, text: string) {
      const file = await open(path, 'a');
      await file.appendFile(text);
      await file.close();
    },
    async copyFile(from: string, to: string) {
      const bytes = await later('copyfile', from, () => bytesNow(from));
      const file = await open(to, 'w');
      await file.appendFile(bytes);
      await file.close();
    },
    link: (from: string, to: string) => later('link', to, () => disk().link(from, to)),
    lstat: (path: string) => later('lstat', path, () => statNow(path)),
    mkdir: (path: string, options?: number | { readonly mode?: number }) =>
      later('mkdir', path, () =>
        disk().makeFolder(path, (typeof options === 'number' ? options : options?.mode) ?? 0o777),
      ),
    async mkdtemp(prefix: string) {
      const path = `${prefix}${machine().world.random().toString(36).slice(2, 8)}`;
      await later('mkdtemp', path, () => disk().makeFolder(path, 0o700));
      return path;
    },
    readdir: (path: string, options?: { readonly withFileTypes?: boolean }) =>
      later('scandir', path, () => namesNow(path, options)),
    readFile: async (path: string, options?: string) =>
      encoded(await later('readfile', path, () => bytesNow(path)), options),
    readlink: (path: string) =>
      later('readlink', path, () => {
        disk().at(path, 'readlink');
        throw systemError('EINVAL', 'readlink', path);
      }),
    realpath: (path: string) =>
      later('realpath', path, () => void disk().at(path, 'realpath')).then(() => path),
    rename: (from: string, to: string) => later('rename', to, () => disk().rename(from, to)),
    async rm(path: string, options: { readonly recursive?: boolean; readonly force?: boolean } = {}) {
      const work = options.recursive ? removeAll(path) : later('unlink', path, () => disk().unlink(path));
      await (options.force ? work.catch(ifMissing) : work);
    },
    rmdir: (path: string) => later('rmdir', path, () => disk().removeFolder(path)),
    stat: (path: string) => later('stat', path, () => statNow(path)),
    // ext4, with room.
    statfs: (path: string) =>
      later('statfs', path, () => ({
        type: 0xef53,
        bsize: 4096,
        bavail: 1 << 20,
        at: disk().at(path, 'statfs').ino,
      })),
    unlink: (path: string) => later('unlink', path, () => disk().unlink(path)),
    utimes: (path: string, _: number | Date, time: number | Date) =>
      later('utime', path, () => {
        disk().at(path, 'utime').mtimeMs = Number(time) * (time instanceof Date ? 1 : 1000);
      }),
    async writeFile(
      path: string,
      text: string | Uint8Array,
      options: { mode?: number; flag?: string; flush?: boolean } = {},
    ) {
      const file = await open(path, options.flag ?? 'w', options.mode);
      try {
        await file.appendFile(text);
        if (options.flush) await file.sync();
      } finally {
        await file.close();
      }
    },
    createReadStream(
      path: string,
      options: { start?: number; end?: number; highWaterMark?: number; encoding?: BufferEncoding } = {},
    ) {
      const { start = 0, end = Number.POSITIVE_INFINITY, highWaterMark = CHUNK_BYTES, encoding } = options;
      async function* chunks() {
        const file = await open(path);
        for (let at = start; at <= end; ) {
          const buffer = Buffer.alloc(Math.min(highWaterMark, end - at + 1));
          const { bytesRead } = await file.read({ buffer, position: at });
          if (bytesRead === 0) break;
          yield buffer.subarray(0, bytesRead);
          at += bytesRead;
        }
        await file.close();
      }
      const stream = Readable.from(chunks(), { objectMode: false });
      return encoding === undefined ? stream : stream.setEncoding(encoding);
    },
    closeSync: (fd: number) => void current().files.delete(fd),
    existsSync(path: string) {
      try {
        return step('exists', path, () => disk().find(path, 'stat') !== undefined);
      } catch (error) {
        if (error instanceof Killed) throw error;
        return false;
      }
    },
    fstatSync: (fd: number) => step('fstat', opened(fd).path, () => new Stats(opened(fd).node)),
    lstatSync: (path: string, options?: { readonly throwIfNoEntry?: boolean }) =>
      step('lstat', path, () => statUnless(options, path)),
    openSync: (path: string, flags?: Flags, mode = 0o666) =>
      current().addFile(step('open', path, () => openNode(path, flagsOf(flags), mode))),
    readdirSync: (path: string, options?: { readonly withFileTypes?: boolean }) =>
      step('scandir', path, () => namesNow(path, options)),
    readFileSync: (path: string | number, options?: string) =>
      typeof path === 'number'
        ? step('read', opened(path).path, () => {
            const node = fileOf(opened(path));
            return encoded(Buffer.from(node.bytes.subarray(0, node.size)), options);
          })
        : step('readfile', path, () => encoded(bytesNow(path), options)),
    readlinkSync(path: string) {
      throw systemError('EINVAL', 'readlink', path);
    },
    readSync: (
      fd: number,
      buffer: Uint8Array,
      from = 0,
      length = buffer.length - from,
      at: number | null = null,
    ) => step('read', opened(fd).path, () => readFrom(opened(fd), buffer.subarray(from, from + length), at)),
    statSync: (path: string, options?: { readonly throwIfNoEntry?: boolean }) =>
      step('stat', path, () => statUnless(options, path)),
    writeSync(fd: number, bytes: Uint8Array, from = 0, length = bytes.length - from) {
      const open = opened(fd);
      const part = bytes.subarray(from, from + length);
      return step('write', open.path, () => writeTo(open, part, null), writePart(open, part, null));
    },
  };

  function statUnless(options: { readonly throwIfNoEntry?: boolean } | undefined, path: string) {
    try {
      return statNow(path);
    } catch (error) {
      if (options?.throwIfNoEntry === false && (error as NodeJS.ErrnoException).code === 'ENOENT')
        return undefined;
      throw error;
    }
  }
}

function ifMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

class Stats {
  readonly ino: number;
  readonly mode: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly uid = 1000;
  readonly gid = 1000;
  readonly dev = 1;
  readonly nlink = 1;
  readonly #kind: DiskNode['kind'];

  constructor(node: DiskNode) {
    this.ino = node.ino;
    this.mode = node.mode;
    this.size = node.kind === 'file' ? node.size : 0;
    this.mtimeMs = node.mtimeMs;
    this.#kind = node.kind;
  }

  get mtime(): Date {
    return new Date(this.mtimeMs);
  }

  get ctimeMs(): number {
    return this.mtimeMs;
  }

  isFile = () => this.#kind === 'file';
  isDirectory = () => this.#kind === 'folder';
  isSocket = () => this.#kind === 'socket';
  isSymbolicLink = () => false;
  isFIFO = () => false;
  isCharacterDevice = () => false;
  isBlockDevice = () => false;
}
