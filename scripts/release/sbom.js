import { createHash } from 'node:crypto';

/**
 * The packages that are part of the bundle, as `name@version`: from the list of licenses, which has their versions. Throws where a
 * package of the bundle is not in it.
 */
export function bundledPackages(licenses, contents) {
  const found = [...licenses.matchAll(/^Name: (.+)\nVersion: (.+)$/gm)].map(([, name, version]) => ({
    name,
    version,
  }));
  const parts = new Set(Object.values(contents).flat());
  const missing = [...parts].filter(
    part => !part.startsWith('src/') && part !== 'package.json' && !found.some(({ name }) => name === part),
  );
  if (missing.length > 0) throw new Error(`the licenses lack ${missing.join(', ')}`);
  return found.map(({ name, version }) => `${name}@${version}`).sort();
}

/**
 * npm's own SBOM of all dependencies, reduced to what is installed or bundled, and the same for the same tarball and commit time. A user's
 * `npm audit` does not see the bundled packages: to npm they are development dependencies.
 */
export function withBundled(sbom, bundled, { tarball, time }) {
  const isDevelopment = ({ properties = [] }) =>
    properties.some(({ name }) => name === 'cdx:npm:package:development');
  const components = sbom.components
    .filter(component => !isDevelopment(component) || bundled.includes(component['bom-ref']))
    .map(component =>
      isDevelopment(component)
        ? { ...component, scope: 'required', properties: [{ name: 'gatectl:bundled', value: 'true' }] }
        : component,
    )
    .sort((one, other) => (one['bom-ref'] < other['bom-ref'] ? -1 : 1));
  const refs = new Set(components.map(component => component['bom-ref']));
  const missing = bundled.filter(ref => !refs.has(ref));
  if (missing.length > 0) throw new Error(`npm's SBOM lacks ${missing.join(', ')}`);
  const { component } = sbom.metadata;
  const root = component['bom-ref'];
  const direct = sbom.dependencies.find(({ ref }) => ref === root)?.dependsOn ?? [];
  const dependencies = sbom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter(each => refs.has(each)) }));
  const hash = createHash('sha256').update(tarball).digest('hex');
  return {
    ...sbom,
    serialNumber: `urn:uuid:${uuidOf(hash)}`,
    metadata: {
      ...sbom.metadata,
      timestamp: time,
      lifecycles: [{ phase: 'build' }],
      // npm names it after the folder.
      component: {
        ...component,
        type: 'application',
        name: 'gatectl',
        hashes: [{ alg: 'SHA-256', content: hash }],
      },
    },
    components,
    dependencies: [
      { ref: root, dependsOn: [...new Set([...direct.filter(ref => refs.has(ref)), ...bundled])].sort() },
      ...dependencies.sort((one, other) => (one.ref < other.ref ? -1 : 1)),
    ],
  };
}

/** A UUID (version 8: made as the maker likes) of the first digits of a hash. */
function uuidOf(hash) {
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}
