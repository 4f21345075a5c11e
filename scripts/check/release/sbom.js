// The SBOM against its schema, and against what is really bundled and installed, from other sources than those it is made of.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { run } from './programs.js';

/** Who publishes the standard has the schemas, and a validator, in an npm package. */
const VALIDATOR = {
  private: true,
  dependencies: {
    '@cyclonedx/cyclonedx-library': '10.3.0',
    ajv: '8.20.0',
    'ajv-formats': '3.0.1',
    'ajv-formats-draft2019': '1.6.1',
  },
};
const VALIDATE = `
const { readFileSync } = require('node:fs');
const { Validation } = require('@cyclonedx/cyclonedx-library');
const text = readFileSync(process.argv[1], 'utf8');
const { specVersion } = JSON.parse(text);
new Validation.JsonStrictValidator(specVersion).validate(text).then(error => {
  if (error !== null) throw new Error(JSON.stringify(error));
  process.stdout.write(specVersion);
});
`;
/** Bundles that esbuild makes, without the plugins of the others: their packages are exactly those that it names. */
const METAFILE = `
import { build } from 'esbuild';
import { chartsScript } from './scripts/build/chart-assets.js';
const entryPoints = ['src/migrate/index.ts', 'src/client/web/index.ts', 'src/export/parquet/conversion-thread.ts'];
const { metafile } = await build({ entryPoints, outdir: 'x', bundle: true, write: false, metafile: true, platform: 'node', format: 'esm' });
const paths = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
const names = paths.flatMap(path => /.*node_modules\\/((?:@[^/]+\\/)?[^/]+)\\//.exec(path)?.[1] ?? []);
process.stdout.write(JSON.stringify([...new Set([...names, ...(await chartsScript()).packages])]));
`;

/** Installs the validator into a folder. */
export async function installValidator(folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify(VALIDATOR));
  await run('npm', ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund']);
}

/** The SBOM follows the schema of its version; nothing is fetched for that. */
export async function validateSbom(folder, sbom, isolated) {
  const [program, ...args] = [...isolated, process.execPath, '-e', VALIDATE, resolve(sbom)];
  const specVersion = await run(program, args, { cwd: folder });
  return `CycloneDX ${specVersion}${isolated.length > 0 ? ', without a network' : ''}`;
}

/**
 * Every package of the bundle and of the installed tree is a component, and nothing else is.
 * @param {import('./cut.js').Checkout} checkout built
 * @param {string} sbom its file
 * @param {string} installed the folder of the installed package
 */
export async function checkComponents(checkout, sbom, installed) {
  const { components } = JSON.parse(readFileSync(sbom, 'utf8'));
  const isBundled = ({ properties = [] }) => properties.some(({ name }) => name === 'gatectl:bundled');
  const refs = wanted =>
    components.filter(component => isBundled(component) === wanted).map(each => each['bom-ref']);

  const parts = Object.values(JSON.parse(checkout.read('dist/contents.json'))).flat();
  const packages = parts.filter(part => !part.startsWith('src/') && part !== 'package.json');
  const byEsbuild = JSON.parse(await checkout.run(process.execPath, '--input-type=module', '-e', METAFILE));
  const bundled = [...new Set([...packages, ...byEsbuild])].map(name =>
    nameOf(checkout.path('node_modules', name)),
  );
  compare('the bundle', bundled, refs(true));

  const found = installedBelow(join(installed, 'node_modules'));
  const { packages: locked } = JSON.parse(checkout.read('package-lock.json'));
  // Of packages for other systems, npm installs none.
  const elsewhere = Object.entries(locked)
    .filter(
      ([, { os, cpu, libc }]) =>
        isElsewhere(os, process.platform) || isElsewhere(cpu, process.arch) || libc !== undefined,
    )
    .map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`);
  const other = refs(false).filter(ref => elsewhere.includes(ref) && !found.includes(ref));
  compare(
    'the installed tree',
    found,
    refs(false).filter(ref => !other.includes(ref)),
  );
  return `${bundled.length} bundled, ${found.length} installed, ${other.length} for other systems`;
}

const isElsewhere = (names, here) => names !== undefined && !names.includes(here);

function nameOf(folder) {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return `${name}@${version}`;
}

/** All packages below a node_modules folder. */
function installedBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap(name => {
    if (name.startsWith('.')) return [];
    const path = join(folder, name);
    if (name.startsWith('@')) return installedBelow(path);
    return [nameOf(path), ...installedBelow(join(path, 'node_modules'))];
  });
}

function compare(what, expected, stated) {
  const missing = expected.filter(ref => !stated.includes(ref));
  if (missing.length > 0) throw new Error(`the SBOM lacks ${missing.join(', ')} of ${what}`);
  const more = stated.filter(ref => !expected.includes(ref));
  if (more.length > 0) throw new Error(`the SBOM has ${more.join(', ')}, which ${what} has not`);
}
