import { join, resolve } from 'node:path';
import { UsageError } from '../../../errors/index.ts';
import { writeAtomic } from '../../../files/atomic-file.ts';
import { realpath } from '../../../files/disk.ts';
import { makeFolder } from '../../../files/folders.ts';
import { textIfThere } from '../../../files/if-there.ts';
import { pluralize } from '../../../terminal/numbers.ts';

const MAX_STEM_LENGTH = 60;

/** The folder of `--out-dir`. */
export interface OutFolder {
  readonly path: string;
  /** Throws UsageError if a file of one of these names has another text, unless the folder may replace it. Throws FileError. */
  assertFree(texts: ReadonlyMap<string, string>): Promise<void>;
  /** Writes a file and returns its path. Throws FileError. */
  write(name: string, text: string): Promise<string>;
}

interface OutFolderOptions {
  /** The folder of the requests, which must be another one. */
  readonly source?: string;
  /** Whether files of other contents are overwritten. */
  readonly replace: boolean;
}

/** Creates the folder if it is missing. Throws UsageError or FileError. */
export async function openOutFolder(path: string, { source, replace }: OutFolderOptions): Promise<OutFolder> {
  await makeFolder(path);
  if (source !== undefined && (await realpath(path)) === (await realpath(resolve(source))))
    throw new UsageError('--out-dir is the folder of the requests, which it would overwrite', {
      hints: ['pass another folder'],
    });
  return {
    path,
    async assertFree(texts) {
      const others: string[] = [];
      for (const [name, text] of replace ? [] : texts) {
        const file = join(path, name);
        const existing = (await textIfThere(file)) ?? text;
        if (existing !== text) others.push(file);
      }
      const [first, ...more] = others;
      if (first === undefined) return;
      const what = more.length === 0 ? first : `${first} and ${pluralize(more.length, 'other file')}`;
      throw new UsageError(`${what} would be overwritten with other contents`, {
        code: 'invalid_input',
        hints: ['pass another --out-dir, or --replace to overwrite'],
      });
    },
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
