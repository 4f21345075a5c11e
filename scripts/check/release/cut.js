import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { inputsHash, isBuilt } from '../../build/inputs.js';
import { run } from './programs.js';

const RECORD =
  "import('./scripts/build/inputs.js').then(({ inputsHash, recordBuild }) => recordBuild(inputsHash()))";

/** A clone of the last commit, in which versions are cut as RELEASING.md says. */
export class Checkout {
  /**
   * @param {string} folder is created
   * @param {Readonly<Record<string, string>>} env what git signs with
   */
  constructor(folder, env) {
    this.folder = folder;
    this.env = env;
    /** The commit that is rehearsed. */
    this.commit = '';
  }

  run(program, ...args) {
    return run(program, args, { cwd: this.folder, env: this.env });
  }

  npm(script, ...args) {
    return this.run('npm', 'run', '--silent', script, ...(args.length > 0 ? ['--', ...args] : []));
  }

  path(...names) {
    return join(this.folder, ...names);
  }

  read(path) {
    return readFileSync(this.path(path), 'utf8');
  }

  get manifest() {
    return JSON.parse(this.read('package.json'));
  }

  /** Clones, with what is installed here. Returns the newest tag of a version, or HEAD where no version was released. */
  async clone() {
    await run('git', ['clone', '--quiet', '--no-local', resolve('.'), this.folder]);
    this.commit = await this.run('git', 'rev-parse', 'HEAD');
    await this.run('git', 'config', 'user.name', 'release manager');
    await this.run('git', 'config', 'user.email', 'release-manager@example.com');
    await this.install();
    const tags = await this.run('git', 'tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-version:refname');
    return tags.split('\n')[0] || 'HEAD';
  }

  /** Installs what the lock file names; what this checkout has is linked file by file. */
  async install() {
    const modules = this.path('node_modules');
    rmSync(modules, { recursive: true, force: true });
    if (this.read('package-lock.json') !== readFileSync('package-lock.json', 'utf8')) {
      await this.run('npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund');
      return;
    }
    await run('cp', ['-al', resolve('node_modules'), modules]);
    // The caches of this checkout would change with those of the clone.
    rmSync(join(modules, '.cache'), { recursive: true, force: true });
  }

  /** Checks out a commit and builds it. What this checkout has built is copied where it was built of the same. */
  async build(commit) {
    await this.run('git', 'checkout', '--quiet', '--detach', commit);
    await this.install();
    const isCommit =
      (await run('git', ['rev-parse', 'HEAD'])) === (await this.run('git', 'rev-parse', 'HEAD'));
    const changed = await run('git', ['status', '--porcelain']);
    const isSame = isCommit && changed === '' && isBuilt(inputsHash());
    if (isSame) {
      cpSync('dist', this.path('dist'), { recursive: true });
      await this.run(process.execPath, '-e', RECORD);
    }
    await this.npm('build');
    return isSame ? 'as built here' : 'built anew';
  }

  /** Moves the files of release/ elsewhere: of the version before. */
  async takeRelease(to) {
    mkdirSync(to, { recursive: true });
    for (const name of await readdir(this.path('release')))
      renameSync(this.path('release', name), join(to, name));
  }

  /** Step 3 of "Cut a version". */
  renameUnreleased(version, day) {
    const changelog = this.read('CHANGELOG.md');
    const [, notes = ''] = changelog.split(/^## .*\n/m);
    // Empty right after a release.
    const entry = notes.trim() === '' ? '\n### Added\n\n- A rehearsal.\n' : '';
    const renamed = changelog.replace(
      /^## Unreleased\n/m,
      `## Unreleased\n\n## ${version} - ${day}\n${entry}`,
    );
    if (renamed === changelog) throw new Error('CHANGELOG.md has no section "## Unreleased"');
    writeFileSync(this.path('CHANGELOG.md'), renamed);
  }

  /** Steps 4 and 5. Everything that names the version is committed: nothing that is generated changes afterwards. */
  async cut(version) {
    await this.run('npm', 'version', version, '--no-git-tag-version', '--ignore-scripts');
    await this.npm('generate');
    const pages = this.manifest.man.filter(page => !this.read(page).includes(`"gatectl ${version}"`));
    if (pages.length > 0) throw new Error(`manual pages name another version: ${pages.join(', ')}`);
    const unknown = await this.run('git', 'ls-files', '--others', '--exclude-standard');
    if (unknown !== '') throw new Error(`generated files are not known to git:\n${unknown}`);
    await this.run('git', 'commit', '--quiet', '--all', '--message', `release: ${version}`);
  }

  /** Signed with gpg, and verified. */
  async tag(version) {
    await this.run('git', 'tag', '--sign', `v${version}`, '--message', version);
    await this.run('git', 'verify-tag', `v${version}`);
  }
}

/** The commands of "Cut a version" in RELEASING.md, so that none is described and not rehearsed. */
export function commandsOf(releasing) {
  const [, section = ''] = /^## Cut a version\n(.*?)^## /ms.exec(releasing) ?? [];
  return [...section.matchAll(/`((?:npm|git|node|FUZZ_\w+=|\.ci\/run)[^`]*)`/g)].map(
    ([, command]) => command,
  );
}
