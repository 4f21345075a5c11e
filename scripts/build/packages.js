// Packages that carry WebAssembly, native files or much data are no part of any bundle: they are installed with gatectl. Nor are peers,
// which users install who need them.
import { readFileSync } from 'node:fs';

const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);

/** Their names. */
export const PACKAGES = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
