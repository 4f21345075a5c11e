import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Locked {
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

const read = (name: string) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));
const packages = read('package-lock.json').packages as Readonly<Record<string, Locked>>;
const atRunTime = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);

test('only packages that cannot be bundled are run-time dependencies', () => {
  const { dependencies, optionalDependencies } = read('package.json');
  expect(Object.keys({ ...dependencies, ...optionalDependencies }).sort()).toEqual([
    '@napi-rs/keyring',
    '@resvg/resvg-wasm',
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
