import { dirname } from 'node:path';
import { type ErrorCode, FileError } from '../errors/index.ts';
import { existsSync, lstatSync } from './disk.ts';

/** The error codes for the system's codes; any other is a `file_error`. */
const CODES: Readonly<Record<string, ErrorCode<'file'>>> = {
  ENOENT: 'file_not_found',
  ENOTDIR: 'file_not_found',
  EACCES: 'permission_denied',
  EPERM: 'permission_denied',
  EROFS: 'permission_denied',
  EISDIR: 'not_a_file',
  EEXIST: 'file_exists',
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EFBIG: 'disk_full',
};

type FileOperation = 'read' | 'write';

/** The system's error code of a failed call (`ENOENT`, …), or undefined for any other value. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Converts an error of a file-system call to a FileError about `path`. A FileError is returned unchanged. `written` is the
 * number of bytes written before the disk was full.
 */
export function fileError(
  path: string,
  error: unknown,
  operation: FileOperation,
  written?: number,
): FileError {
  if (error instanceof FileError) return error;
  const code = systemCode(error);
  return new FileError(sentence(path, code, operation, written), {
    path,
    cause: error,
    code: CODES[code ?? ''] ?? 'file_error',
  });
}

function sentence(
  path: string,
  code: string | undefined,
  operation: FileOperation,
  written: number | undefined,
): string {
  switch (code) {
    case 'ENOENT':
      return operation === 'read' ? `no such file: ${path}` : `cannot write ${path}: ${missing(path)}`;
    case 'EACCES':
    case 'EPERM':
      return `no permission to ${operation} ${path}`;
    case 'EISDIR':
      return `${path} is a folder, not a file`;
    case 'ENOTDIR':
      return `cannot ${operation} ${path}: a part of the path is not a folder`;
    case 'EEXIST':
      return `cannot ${operation} ${path}: it already exists`;
    case 'ENOSPC':
      return `the disk is full${progress(written)}: ${path}`;
    case 'EDQUOT':
      return `the disk quota is exceeded${progress(written)}: ${path}`;
    case 'EFBIG':
      return `the file exceeds the system's size limit${progress(written)}: ${path}`;
    case 'EROFS':
      return `cannot write ${path}: the file system is read-only`;
    case 'ELOOP':
      return `cannot ${operation} ${path}: too many symbolic links`;
    case 'ENAMETOOLONG':
      return `cannot ${operation} ${path}: the file name is too long`;
    case 'EMFILE':
    case 'ENFILE':
      return `cannot ${operation} ${path}: too many open files`;
    case 'EBADF':
      return `${path} is not open for ${operation === 'read' ? 'reading' : 'writing'}`;
    case 'EBUSY':
    case 'ETXTBSY':
      return `cannot ${operation} ${path}: it is in use`;
    default:
      return `cannot ${operation} ${path}${code === undefined ? '' : ` (${code})`}`;
  }
}

/** What is missing where a file could not be written. */
function missing(path: string): string {
  const folder = dirname(path);
  if (!existsSync(folder)) return 'its folder does not exist';
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return 'it is a link to a missing folder';
  // As in `/proc`.
  return 'its folder does not accept files';
}

function progress(written: number | undefined): string {
  return written === undefined ? '' : ` after ${written} bytes`;
}
