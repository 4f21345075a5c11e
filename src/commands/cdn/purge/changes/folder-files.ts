import { join } from 'node:path';
import type { SourceFile } from '../../../../apis/cdn/changes/snapshot.ts';
import { shortHash } from '../../../../apis/cdn/changes/snapshot.ts';
import { UsageError } from '../../../../errors/index.ts';
import { createReadStream, readdir, readFile, stat } from '../../../../files/disk.ts';
import { fileError } from '../../../../files/file-error.ts';

/** Files read concurrently. */
const CONCURRENCY = 32;
/** Larger files are read in parts. */
const LARGE_BYTES = 8_000_000;
/** Names that are never published. */
const SKIPPED = new Set(['.git', '.DS_Store', 'Thumbs.db']);

/**
 * The files below a folder, with hashes, sorted by path. Links to files are followed. Throws FileError, and UsageError for no folder,
 * an empty one, a link to a folder and a file name that is not UTF-8.
 */
export async function folderFiles(folder: string, signal: AbortSignal): Promise<SourceFile[]> {
  const stats = await stat(folder).catch(error => {
    throw fileError(folder, error, 'read');
  });
  if (!stats.isDirectory())
    throw new UsageError(`${folder} is not a folder`, { code: 'invalid_value', hints: ['nothing was sent'] });
  const paths: string[] = [];
  await list(folder, '', paths);
  if (paths.length === 0)
    throw new UsageError(`${folder} contains no file`, {
      code: 'invalid_input',
      hints: ['nothing was sent: every page would count as removed'],
    });
  const files: SourceFile[] = [];
  for (let from = 0; from < paths.length; from += CONCURRENCY) {
    signal.throwIfAborted();
    const hashed = paths.slice(from, from + CONCURRENCY).map(async path => {
      const hash = await contentHash(join(folder, path));
      return { path, hash };
    });
    files.push(...(await Promise.all(hashed)));
  }
  return files;
}

async function list(root: string, below: string, paths: string[]): Promise<void> {
  const folder = join(root, below);
  const entries = await readdir(folder, { withFileTypes: true }).catch(error => {
    throw fileError(folder, error, 'read');
  });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (SKIPPED.has(entry.name)) continue;
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.name.includes('\uFFFD')) throw unusable(path, 'has a name that is not UTF-8');
    if (entry.isDirectory()) await list(root, path, paths);
    else if (entry.isFile()) paths.push(path);
    else if (entry.isSymbolicLink()) {
      const target = await stat(join(root, path)).catch(error => {
        throw fileError(join(root, path), error, 'read');
      });
      if (target.isDirectory()) throw unusable(path, 'is a link to a folder');
      if (target.isFile()) paths.push(path);
    }
  }
}

function unusable(path: string, problem: string): UsageError {
  return new UsageError(`${JSON.stringify(path)} ${problem}`, {
    code: 'invalid_input',
    hints: ['nothing was sent'],
  });
}

async function contentHash(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size <= LARGE_BYTES) return shortHash(await readFile(path));
    const { createHash } = await import('node:crypto');
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path)) hash.update(chunk);
    return hash.digest('base64url').slice(0, 16);
  } catch (error) {
    throw fileError(path, error, 'read');
  }
}
