import { mkdir, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { UsageError } from '../../../errors/index.ts';
import { writeAtomic } from '../../../files/atomic-file.ts';
import { fileError } from '../../../files/file-error.ts';

const LONGEST_STEM = 60;

/** A folder that queries are written to. */
export interface OutFolder {
  /** Resolves to the path of the file. Throws FileError. */
  write(name: string, text: string): Promise<string>;
}

/** Makes the folder where it is missing. `besides` is one that it must not be. Throws UsageError or FileError. */
export async function openOutFolder(path: string, besides: string | undefined): Promise<OutFolder> {
  await mkdir(path, { recursive: true }).catch(error => {
    throw fileError(path, error, 'write');
  });
  if (besides !== undefined && (await realpath(path)) === (await realpath(resolve(besides))))
    throw new UsageError('--out-dir is the folder of the requests, which would be overwritten', {
      hints: ['name another one'],
    });
  return {
    async write(name, text) {
      const file = join(path, name);
      await writeAtomic(file, text);
      return file;
    },
  };
}

/** Words as the name of a file: lower-case letters, digits and hyphens. */
export function fileStem(...words: readonly (string | undefined)[]): string {
  const text = words.filter(word => word !== undefined && word !== '').join('-');
  const plain = text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-');
  return (
    [...plain]
      .slice(0, LONGEST_STEM)
      .join('')
      .replaceAll(/^-+|-+$/g, '') || 'query'
  );
}

/** The stems, each once: a later one that is the same gets a number. */
export function distinctStems(stems: readonly string[]): string[] {
  const used = new Set<string>();
  return stems.map(stem => {
    let name = stem;
    for (let copy = 2; used.has(name); copy += 1) name = `${stem}-${copy}`;
    used.add(name);
    return name;
  });
}
