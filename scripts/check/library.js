// Packs the package as npm would publish it and installs the tarball into copies of the applications in examples/, outside of this
// workspace. Their types are checked in strict mode by TypeScript 5 and 7, and their tests run on each line of Node that the package
// promises to run on; those of the worker with its client, too.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fetchNode } from '../release/node-binary.js';

/** The oldest version of TypeScript whose syntax the types use, the newest of its line, and the next. */
const COMPILERS = ['5.0', '5', '7'];
/** Applications, each with the ways to run its tests, and the compilers that know the syntax of its framework's types. */
const APPLICATIONS = {
  site: { ways: [['--test']], compilers: COMPILERS },
  fastify: { ways: [['--test']], compilers: ['5', '7'] },
  worker: { ways: [['--test'], ['--conditions=workerd', '--test']], compilers: COMPILERS },
};
/** As check:nodes. */
const LINES = ['20.18.1', '22', '24'];

const folder = mkdtempSync(join(tmpdir(), 'gatectl-library-'));
const env = { ...process.env, HOME: folder };
const run = (command, args, cwd = folder) =>
  execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const install = (...words) =>
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...words]);
const say = text => process.stdout.write(`library check: ${text}\n`);
try {
  const [packed] = JSON.parse(
    run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], process.cwd()),
  );
  for (const name of Object.keys(APPLICATIONS)) {
    const application = join(folder, name);
    cpSync(resolve('examples', name), application, { recursive: true });
    const description = JSON.parse(readFileSync(join(application, 'package.json'), 'utf8'));
    description.dependencies.gatectl = `file:${join(folder, packed.filename)}`;
    writeFileSync(join(application, 'package.json'), JSON.stringify(description));
    install('--prefix', application);
  }

  for (const compiler of COMPILERS) {
    const own = join(folder, `typescript-${compiler}`);
    install('--prefix', own, `typescript@${compiler}`);
    const { version } = JSON.parse(readFileSync(join(own, 'node_modules/typescript/package.json'), 'utf8'));
    const names = Object.keys(APPLICATIONS).filter(name => APPLICATIONS[name].compilers.includes(compiler));
    for (const name of names)
      run(process.execPath, [join(own, 'node_modules/typescript/bin/tsc'), '-p', join(folder, name)]);
    say(`${names.join(', ')} type-check with TypeScript ${version}`);
  }
  for (const line of LINES) {
    const { binary } = fetchNode(line, join(folder, `node-${line}`));
    for (const [name, { ways }] of Object.entries(APPLICATIONS))
      for (const way of ways) {
        const [, passed] = /^(?:#|ℹ) pass (\d+)$/m.exec(run(binary, way, join(folder, name))) ?? [];
        say(`${passed} tests of ${name} pass on Node ${line} (${way.join(' ')})`);
      }
  }
} catch (error) {
  throw error.stdout === undefined ? error : new Error(`${error.message}\n${error.stdout}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
