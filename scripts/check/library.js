// Packs the package as npm would publish it and installs the tarball into a copy of examples/site, outside of this workspace. Its types
// are checked in strict mode by TypeScript 5 and 7, and its tests run on each line of Node that the package promises to run on. Then
// examples/generated: a client that another tool generates from the OpenAPI document of the package.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fetchNode } from '../release/node-binary.js';

/** The oldest version whose syntax the types use, the newest of its line, and the next. */
const COMPILERS = ['5.0', '5', '7'];
/** As check:nodes. */
const LINES = ['20.18.1', '22', '24'];

const folder = mkdtempSync(join(tmpdir(), 'gatectl-library-'));
const site = join(folder, 'site');
const env = { ...process.env, HOME: folder };
const run = (command, args, cwd = site) =>
  execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
try {
  const [packed] = JSON.parse(
    run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], process.cwd()),
  );
  cpSync(resolve('examples/site'), site, { recursive: true });
  const description = JSON.parse(readFileSync(join(site, 'package.json'), 'utf8'));
  description.dependencies.gatectl = `file:${join(folder, packed.filename)}`;
  writeFileSync(join(site, 'package.json'), JSON.stringify(description));
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts']);

  for (const compiler of COMPILERS) {
    const own = join(folder, `typescript-${compiler}`);
    run('npm', [
      'install',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      '--prefix',
      own,
      `typescript@${compiler}`,
    ]);
    const { version } = JSON.parse(readFileSync(join(own, 'node_modules/typescript/package.json'), 'utf8'));
    run(process.execPath, [join(own, 'node_modules/typescript/bin/tsc'), '-p', '.']);
    process.stdout.write(`library check: the example type-checks with TypeScript ${version}\n`);
  }
  for (const line of LINES) {
    const { binary } = fetchNode(line, join(folder, `node-${line}`));
    const output = run(binary, ['--test']);
    const [, passed] = /^(?:#|ℹ) pass (\d+)$/m.exec(output) ?? [];
    process.stdout.write(`library check: ${passed} tests of the example pass on Node ${line}\n`);
  }
} catch (error) {
  throw error.stdout === undefined ? error : new Error(`${error.message}\n${error.stdout}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
