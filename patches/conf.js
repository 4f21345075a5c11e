// What gatectl changes in conf, and why.
const UNUSED = {
  Ajv: "import { Ajv2020 as Ajv } from 'ajv/dist/2020.js';",
  ajvFormatsModule: "import ajvFormatsModule from 'ajv-formats';",
  semver: "import semver from 'semver';",
};

/** @type {import('./plugin.d.ts').LibraryPatch} */
export const confPatch = {
  library: 'conf',
  changes: Object.entries(UNUSED).map(([name, line]) => ({
    reason:
      'gatectl gives conf neither a schema nor migrations, and these libraries would be 180 kB of the bundle',
    file: 'dist/source/index.js',
    line,
    by: `const ${name} = new Proxy({}, { get() { throw Error('patches/conf.js removed ${name}') } });`,
    bundleOnly: true,
  })),
};
