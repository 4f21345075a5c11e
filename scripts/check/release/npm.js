// The ways to install the npm package: globally from a registry, from its tarball, with npx, and as a dependency of a project.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { run, works } from './programs.js';

/** Bytes of the tarball. */
const MAX_PACKED = 2_400_000;
/** In a process of its own: it waits for each command, and other steps go on. */
const SMOKE = fileURLToPath(new URL('../smoke.js', import.meta.url));
const QUIET = ['--no-audit', '--no-fund'];
const SHIPPED =
  /^(bin|dist|completions|docs|man|skills)\/|^(package\.json|(README|CHANGELOG|CONTRIBUTING|SECURITY)\.md|LICENSE)$/;

/** The tarball has the files that run and their pages, all that package.json names, and no others; links between pages lead somewhere. */
export async function checkContents(checkout, tarball) {
  const listed = await checkout.run('tar', 'tzf', tarball);
  const paths = listed.split('\n').map(path => path.slice('package/'.length));
  const stray = paths.filter(path => !SHIPPED.test(path));
  if (stray.length > 0) throw new Error(`the package ships what does not run: ${stray.join(', ')}`);
  const { man, bin, exports } = checkout.manifest;
  const named = [...man, ...Object.values(bin), ...targetsOf(exports)].map(path => posix.normalize(path));
  const missing = named.filter(path => !paths.includes(path));
  if (missing.length > 0)
    throw new Error(`package.json names what is not in the package: ${missing.join(', ')}`);
  const { size } = statSync(tarball);
  if (size >= MAX_PACKED) throw new Error(`the package has ${size} bytes packed, the limit is ${MAX_PACKED}`);
  const broken = paths
    .filter(path => path.endsWith('.md'))
    .flatMap(page =>
      [...checkout.read(page).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
        .map(([, link]) => link)
        .filter(link => !/^[a-z]+:/.test(link) && !paths.includes(posix.join(posix.dirname(page), link)))
        .map(link => `${page}: ${link}`),
    );
  if (broken.length > 0) throw new Error(`links of the package lead nowhere: ${broken.join(', ')}`);
  return `${paths.length} files, ${Math.round(size / 1000)} kB`;
}

/** The files that `exports` of package.json leads to. */
function targetsOf(value) {
  return typeof value === 'string' ? [value] : Object.values(value).flatMap(targetsOf);
}

/** Runs the command of the workflow that publishes, without what needs an account. */
export async function publish(machine, workflow, version, release) {
  const step = workflow.jobs.release.steps.find(({ run = '' }) => run.startsWith('npm publish '));
  const words = step.run.replaceAll(/\$\{\{ steps\.version\.outputs\.version \}\}/g, version).split(' ');
  if (!words.includes('--provenance')) throw new Error('the workflow publishes without provenance');
  const args = words.slice(1).filter(word => word !== '--provenance');
  await machine.run('npm', args, { cwd: join(release, '..') });
  return `npm ${args.join(' ')}`;
}

/** What the registry hands out is the tarball of the release, byte for byte. */
export async function checkIntegrity(machine, version, tarball) {
  const stated = JSON.parse(await machine.run('npm', ['view', `gatectl@${version}`, 'dist', '--json']));
  const bytes = readFileSync(tarball);
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  if (stated.integrity !== integrity)
    throw new Error(`the registry states ${stated.integrity}, the tarball has ${integrity}`);
  const served = Buffer.from(await (await fetch(stated.tarball)).arrayBuffer());
  if (!served.equals(bytes)) throw new Error('the registry serves other bytes than were published');
  return `${integrity.slice(0, 24)}…`;
}

/** Installs globally, without a warning. */
export async function installGlobally(machine, what) {
  const { failed, stderr } = await execa('npm', ['install', '--global', ...QUIET, what], {
    cwd: machine.home,
    env: machine.env,
    extendEnv: false,
    reject: false,
  });
  // What npm says of the machine's own configuration is not about the package.
  const isWarning = line => line.startsWith('npm warn') && !/^npm warn Unknown \w+ config /.test(line);
  if (failed || stderr.split('\n').some(isWarning)) throw new Error(`npm install is not silent:\n${stderr}`);
}

/** Everything that a global installation brings: commands, manual pages where man looks, completions. */
export async function checkGlobal(machine, version, checkout, hasMan) {
  await works(machine, version);
  const count = await smoke(join(machine.prefix, 'bin', 'gatectl'));
  const { man } = checkout.manifest;
  for (const page of man) {
    const installed = join(machine.prefix, 'share', 'man', `man${page.at(-1)}`, basename(page));
    if (!readFileSync(installed).equals(readFileSync(checkout.path(page))))
      throw new Error(`${basename(page)} is another page`);
  }
  if (hasMan) await findsPages(machine);
  await completes(machine);
  return `${count} commands, ${man.length} manual pages, completion installed and removed`;
}

/** Runs the commands of check/smoke.js; returns how many there are. */
function smoke(program) {
  const code =
    'import(process.argv[1]).then(({ smoke }) => process.stdout.write(String(smoke(process.argv[2]))))';
  return run(process.execPath, ['-e', code, SMOKE, program]);
}

/** man finds pages by the path of programs. */
async function findsPages(machine) {
  const found = await machine.run('man', ['--where', 'gatectl-cdn-purge', 'gatectl-dates']);
  if (found.split('\n').some(path => !path.startsWith(machine.prefix))) throw new Error(`man finds ${found}`);
}

/** `completion install` in an empty home: an interactive bash completes; `completion uninstall` leaves the home as it was. */
async function completes(machine) {
  const files = () =>
    readdirSync(machine.home, { recursive: true }).filter(path => !/^\.(cache|npm)\b/.test(String(path)));
  const before = files();
  writeFileSync(join(machine.home, '.bashrc'), '# mine\n');
  await machine.run('gatectl', ['completion', 'install', 'bash']);
  const typed = 'COMP_LINE="gatectl acc" COMP_POINT=11; _gatectl gatectl acc gatectl; declare -p COMPREPLY';
  const completed = await machine.run('bash', ['-ic', `complete -p gatectl > /dev/null && ${typed}`]);
  if (!completed.includes('access')) throw new Error(`bash completes "gatectl acc" to ${completed}`);
  await machine.run('gatectl', ['completion', 'uninstall', 'bash']);
  const left = readFileSync(join(machine.home, '.bashrc'), 'utf8');
  if (left !== '# mine\n') throw new Error(`completion uninstall leaves in ~/.bashrc: ${left}`);
  const added = files().filter(path => path !== '.bashrc' && !before.includes(path));
  const isFile = path => statSync(join(machine.home, String(path))).isFile();
  if (added.some(isFile)) throw new Error(`completion uninstall leaves ${added.join(', ')}`);
}

/** Nothing is left below the prefix. */
export async function uninstallGlobally(machine) {
  await machine.run('npm', ['uninstall', '--global', 'gatectl']);
  const left = filesBelow(machine.prefix);
  if (left.length > 0) throw new Error(`uninstalling left ${left.join(', ')}`);
}

/** Paths of the files and links below a folder, which may be missing. npm leaves empty folders of scopes. */
function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => !entry.isDirectory())
    .map(entry => relative(folder, join(entry.parentPath, entry.name)));
}

const PROGRAM = `
import { createRequire } from 'node:module';
import { Gateway } from 'gatectl/client';
import { startSandbox } from 'gatectl/sandbox';
import { migrate } from 'gatectl/migrate';

const require = createRequire(import.meta.url);
const sandbox = await startSandbox();
try {
  for (const { Gateway: Client } of [{ Gateway }, require('gatectl/client')]) {
    const gateway = new Client({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, domain: 'example.com' });
    const { decision } = await gateway.subscriptions.access({ email: 'active@example.com' }, { product: 'premium' });
    await gateway.close();
    console.log(decision, typeof migrate, require('gatectl/package.json').version);
  }
} finally {
  await sandbox.close();
}
`;

/** A project that depends on it imports its libraries; its `npx gatectl` is that of the project. Removed, nothing is left of it. */
export async function checkDependency(machine, version) {
  writeFileSync(join(machine.home, 'package.json'), '{ "private": true, "type": "module" }\n');
  writeFileSync(join(machine.home, 'program.js'), PROGRAM);
  await machine.run('npm', ['install', ...QUIET, 'gatectl']);
  const printed = await machine.run(process.execPath, ['program.js']);
  const expected = `allowed function ${version}\nallowed function ${version}`;
  if (printed !== expected) throw new Error(`the program prints ${printed}`);
  await works(machine, version, 'npx', ['--no-install', 'gatectl']);
  await machine.run('npm', ['uninstall', ...QUIET, 'gatectl']);
  const lock = JSON.parse(readFileSync(join(machine.home, 'package-lock.json'), 'utf8'));
  const left = Object.keys(lock.packages).filter(path => path !== '');
  const files = filesBelow(join(machine.home, 'node_modules')).filter(path => !path.startsWith('.'));
  if (left.length + files.length > 0)
    throw new Error(`removing the dependency left ${[...left, ...files].join(', ')}`);
  return 'client, sandbox and migrate, as module and with require';
}
