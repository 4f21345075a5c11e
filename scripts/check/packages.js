// Installs the Debian package into an empty root, runs it, looks for its manual pages and completions, and removes it again; fills in
// the Homebrew formula. Needs what `npm run release:executable`, `npm run release:files` and `npm run package:deb` have made. lintian
// and ruby are used where they are installed.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { smoke } from './smoke.js';

const { version, man } = JSON.parse(readFileSync('package.json', 'utf8'));
const deb = join('release', `gatectl_${version.replace('-', '~')}_amd64.deb`);
const folder = mkdtempSync(join(tmpdir(), 'gatectl-packages-'));
const root = join(folder, 'root');
const say = line => process.stdout.write(`${line}\n`);
const isInstalled = program => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
const run = (program, args, options = {}) =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...options });

try {
  chmodSync(folder, 0o755);
  checkDeb();
  checkFormula();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function checkDeb() {
  const list = run('dpkg-deb', ['--contents', deb]).trimEnd().split('\n');
  const strange = list.filter(
    line => !/^[d-](?:rwxr-xr-x|rw-r--r--) root\/root .* \.\/(?:usr\/.*)?$/.test(line),
  );
  if (strange.length > 0) throw new Error(`the package has unexpected entries:\n${strange.join('\n')}`);

  const isRoot = process.getuid() === 0;
  const database = join(root, 'var/lib/dpkg');
  for (const each of ['info', 'updates', 'triggers', '../../log'])
    mkdirSync(join(database, each), { recursive: true });
  writeFileSync(join(database, 'status'), '');
  const dpkg = (...args) => run('dpkg', [`--root=${root}`, '--log=/dev/null', ...args]);
  // The libraries that it depends on are those of this machine.
  if (isRoot) dpkg('--force-depends', '--install', deb);
  else run('dpkg-deb', ['--extract', deb, root]);

  const program = join(root, 'usr/bin/gatectl');
  const count = smoke(program);
  for (const page of man) {
    const file = join(root, 'usr/share/man', `man${page.at(-1)}`, `${page.slice('man/'.length)}.gz`);
    if (gunzipSync(readFileSync(file)).compare(readFileSync(page)) !== 0)
      throw new Error(`${file} is another page`);
  }
  const manual = join(root, 'usr/share/man');
  if (isInstalled('man')) run('man', ['--manpath', manual, '--where', 'gatectl-cdn-purge', 'gatectl-dates']);
  const completions = {
    bash: 'usr/share/bash-completion/completions/gatectl',
    zsh: 'usr/share/zsh/vendor-completions/_gatectl',
    fish: 'usr/share/fish/vendor_completions.d/gatectl.fish',
  };
  for (const file of Object.values(completions)) readFileSync(join(root, file));
  run('bash', ['-c', 'source "$1"; complete -p gatectl', 'bash', join(root, completions.bash)]);

  if (isRoot) {
    dpkg('--purge', 'gatectl');
    const left = readdirSync(join(root), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && !entry.parentPath.startsWith(database))
      .map(({ name }) => name);
    if (left.length > 0) throw new Error(`removing the package left ${left.join(', ')}`);
  }
  const linted = isInstalled('lintian');
  // As root it warns of that.
  if (linted)
    run('lintian', ['--no-cfg', '--fail-on', 'error,warning', '--allow-root', deb], { stdio: 'pipe' });
  say(
    `debian package: ${list.length} entries; ${isRoot ? 'installs, is removed without a trace' : 'unpacks'}, runs ${count} commands, has ${man.length} manual pages${linted ? ', passes lintian' : '; lintian is not installed'}`,
  );
}

function checkFormula() {
  const url = `https://downloads.example.com/gatectl-${version}.tgz`;
  const flags = ['--url', url, '--homepage', 'https://www.example.com/gatectl'];
  run(process.execPath, ['scripts/package/formula.js', ...flags]);
  const file = join('release', 'gatectl.rb');
  const formula = readFileSync(file, 'utf8');
  rmSync(file);
  if (/@[A-Z0-9]+@/.test(formula)) throw new Error('the formula has open places');
  if (!formula.includes(`url "${url}"`)) throw new Error('the formula has another URL');
  writeFileSync(join(folder, 'gatectl.rb'), formula);
  const parsed = isInstalled('ruby');
  if (parsed) run('ruby', ['-wc', join(folder, 'gatectl.rb')]);
  say(
    `homebrew formula: filled in${parsed ? ', parsed by ruby' : '; ruby is not installed'}; Homebrew itself is untested`,
  );
}
