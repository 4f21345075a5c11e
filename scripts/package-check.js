// Packs the package as npm would publish it, installs the tarball into an empty prefix and runs it from there.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'gatectl-package-'));
const inherit = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] };
try {
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], inherit),
  );
  const stray = packed.files
    .map(file => file.path)
    .filter(
      path => !/^(bin|dist|completions|man)\/|^(package\.json|README\.md|CHANGELOG\.md|LICENSE)$/.test(path),
    );
  if (stray.length > 0) throw new Error(`the package ships what does not run: ${stray.join(', ')}`);

  const env = { ...process.env, HOME: folder };
  execFileSync(
    'npm',
    ['install', '--global', '--prefix', folder, '--no-audit', '--no-fund', join(folder, packed.filename)],
    { ...inherit, env },
  );
  const bin = join(folder, 'bin', 'gatectl');
  const answer = execFileSync(
    bin,
    ['access', '--product', 'premium', '--email', 'active@example.com', '--sandbox', '--jq', '.decision'],
    { ...inherit, env, cwd: folder },
  );
  if (answer !== 'allowed\n') throw new Error(`the installed package answered ${JSON.stringify(answer)}`);
  const library = `process.stdout.write(typeof require('gatectl/migrate').migrate)`;
  const found = execFileSync(process.execPath, ['-e', library], { ...inherit, cwd: join(folder, 'lib') });
  if (found !== 'function') throw new Error(`gatectl/migrate is ${found}`);
  const page = join(folder, 'share', 'man', 'man1', 'gatectl-cdn-purge.1');
  if (!existsSync(page)) throw new Error('npm installed no manual page');
  execFileSync('npm', ['uninstall', '--global', '--prefix', folder, 'gatectl'], { ...inherit, env });
  const left = [...readdirSync(join(folder, 'bin')), ...(existsSync(page) ? ['manual pages'] : [])];
  if (left.length > 0) throw new Error(`uninstalling left ${left.join(', ')}`);
  process.stdout.write(
    `package check: ${packed.files.length} files, ${Math.round(packed.size / 1024)} kB packed; installs, runs and goes\n`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
