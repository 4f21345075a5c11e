import { basename, dirname, extname } from 'node:path';
import { nearest } from '../errors/nearest.ts';
import { readdirSync } from './disk.ts';

/** The extensions of files that people write. */
const WRITTEN = ['.yaml', '.yml', '.json'];

/** The file that was probably meant by one that does not exist, in the same folder: with an extension, or with a similar name. */
export function similarFile(path: string): string | undefined {
  const name = basename(path);
  const typed = extname(name);
  const stem = basename(name, typed);
  const files = filesIn(dirname(path));
  const stemOf = (file: string) => basename(file, extname(file));
  const alike = files.filter(file => stemOf(file) === stem || stemOf(file) === name);
  const same =
    WRITTEN.flatMap(extension => alike.find(file => extname(file) === extension) ?? [])[0] ?? alike[0];
  const ofKind = files.filter(file => typed === '' || extname(file) === typed);
  const similar = nearest(stem, ofKind.map(stemOf));
  const found = same ?? ofKind.find(file => stemOf(file) === similar);
  return found && path.slice(0, path.length - name.length) + found;
}

/** The YAML files of a folder, in order of their names. */
export function yamlFilesIn(folder: string): string[] {
  return filesIn(folder).filter(file => /\.ya?ml$/.test(file));
}

/** The names of the files of a folder; none for a folder that cannot be read. */
function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(({ name }) => name)
      .sort();
  } catch {
    return [];
  }
}
