// The Debian package, from a repository of its own: signed, installed by apt into an empty root, upgraded, and purged.
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { execa } from 'execa';
import { Machine, run, works } from './programs.js';

const COMPLETIONS = {
  bash: 'usr/share/bash-completion/completions/gatectl',
  zsh: 'usr/share/zsh/vendor-completions/_gatectl',
  fish: 'usr/share/fish/vendor_completions.d/gatectl.fish',
};

/** A repository in a folder, with an index that gpg has signed. */
export class Repository {
  /**
   * @param {string} folder
   * @param {Readonly<Record<string, string>>} env with the GNUPGHOME of who signs
   */
  constructor(folder, env) {
    this.folder = folder;
    this.env = env;
    this.key = join(folder, 'key.gpg');
    mkdirSync(folder, { recursive: true });
  }

  #run(program, ...args) {
    return run(program, args, { cwd: this.folder, env: this.env });
  }

  /** Adds a package and signs the index again. */
  async add(deb) {
    copyFileSync(deb, join(this.folder, basename(deb)));
    writeFileSync(join(this.folder, 'Packages'), `${await this.#run('apt-ftparchive', 'packages', '.')}\n`);
    const release = ['-o', 'APT::FTPArchive::Release::Origin=gatectl', 'release', '.'];
    writeFileSync(join(this.folder, 'Release'), `${await this.#run('apt-ftparchive', ...release)}\n`);
    await this.#run('gpg', '--batch', '--yes', '--clearsign', '--output', 'InRelease', 'Release');
    await this.#run('gpg', '--batch', '--yes', '--output', 'key.gpg', '--export');
  }
}

/** An empty root with dpkg's and apt's folders, in which the libraries of this machine count as installed. */
export class Root {
  /**
   * @param {string} folder is created; others may read it
   * @param {Repository} repository
   */
  constructor(folder, repository) {
    this.folder = folder;
    this.repository = repository;
    this.isRoot = process.getuid() === 0;
    const folders = [
      'etc/apt/apt.conf.d',
      'etc/apt/preferences.d',
      'var/lib/apt/lists/partial',
      'var/cache/apt/archives/partial',
    ];
    const database = ['info', 'updates', 'triggers'].map(name => `var/lib/dpkg/${name}`);
    for (const each of [...folders, ...database, 'var/log/apt'])
      mkdirSync(join(folder, each), { recursive: true });
    chmodSync(folder, 0o755);
    writeFileSync(
      join(folder, 'etc/apt/sources.list'),
      `deb [signed-by=${repository.key}] file:${repository.folder} ./\n`,
    );
  }

  /** States what of this machine the package depends on: apt checks the versions. */
  async stateLibraries() {
    const names = ['libc6', 'libgcc-s1', 'libstdc++6', 'gcc-12-base', 'gcc-14-base', 'libcrypt1'];
    const { stdout } = await execa('dpkg-query', ['--status', ...names], { reject: false });
    writeFileSync(join(this.folder, 'var/lib/dpkg/status'), `${stdout}\n\n`);
    for (const name of stdout.matchAll(/^Package: (.*)$/gm))
      for (const list of [name[1], `${name[1]}:amd64`])
        writeFileSync(join(this.folder, 'var/lib/dpkg/info', `${list}.list`), '');
  }

  apt(...args) {
    const settings = {
      Dir: this.folder,
      'Dir::State::status': join(this.folder, 'var/lib/dpkg/status'),
      'APT::Sandbox::User': 'root',
      'APT::Architecture': 'amd64',
      'DPkg::Options::': `--root=${this.folder}`,
    };
    const config = join(this.folder, 'etc/apt/apt.conf');
    writeFileSync(
      config,
      Object.entries(settings)
        .map(([name, value]) => `${name} "${value}";\n`)
        .join(''),
    );
    const env = {
      PATH: process.env.PATH,
      LC_ALL: 'C',
      DEBIAN_FRONTEND: 'noninteractive',
      APT_CONFIG: config,
    };
    return run('apt-get', ['--quiet', '--yes', '--no-install-recommends', ...args], {
      env,
      cwd: this.folder,
      extendEnv: false,
    });
  }

  /** Installs a version; without root, apt fetches and verifies it, and it is unpacked. */
  async install(version) {
    if (this.isRoot) return this.apt('install', `gatectl=${version}`);
    await this.apt('download', `gatectl=${version}`);
    return run('dpkg-deb', ['--extract', join(this.folder, `gatectl_${version}_amd64.deb`), this.folder]);
  }

  /** The version that is installed, to dpkg. */
  async version() {
    const status = await run('dpkg-query', [`--root=${this.folder}`, '--status', 'gatectl']);
    return /^Version: (.*)$/m.exec(status)?.[1];
  }

  /** Commands, manual pages and completions are where the system looks. */
  async check(machineFolder, version, checkout, executable, hasMan) {
    const machine = new Machine(machineFolder);
    const program = join(this.folder, 'usr/bin/gatectl');
    // The executable has run all commands when it was made.
    if (!readFileSync(program).equals(readFileSync(executable)))
      throw new Error('the package has another executable');
    await works(machine, version, program);
    const { man } = checkout.manifest;
    const manual = join(this.folder, 'usr/share/man');
    for (const page of man) {
      const installed = join(manual, `man${page.at(-1)}`, `${basename(page)}.gz`);
      if (!gunzipSync(readFileSync(installed)).equals(readFileSync(checkout.path(page))))
        throw new Error(`${installed} is another page`);
    }
    if (hasMan)
      await machine.run('man', ['--manpath', manual, '--where', 'gatectl-cdn-purge', 'gatectl-dates']);
    for (const [shell, path] of Object.entries(COMPLETIONS)) {
      const script = shell === 'zsh' ? '_gatectl' : `gatectl.${shell}`;
      if (!readFileSync(join(this.folder, path)).equals(readFileSync(checkout.path('completions', script))))
        throw new Error(`${path} is another script`);
    }
    await machine.run('bash', [
      '-c',
      'source "$0"; complete -p gatectl',
      join(this.folder, COMPLETIONS.bash),
    ]);
    return `${man.length} manual pages, completions of ${Object.keys(COMPLETIONS).join(', ')}`;
  }

  /** Nothing is left but what apt and dpkg know. */
  async purge() {
    await this.apt('purge', 'gatectl');
    const left = readdirSync(this.folder, { recursive: true, withFileTypes: true })
      .filter(
        entry =>
          entry.isFile() && !/\/(?:var|etc\/apt)(?:\/|$)/.test(entry.parentPath.slice(this.folder.length)),
      )
      .map(({ name }) => name);
    if (left.length > 0) throw new Error(`removing the package left ${left.join(', ')}`);
  }
}

/** The entries of the package belong to root and have the usual modes. Returns how many there are. */
export async function checkEntries(deb) {
  const entries = (await run('dpkg-deb', ['--contents', deb])).split('\n');
  const strange = entries.filter(
    line => !/^[d-](?:rwxr-xr-x|rw-r--r--) root\/root .* \.\/(?:usr\/.*)?$/.test(line),
  );
  if (strange.length > 0) throw new Error(`the package has unexpected entries:\n${strange.join('\n')}`);
  return `${entries.length} entries`;
}

/** apt refuses an index that was changed after it was signed. */
export async function refusesChanges(root, folder) {
  const index = join(folder, 'InRelease');
  const signed = readFileSync(index, 'utf8');
  writeFileSync(index, signed.replace('Origin: gatectl', 'Origin: gatectI'));
  try {
    const problem = await root.apt('update', '--error-on=any').then(
      () => 'nothing',
      error => error.message,
    );
    if (!/BADSIG|signature/i.test(problem))
      throw new Error(`of an index that was changed after it was signed, apt says ${problem}`);
  } finally {
    writeFileSync(index, signed);
  }
}
