// Packs a built checkout into release/, with an SBOM and checksums: npm run release:files. Files that
// `npm run release:executable` has put there get checksums too.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundledPackages, withBundled } from './sbom.js';

const FOLDER = 'release';
const npm = (...args) =>
  execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1e8 });

mkdirSync(FOLDER, { recursive: true });
const [{ filename }] = JSON.parse(npm('pack', '--json', '--ignore-scripts', '--pack-destination', FOLDER));
const stated = JSON.parse(npm('sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'));
const bundled = bundledPackages(
  readFileSync('dist/THIRD-PARTY-LICENSES.txt', 'utf8'),
  JSON.parse(readFileSync('dist/contents.json', 'utf8')),
);
const tarball = readFileSync(join(FOLDER, filename));
const sbom = withBundled(stated, bundled, { tarball, time: commitTime() });
const sbomName = filename.replace(/\.tgz$/, '.cdx.json');
writeFileSync(join(FOLDER, sbomName), `${JSON.stringify(sbom, undefined, 2)}\n`);

const files = readdirSync(FOLDER)
  .filter(name => !name.startsWith('SHA256SUMS') && statSync(join(FOLDER, name)).isFile())
  .sort();
const sums = files.map(name => {
  const hash = createHash('sha256').update(readFileSync(join(FOLDER, name)));
  return `${hash.digest('hex')}  ${name}\n`;
});
writeFileSync(join(FOLDER, 'SHA256SUMS'), sums.join(''));
process.stdout.write(
  `release files: ${filename}, ${sbomName} (${sbom.components.length} components, ${bundled.length} of them bundled), SHA256SUMS of ${files.length} files\n`,
);

/** When the commit was made: the same for everybody who builds it. */
function commitTime() {
  const seconds = execFileSync('git', ['log', '-1', '--format=%ct'], { encoding: 'utf8' });
  return new Date(Number(seconds) * 1000).toISOString();
}
