import { type ErrorCode, FileError } from '../errors/index.ts';

/** What the system's codes mean to a script; any other is a `file_error`. */
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

export type FileOperation = 'read' | 'write';

/** The system's error code of a failed call (`ENOENT`, …), or undefined for any other value. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Turns what a file-system call threw into one sentence about `path`. A FileError passes unchanged.
 * `written` (bytes) is named when the disk ran full.
 */
export function fileError(path: string, error: unknown, deed: FileOperation, written?: number): FileError {
  if (error instanceof FileError) return error;
  const code = systemCode(error);
  return new FileError(sentence(path, code, deed, written), {
    path,
    cause: error,
    code: CODES[code ?? ''] ?? 'file_error',
  });
}

function sentence(
  path: string,
  code: string | undefined,
  deed: FileOperation,
  written: number | undefined,
): string {
  switch (code) {
    case 'ENOENT':
      return deed === 'read' ? `no such file: ${path}` : `cannot write ${path}: its folder does not exist`;
    case 'EACCES':
    case 'EPERM':
      return `no permission to ${deed} ${path}`;
    case 'EISDIR':
      return `${path} is a folder, not a file`;
    case 'ENOTDIR':
      return `cannot ${deed} ${path}: a part of the path is not a folder`;
    case 'EEXIST':
      return `cannot ${deed} ${path}: something else has that name`;
    case 'ENOSPC':
      return `the disk is full${progress(written)}: ${path}`;
    case 'EDQUOT':
      return `the disk quota is used up${progress(written)}: ${path}`;
    case 'EFBIG':
      return `the file grew past the system's limit${progress(written)}: ${path}`;
    case 'EROFS':
      return `cannot write ${path}: the file system is read-only`;
    case 'ELOOP':
      return `cannot ${deed} ${path}: too many links in its path`;
    case 'ENAMETOOLONG':
      return `cannot ${deed} a file with so long a name: ${path}`;
    case 'EMFILE':
    case 'ENFILE':
      return `cannot ${deed} ${path}: too many open files`;
    case 'EBADF':
      return `${path} is not open for ${deed === 'read' ? 'reading' : 'writing'}`;
    case 'EBUSY':
    case 'ETXTBSY':
      return `cannot ${deed} ${path}: it is in use`;
    default:
      return `cannot ${deed} ${path}${code === undefined ? '' : ` (${code})`}`;
  }
}

function progress(written: number | undefined): string {
  return written === undefined ? '' : ` after ${written} bytes`;
}
