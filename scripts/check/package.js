// Packs the package as npm would publish it, installs the tarball into an empty prefix, runs it from there, and removes it again.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, posix } from 'node:path';
import { smoke } from './smoke.js';

/** Bytes of the tarball. */
const MAX_PACKED = 2_250_000;

const folder = mkdtempSync(join(tmpdir(), 'gatectl-package-'));
const prefix = join(folder, 'prefix');
/** @satisfies {import('node:child_process').ExecFileSyncOptions} */
const inherit = { encoding: /** @type {const} */ ('utf8'), stdio: ['ignore', 'pipe', 'inherit'] };
const env = { ...process.env, HOME: join(folder, 'home') };
const npm = (...args) => execFileSync('npm', args, { ...inherit, env });
try {
  mkdirSync(prefix);
  mkdirSync(env.HOME);
  const [packed] = JSON.parse(npm('pack', '--json', '--ignore-scripts', '--pack-destination', folder));
  const stray = packed.files
    .map(file => file.path)
    .filter(
      path =>
        !/^(bin|dist|completions|docs|man|skills)\/|^(package\.json|(README|CHANGELOG|CONTRIBUTING|SECURITY)\.md|LICENSE)$/.test(
          path,
        ),
    );
  if (stray.length > 0) throw new Error(`the package ships what does not run: ${stray.join(', ')}`);

  if (packed.size >= MAX_PACKED)
    throw new Error(`the package has ${packed.size} bytes packed, the limit is ${MAX_PACKED}`);

  checkLinks(packed.files.map(file => file.path));

  const install = [
    'install',
    '--global',
    '--prefix',
    prefix,
    '--no-audit',
    '--no-fund',
    '--userconfig',
    '/dev/null',
  ];
  const { status, stderr } = spawnSync('npm', [...install, join(folder, packed.filename)], {
    encoding: 'utf8',
    env,
  });
  // What npm says of the machine's own configuration is not about the package.
  const isWarning = line => line.startsWith('npm warn') && !/^npm warn Unknown \w+ config /.test(line);
  if (status !== 0 || stderr.split('\n').some(isWarning))
    throw new Error(`npm install is not silent:\n${stderr}`);
  const count = smoke(join(prefix, 'bin', 'gatectl'));
  const library = `process.stdout.write(typeof require('gatectl/migrate').migrate)`;
  const found = execFileSync(process.execPath, ['-e', library], { ...inherit, cwd: join(prefix, 'lib') });
  if (found !== 'function') throw new Error(`gatectl/migrate is ${found}`);
  const pages = checkManualPages();

  npm('uninstall', '--global', '--prefix', prefix, 'gatectl');
  const left = readdirSync(prefix, { recursive: true, withFileTypes: true }).filter(
    entry => !entry.isDirectory(),
  );
  if (left.length > 0) throw new Error(`uninstalling left ${left.map(({ name }) => name).join(', ')}`);
  process.stdout.write(
    `package check: ${packed.files.length} files, ${Math.round(packed.size / 1000)} kB packed; installs, runs ${count} commands, has ${pages} manual pages, and goes without a trace\n`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The links between the pages of the package lead to files of the package. */
function checkLinks(paths) {
  const pages = paths.filter(path => path.endsWith('.md'));
  const broken = pages.flatMap(page =>
    [...readFileSync(page, 'utf8').matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
      .map(([, link]) => link)
      .filter(link => !/^[a-z]+:/.test(link) && !paths.includes(posix.join(posix.dirname(page), link)))
      .map(link => `${page}: ${link}`),
  );
  if (broken.length > 0) throw new Error(`links of the package lead nowhere: ${broken.join(', ')}`);
}

/** man finds the pages that package.json lists where npm links them. Returns how many there are. */
function checkManualPages() {
  const { man } = JSON.parse(readFileSync('package.json', 'utf8'));
  for (const page of man) {
    const section = /\.(\d)$/.exec(page)?.[1];
    realpathSync(join(prefix, 'share', 'man', `man${section}`, basename(page)));
  }
  return man.length;
}
