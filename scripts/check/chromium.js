import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of Chromium: CHROMIUM, or one of its names in the folders of PATH. Throws without one. */
export function browserPath() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  const found = [process.env.CHROMIUM, ...names.flatMap(name => folders.map(folder => join(folder, name)))];
  const path = found.find(path => path && existsSync(path));
  if (path === undefined) throw new Error('no Chromium: install one, or say where it is in CHROMIUM');
  return path;
}
