import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

interface Locked {
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

const read = (name: string) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));
const packages = read('package-lock.json').packages as Readonly<Record<string, Locked>>;
const atRunTime = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);

test('only packages that cannot be bundled, or carry much data, are run-time dependencies', () => {
  const { dependencies, optionalDependencies } = read('package.json');
  expect(Object.keys({ ...dependencies, ...optionalDependencies }).sort()).toEqual([
    '@napi-rs/keyring',
    '@resvg/resvg-wasm',
    'date-holidays',
    'jq-wasm',
    'node-sqlite3-wasm',
  ]);
});

test('none of them runs anything when it is installed', () => {
  expect(atRunTime.length).toBeGreaterThan(2);
  expect(atRunTime.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path)).toEqual([]);
});

test('npm install has nothing to warn of: no install script is left to review', () => {
  const { scripts, allowScripts } = read('package.json');
  const ownScripts = ['preinstall', 'install', 'postinstall', 'prepare'].filter(name => name in scripts);
  expect(ownScripts).toEqual([]);
  const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const withScript = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
  expect(new Set(withScript.map(([path]) => nameOf(path)))).toEqual(new Set(Object.keys(allowScripts)));
});

test('everybody who installs a release gets the same versions of them', () => {
  const { dependencies, optionalDependencies } = read('package.json');
  const versions = Object.values<string>({ ...dependencies, ...optionalDependencies });
  expect(versions.filter(version => !/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version))).toEqual([]);
});

/** The libraries that the program is built on, and the files that use each for its purpose. */
const BUILT_ON: Readonly<Record<string, readonly string[]>> = {
  // Command lines.
  commander: ['cli/parser.ts'],
  // Questions on a terminal.
  '@inquirer/prompts': ['terminal/questions.ts'],
  // HTTP.
  undici: ['http/direct-connections.ts', 'http/proxy-dispatcher.ts'],
  // Tables for people.
  'cli-table3': ['output/table-lines.ts'],
  // Colors.
  chalk: ['terminal/colour.ts'],
  // Files of settings.
  conf: ['config/change.ts'],
};

test.each(Object.entries(BUILT_ON))('%s does what it is for, and in one place', (library, files) => {
  expect(Object.keys(read('package.json').devDependencies)).toContain(library);
  expect(importersOf(library)).toEqual(files);
});

/** Files of src that import values, and not types alone, from a library. */
function importersOf(library: string): string[] {
  const folder = fileURLToPath(new URL('../src', import.meta.url));
  const name = `'${library}(?:/[^']*)?'`;
  const imports = new RegExp(
    `^(?:import|export) (?!type\\b)[^;]*? from ${name}|\\b(?:import|require)\\(${name}\\)`,
    'm',
  );
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.ts') && !path.endsWith('.d.ts'))
    .filter(path => imports.test(readFileSync(join(folder, path), 'utf8')))
    .map(path => path.replaceAll('\\', '/'))
    .sort();
}
