// Rehearses a release as RELEASING.md describes it, from the last commit to what users do with it: npm run check:release. In a clone, it
// cuts a version, builds, packs and signs it; publishes it to a registry and a Debian repository of its own; installs it in each way that
// docs/install.md names, over the version before; and verifies what users verify. That version is the newest tag, or the commit as it is
// where none was released. Keys, accounts and machines are made up and thrown away. The log is reports/rehearsal.log.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { Checkout, commandsOf } from './cut.js';
import { checkEntries, Repository, Root, refusesChanges } from './debian.js';
import { checkFormula, checkSignatures, installExecutable, offline } from './files.js';
import { Log } from './log.js';
import {
  checkContents,
  checkDependency,
  checkGlobal,
  checkIntegrity,
  installGlobally,
  publish,
  uninstallGlobally,
} from './npm.js';
import { has, Machine, run, works } from './programs.js';
import { installVerdaccio, Registry } from './registry.js';
import { checkComponents, installValidator, validateSbom } from './sbom.js';
import { State, serves } from './state.js';

/** The commands of "Cut a version" that are rehearsed, and those that CI runs beside the rehearsal or that take hours. */
const REHEARSED = [
  'npm version X.Y.Z --no-git-tag-version',
  'npm run generate',
  'git tag --sign vX.Y.Z --message X.Y.Z',
  'npm run release:executable',
  'npm run package:deb',
  'npm run release:files',
  'npm run release:sign -- --key FILE',
];
const ELSEWHERE = [
  'git status',
  '.ci/run',
  'npm run check:release',
  'npm run check:chance',
  'npm run test:mutation',
  'FUZZ_SECONDS=600 npm run test:fuzz',
  'npm run check:reproducible',
  'npm run docs:build',
];

const log = new Log('reports/rehearsal.log');
const folder = mkdtempSync(join(tmpdir(), 'gatectl-release-'));
const at = (...names) => join(folder, ...names);
const registry = new Registry(at('verdaccio'));
const keys = { GNUPGHOME: at('keys') };
const checkout = new Checkout(at('checkout'), keys);
const before = { version: '', debian: '', release: at('before', 'release') };
const next = { version: '', debian: '', release: at('checkout', 'release') };
let failure;
try {
  await rehearse();
} catch (error) {
  failure = error;
} finally {
  await registry.stop();
  // gpg starts it, and it outlives gpg.
  // gpg starts it, and it outlives gpg.
  await run('gpgconf', ['--kill', 'gpg-agent'], { env: keys, reject: false });
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = log.end(failure) ? 0 : 1;

async function rehearse() {
  log.untried(
    'npm publish --provenance, trusted publishing, npm audit signatures',
    'these need the public registry and an account',
  );
  log.untried('attestations of GitHub', 'they need the workflow to run there');
  log.untried('Windows, macOS, arm64', 'this machine has none of them');
  const hasMan = await has('man', log, 'man finds the pages');
  const hasRuby = await has('ruby', log, 'the methods of the formula');
  const hasLintian = await has('lintian', log, 'lintian');
  const hasMinisign = await has('minisign', log, 'signatures of the checksums');
  const hasGpg = await has('gpg', log, 'signatures of tags and of the Debian repository');
  const hasApt =
    hasGpg &&
    (await has('apt-get', log, 'the Debian repository')) &&
    (await has('apt-ftparchive', log, 'the Debian repository'));
  await noteDocker();
  const isolated = await offline();

  await log.together(
    () => log.step('registry and validator are installed', tools),
    async () => {
      await log.step('RELEASING.md has no step that is not rehearsed', checkSteps);
      const tag = await log.step('clone the commit', () => checkout.clone());
      await log.step('build the version before', () => checkout.build(tag));
      before.version = checkout.manifest.version;
      before.debian = before.version.replace('-', '~');
      await log.step(`executable, Debian and npm package of ${before.version}`, packBefore);
    },
  );
  await log.step('start the registry', () => registry.start());
  const user = new Machine(at('user'), registryOf('user'));
  const state = new State(user);
  const publisher = new Machine(at('publisher'), registryOf('publisher'));
  const workflow = parse(readFileSync('.github/workflows/release.yml', 'utf8'));
  try {
    await log.together(
      async () => {
        await log.step('add a user who may publish', async () => {
          writeFileSync(join(publisher.home, '.npmrc'), await registry.addUser());
        });
        await log.step(`publish ${before.version}`, () =>
          publish(publisher, workflow, before.version, before.release),
        );
        await log.step(`npm install --global gatectl: ${before.version}`, async () => {
          await installGlobally(user, 'gatectl');
          await works(user, before.version);
        });
        await log.step(`work with ${before.version}`, () => state.write());
      },
      () => cutNext(hasGpg, hasMinisign),
    );

    const tarball = join(next.release, `gatectl-${next.version}.tgz`);
    const clean = new Machine(at('clean'), registryOf('clean'));
    await log.together(
      async () => {
        await log.step('content of the npm package', () => checkContents(checkout, tarball));
        await log.step(`publish ${next.version}`, () =>
          publish(publisher, workflow, next.version, next.release),
        );
        await log.step('the registry serves what was packed', () =>
          checkIntegrity(publisher, next.version, tarball),
        );
        await log.step(`npm update --global gatectl: ${before.version} to ${next.version}`, async () => {
          await user.run('npm', ['update', '--global', '--no-audit', '--no-fund', 'gatectl']);
          await works(user, next.version);
        });
        await log.step(`${next.version} reads what ${before.version} wrote`, () => state.read());
        await log.step('npm install --global TARBALL', () => installGlobally(clean, tarball));
        await log.step('commands, manual pages and completions', () =>
          checkGlobal(clean, next.version, checkout, hasMan),
        );
        await log.step('SBOM: what is bundled and installed', () =>
          checkComponents(
            checkout,
            tarball.replace(/\.tgz$/, '.cdx.json'),
            join(clean.prefix, 'lib/node_modules/gatectl'),
          ),
        );
        await log.step('npm uninstall --global leaves nothing', () => uninstallGlobally(clean));
        await log.step('npx gatectl', () => {
          const machine = new Machine(at('npx'), registryOf('npx'));
          return works(machine, next.version, 'npx', ['--yes', `gatectl@${next.version}`]);
        });
        await log.step('dependency of a project', () =>
          checkDependency(new Machine(at('project'), registryOf('project')), next.version),
        );
      },
      async () => {
        if (hasLintian)
          await log.step('lintian', async () => {
            // As root it warns of that.
            await run('lintian', ['--no-cfg', '--fail-on', 'error,warning', '--allow-root', debOf(next)]);
          });
      },
      async () => {
        if (hasApt) await debian(hasMan);
        await log.step('executable', () =>
          installExecutable(checkout, new Machine(at('executable')), next.version, hasMan),
        );
        await log.step('an embedded gateway of each version serves the other', async () => {
          const programs = [before, next].map(({ version, release }) =>
            join(release, `gatectl-${version}-linux-x64`, 'gatectl'),
          );
          const machine = new Machine(at('gateway'));
          await serves(machine, programs[0], programs[1]);
          await serves(machine, programs[1], programs[0]);
        });
        if (hasMinisign)
          await log.step('checksums and signature, as docs/install.md verifies them', () =>
            checkSignatures(checkout, at('downloads'), isolated),
          );
        await log.step('SBOM: schema', () =>
          validateSbom(at('validator'), join(next.release, `gatectl-${next.version}.cdx.json`), isolated),
        );
        await log.step('Homebrew formula', () =>
          checkFormula(
            checkout,
            new Machine(at('homebrew'), registryOf('homebrew')),
            next.version,
            log,
            hasRuby,
          ),
        );
      },
    );
  } finally {
    state.stop();
  }
}

/** Has a registry of its own, and keeps what npm fetches from it for the machines of this rehearsal. */
function registryOf(name) {
  return {
    npm_config_registry: registry.url,
    npm_config_cache: at('npm-cache'),
    npm_config_userconfig: at(name, 'home', '.npmrc'),
    npm_config_update_notifier: 'false',
  };
}

async function noteDocker() {
  if (!(await has('docker', log, 'Docker image'))) return;
  const isRunning = await run('docker', ['info'], { reject: false });
  if (/Server Version/.test(isRunning))
    log.untried('Docker image', 'it would be built from the internet: npm run package:docker');
  else log.untried('Docker image', 'no Docker engine is running');
}

async function tools() {
  await installVerdaccio(at('verdaccio'));
  await installValidator(at('validator'));
}

function checkSteps() {
  const commands = commandsOf(readFileSync('RELEASING.md', 'utf8'));
  const unknown = commands.filter(command => !REHEARSED.includes(command) && !ELSEWHERE.includes(command));
  const gone = [...REHEARSED, ...ELSEWHERE].filter(command => !commands.includes(command));
  if (unknown.length > 0) throw new Error(`RELEASING.md names what is not rehearsed: ${unknown.join('; ')}`);
  if (gone.length > 0) throw new Error(`RELEASING.md does not name ${gone.join('; ')}`);
  return `${REHEARSED.length} commands rehearsed, ${ELSEWHERE.length} elsewhere`;
}

async function packBefore() {
  await checkout.npm('release:executable', '--quick');
  await checkout.npm('package:deb', '--quick');
  await checkout.run('npm', 'pack', '--ignore-scripts', '--pack-destination', 'release');
  await checkout.takeRelease(before.release);
}

function debOf({ release, debian: version }) {
  return join(release, `gatectl_${version}_amd64.deb`);
}

/** "Cut a version" of RELEASING.md. */
async function cutNext(hasGpg, hasMinisign) {
  if (hasGpg)
    await log.step('key of a release manager', async () => {
      mkdirSync(keys.GNUPGHOME, { mode: 0o700 });
      const user = 'release manager <release-manager@example.com>';
      const generate = ['--batch', '--passphrase', '', '--quick-gen-key', user, 'ed25519', 'sign'];
      await run('gpg', generate, { env: keys });
    });
  await log.step('back to the commit', async () => {
    if ((await checkout.run('git', 'rev-parse', 'HEAD')) === checkout.commit) return;
    await checkout.run('git', 'checkout', '--quiet', '--detach', checkout.commit);
    await checkout.install();
  });
  const [major, minor] = checkout.manifest.version.split('.');
  next.version = `${major}.${Number(minor) + 1}.0`;
  next.debian = next.version;
  const { version } = next;
  await log.step(`cut ${version}: changelog, version, generated files, commit`, async () => {
    checkout.renameUnreleased(version, new Date().toISOString().slice(0, 10));
    await checkout.cut(version);
  });
  if (hasGpg) await log.step(`tag v${version}, signed`, () => checkout.tag(version));
  await log.step('release notes', async () => {
    const notes = await checkout.run(process.execPath, 'scripts/release/notes.js', version);
    return `${notes.split('\n').length} lines`;
  });
  const last = text => text.trim().split('\n').at(-1);
  await log.step('npm run release:executable', async () => last(await checkout.npm('release:executable')));
  await log.step('npm run package:deb', async () => last(await checkout.npm('package:deb')));
  await log.step('npm run release:files', async () => last(await checkout.npm('release:files')));
  if (hasMinisign)
    await log.step('npm run release:sign', async () => {
      const [secret, pub] = [at('minisign.key'), checkout.path('packaging/minisign.pub')];
      await run('minisign', ['-G', '-W', '-f', '-s', secret, '-p', pub]);
      return last(await checkout.npm('release:sign', '--key', secret));
    });
}

async function debian(hasMan) {
  const repository = new Repository(at('debian'), keys);
  const root = new Root(at('root'), repository);
  await log.step('Debian repository, signed', async () => {
    await repository.add(debOf(before));
    await root.stateLibraries();
    await root.apt('update', '--error-on=any');
  });
  await log.step(`apt-get install gatectl: ${before.version}`, async () => {
    await root.install(before.debian);
    await works(new Machine(at('apt')), before.version, join(root.folder, 'usr/bin/gatectl'));
  });
  await log.step('apt refuses a changed index', async () => {
    await repository.add(debOf(next));
    await refusesChanges(root, repository.folder);
    await root.apt('update', '--error-on=any');
  });
  await log.step(`apt-get upgrade: ${before.version} to ${next.version}`, async () => {
    if (!root.isRoot) return root.install(next.debian);
    await root.apt('upgrade');
    const installed = await root.version();
    if (installed !== next.debian) throw new Error(`dpkg has ${installed}`);
    return undefined;
  });
  await log.step('entries of the Debian package', () => checkEntries(debOf(next)));
  await log.step('commands, manual pages and completions of the Debian package', () => {
    const executable = join(next.release, `gatectl-${next.version}-linux-x64`, 'gatectl');
    return root.check(at('apt'), next.version, checkout, executable, hasMan);
  });
  if (root.isRoot) await log.step('apt-get purge leaves nothing', () => root.purge());
  else log.untried('apt-get upgrade and purge', 'they need root; the package was unpacked');
}
