import { realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { UsageError } from '../../../errors/index.ts';
import { writeAtomic } from '../../../files/atomic-file.ts';
import { makeFolder } from '../../../files/folders.ts';

const MAX_STEM_LENGTH = 60;

/** The folder of `--out-dir`. */
export interface OutFolder {
  readonly path: string;
  /** Writes a file and returns its path. Throws FileError. */
  write(name: string, text: string): Promise<string>;
}

/** Creates the folder if it is missing. Rejects `source`, the folder of the requests. Throws UsageError or FileError. */
export async function openOutFolder(path: string, source: string | undefined): Promise<OutFolder> {
  await makeFolder(path);
  if (source !== undefined && (await realpath(path)) === (await realpath(resolve(source))))
    throw new UsageError('--out-dir is the folder of the requests, which it would overwrite', {
      hints: ['pass another folder'],
    });
  return {
    path,
    async write(name, text) {
      const file = join(path, name);
      await writeAtomic(file, text);
      return file;
    },
  };
}

/** Joins words to a file name without extension: lower-case letters, digits and hyphens. */
export function fileStem(...words: readonly (string | undefined)[]): string {
  const text = words.filter(word => word !== undefined && word !== '').join('-');
  const slug = text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-');
  return (
    [...slug]
      .slice(0, MAX_STEM_LENGTH)
      .join('')
      .replaceAll(/^-+|-+$/g, '') || 'query'
  );
}

/** Makes file names unique by appending numbers to duplicates. */
export function distinctStems(stems: readonly string[]): string[] {
  const used = new Set<string>();
  return stems.map(stem => {
    let name = stem;
    for (let copy = 2; used.has(name); copy += 1) name = `${stem}-${copy}`;
    used.add(name);
    return name;
  });
}
