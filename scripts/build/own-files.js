// Texts that are installed with gatectl as files, such as the pages of its documentation: for the bundle, and for tests that run from src/.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ID = 'virtual:own-files';

/**
 * A plugin of Rollup and Vite. With `installed`, files are found from the bundle, whose chunks lie two folders below the package; the
 * single-file executable finds them in itself.
 */
export function ownFiles({ installed = false } = {}) {
  const place = installed ? "require.resolve('../../' + path)" : `${JSON.stringify(ROOT)} + path`;
  const code = `import { readFileSync } from 'node:fs';\nexport const readOwnFile = path => readFileSync(${place}, 'utf8');`;
  return {
    name: 'own-files',
    resolveId: id => (id === ID ? `\0${ID}` : undefined),
    load: id => (id === `\0${ID}` ? code : undefined),
  };
}

/** The files that gatectl reads this way: the pages with their list, the changelog, and what assistants read. */
export function ownFilePaths() {
  const sections = JSON.parse(readFileSync(`${ROOT}docs/pages.json`, 'utf8'));
  return [
    'docs/pages.json',
    'skills/gatectl/SKILL.md',
    'CHANGELOG.md',
    ...sections.flatMap(({ pages }) => pages.map(({ file }) => file)),
  ];
}
