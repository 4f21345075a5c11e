// Makes a Debian package of the executable that `npm run release:executable` has made: npm run package:deb. Dates are those of the
// commit, so that the same executable gives the same package. --quick compresses it less, for the version that a rehearsal upgrades from.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';

/** What Node's own binaries of the supported lines are linked with. */
const DEPENDS = 'libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 8)';

const { values } = parseArgs({
  options: {
    maintainer: { type: 'string', default: 'the gatectl authors <maintainers@example.com>' },
    quick: { type: 'boolean', default: false },
  },
});
const { version, description } = JSON.parse(readFileSync('package.json', 'utf8'));
const source = resolve('release', `gatectl-${version}-linux-x64`);
if (!existsSync(join(source, 'gatectl')))
  throw new Error('the executable is missing: run npm run release:executable first');
// A tilde sorts before everything: 1.0.0~rc.1 is older than 1.0.0.
const debVersion = version.replace('-', '~');
const seconds = Number(execFileSync('git', ['log', '-1', '--format=%ct'], { encoding: 'utf8' }));

process.umask(0o022);
const root = mkdtempSync(join(tmpdir(), 'gatectl-deb-'));
// dpkg gives the root of the system the mode of this folder.
chmodSync(root, 0o755);
try {
  copy('gatectl', 'usr/bin/gatectl', 0o755);
  for (const page of readdirSync(join(source, 'man')))
    packed(read(`man/${page}`), `usr/share/man/man${page.at(-1)}/${page}.gz`);
  copy('completions/gatectl.bash', 'usr/share/bash-completion/completions/gatectl');
  copy('completions/_gatectl', 'usr/share/zsh/vendor-completions/_gatectl');
  copy('completions/gatectl.fish', 'usr/share/fish/vendor_completions.d/gatectl.fish');
  const documents = 'usr/share/doc/gatectl';
  copy('README.md', `${documents}/README.md`);
  packed(changelog(), `${documents}/changelog.gz`);
  packed(read('CHANGELOG.md'), `${documents}/NEWS.gz`);
  packed(read('NODE-LICENSE'), `${documents}/NODE-LICENSE.gz`);
  packed(read('THIRD-PARTY-LICENSES.txt'), `${documents}/THIRD-PARTY-LICENSES.txt.gz`);
  write(copyright(), `${documents}/copyright`);
  copyFrom('packaging/lintian-overrides', 'usr/share/lintian/overrides/gatectl');
  write(control(), 'DEBIAN/control');

  const file = join('release', `gatectl_${debVersion}_amd64.deb`);
  const compression = values.quick ? ['-Zgzip', '-z1'] : ['-Zxz', '-z1'];
  execFileSync('dpkg-deb', ['--root-owner-group', ...compression, '--build', root, file], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, SOURCE_DATE_EPOCH: String(seconds) },
  });
  process.stdout.write(`debian package: ${file}, ${Math.round(statSync(file).size / 1024 / 1024)} MB\n`);
} finally {
  rmSync(root, { recursive: true, force: true });
}

function read(path) {
  return readFileSync(join(source, path));
}

function place(path) {
  const target = join(root, path);
  mkdirSync(dirname(target), { recursive: true, mode: 0o755 });
  return target;
}

function write(content, path, mode = 0o644) {
  const target = place(path);
  writeFileSync(target, content);
  chmodSync(target, mode);
}

function copyFrom(file, path, mode = 0o644) {
  const target = place(path);
  copyFileSync(file, target);
  chmodSync(target, mode);
}

function copy(file, path, mode) {
  copyFrom(join(source, file), path, mode);
}

/** gzip without name and time, as Debian asks for. */
function packed(content, path) {
  write(gzipSync(content, { level: 9 }), path);
}

function control() {
  const installed = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, entry) => sum + Math.ceil(statSync(join(entry.parentPath, entry.name)).size / 1024), 0);
  return [
    'Package: gatectl',
    `Version: ${debVersion}`,
    'Architecture: amd64',
    `Maintainer: ${values.maintainer}`,
    `Installed-Size: ${installed}`,
    `Depends: ${DEPENDS}`,
    'Section: utils',
    'Priority: optional',
    `Description: ${
      description
        .replace(/\.$/, '')
        .replace(/^Command-line client/, 'command-line client')
        .split(':')[0]
    }`,
    ' gatectl checks the access of readers, purges the CDN cache, and queries and',
    ' exports analytics, from a shell, a deploy script or a cron job.',
    ' .',
    ' The package holds one executable with its own Node.js, manual pages, and',
    ' completions for bash, zsh and fish.',
    '',
  ].join('\n');
}

function changelog() {
  const date = new Date(seconds * 1000).toUTCString().replace('GMT', '+0000');
  return [
    `gatectl (${debVersion}) unstable; urgency=medium`,
    '',
    '  * See NEWS.gz for what users notice.',
    '',
    ` -- ${values.maintainer}  ${date}`,
    '',
  ].join('\n');
}

function copyright() {
  const license = read('LICENSE').toString().trimEnd();
  const indented = license.split('\n').map(line => (line === '' ? ' .' : ` ${line}`));
  return [
    'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/',
    'Upstream-Name: gatectl',
    'Comment: The executable contains Node.js and other libraries. Their licenses are',
    ' in NODE-LICENSE.gz and THIRD-PARTY-LICENSES.txt.gz in this folder.',
    '',
    'Files: *',
    'Copyright: 2026 the gatectl authors',
    'License: Expat',
    ...indented,
    '',
  ].join('\n');
}
