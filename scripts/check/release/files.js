// The files of a release, as those have them who download them: checksums and their signature, the executable, the formula.
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { run, works } from './programs.js';

const HOMEBREW = fileURLToPath(new URL('homebrew.rb', import.meta.url));

/** How to run a program without a network, where this machine allows that; otherwise nothing before it. */
export async function offline() {
  const { failed } = await execa('unshare', ['--net', 'true'], { reject: false });
  return failed ? [] : ['unshare', '--net'];
}

/** The commands for users in docs/install.md verify the files, and notice a byte that was changed, in a file and in the checksums. */
export async function checkSignatures(checkout, downloads, isolated) {
  const commands = blockWith(checkout.read('docs/install.md'), 'minisign ').map(line =>
    line.replace(/ +#.*$/, ''),
  );
  mkdirSync(downloads, { recursive: true });
  for (const name of readdirSync(checkout.path('release'), { withFileTypes: true }))
    if (name.isFile()) copyFileSync(checkout.path('release', name.name), join(downloads, name.name));
  copyFileSync(checkout.path('packaging/minisign.pub'), join(downloads, 'minisign.pub'));
  const verify = async () => {
    for (const command of commands) {
      const [program, ...args] = [...isolated, 'sh', '-c', command];
      await run(program, args, { cwd: downloads });
    }
  };
  await verify();
  const sums = readFileSync(join(downloads, 'SHA256SUMS'), 'utf8');
  const names = sums
    .trimEnd()
    .split('\n')
    .map(line => line.split('  ')[1]);
  const unsigned = readdirSync(downloads).filter(
    name => !names.includes(name) && !/^SHA256SUMS|^minisign\.pub$/.test(name),
  );
  if (unsigned.length > 0) throw new Error(`no checksum has ${unsigned.join(', ')}`);
  const changed = [...names.filter(name => /\.(tgz|json)$/.test(name)), 'SHA256SUMS', 'SHA256SUMS.minisig'];
  for (const name of changed) {
    const path = join(downloads, name);
    const bytes = readFileSync(path);
    const other = Buffer.from(bytes);
    other[Math.floor(other.length / 2)] ^= 1;
    writeFileSync(path, other);
    const isNoticed = await verify().then(
      () => false,
      () => true,
    );
    writeFileSync(path, bytes);
    if (!isNoticed) throw new Error(`a changed byte in ${name} is not noticed`);
  }
  return `${names.length} files; a changed byte is noticed in ${changed.join(', ')}`;
}

/** The commands for the executable in docs/install.md, below a prefix in place of /usr/local. */
export async function installExecutable(checkout, machine, version, hasMan) {
  const { home, prefix } = machine;
  copyFileSync(
    checkout.path('release', `gatectl-${version}-linux-x64.tar.gz`),
    join(home, `gatectl-${version}-linux-x64.tar.gz`),
  );
  mkdirSync(join(prefix, 'bin'), { recursive: true });
  const lines = blockWith(checkout.read('docs/install.md'), 'tar xzf ');
  const script = lines
    .map(line =>
      line
        .replace(/^sudo /, '')
        .replaceAll('/usr/local', prefix)
        .replaceAll('VERSION', version),
    )
    .join('\n');
  await machine.run('sh', ['-euc', script]);
  const bare = { PATH: join(prefix, 'bin'), HOME: home };
  const alone = { run: (program, args) => machine.run(program, args, { env: bare }) };
  await works(alone, version, join(prefix, 'bin', 'gatectl'));
  const doctor = JSON.parse(
    await alone.run(join(prefix, 'bin', 'gatectl'), ['doctor', '--sandbox', '--json']),
  );
  const broken = doctor.filter(({ state }) => state === 'wrong');
  if (broken.length > 0) throw new Error(`doctor finds ${JSON.stringify(broken)}`);
  if (hasMan) {
    const manual = join(prefix, 'share/man');
    await machine.run('man', ['--manpath', manual, '--where', 'gatectl-cdn-purge', 'gatectl-dates']);
  }
  const unpacked = readdirSync(join(home, `gatectl-${version}-linux-x64`, 'completions'));
  const scripts = readdirSync(checkout.path('completions'));
  if (unpacked.toSorted().join() !== scripts.toSorted().join())
    throw new Error(`completions are ${unpacked.join(', ')}`);
  return `${lines.length} commands of docs/install.md; runs without Node`;
}

/** The formula is filled in, and its methods run by Ruby on a stand-in for Homebrew: what it installs works. */
export async function checkFormula(checkout, machine, version, log, hasRuby) {
  const tarball = checkout.path('release', `gatectl-${version}.tgz`);
  const url = `https://downloads.example.com/gatectl-${version}.tgz`;
  await checkout.npm('package:formula', '--url', url, '--homepage', 'https://www.example.com/gatectl');
  const formula = checkout.path('release', 'gatectl.rb');
  const text = readFileSync(formula, 'utf8');
  if (/@[A-Z0-9]+@/.test(text)) throw new Error('the formula has open places');
  if (!text.includes(`url "${url}"`)) throw new Error('the formula has another URL');
  const hash = createHash('sha256').update(readFileSync(tarball)).digest('hex');
  if (!text.includes(`sha256 "${hash}"`)) throw new Error('the formula has another checksum');
  log.untried('brew install', 'Homebrew is not installed; Ruby runs the formula on a stand-in');
  if (!hasRuby) return 'filled in';
  await run('ruby', ['-wc', formula]);
  const printed = await machine.run('ruby', [HOMEBREW, formula, tarball, machine.prefix]);
  await works(machine, version);
  return printed;
}

/** The lines of the block of a page that has a line with these words. */
function blockWith(page, words) {
  const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block.trimEnd().split('\n'));
  const found = blocks.find(lines => lines.some(line => line.startsWith(words)));
  if (found === undefined) throw new Error(`docs/install.md has no block with ${words}`);
  return found;
}
