// The clients for edge functions and workers and for Node, bundled by four bundlers and run in five runtimes, or three that have Node's
// modules: each of their operations must return what it returns to the client for Node that is not bundled. The package is installed from its tarball, outside of this workspace.
import { deepStrictEqual } from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUNDLERS } from './bundle.js';
import { RUNTIMES } from './run.js';

const TOOLS = ['webpack@5.112.2', 'workerd@1.20261117.1', 'bun@1.4.4', 'deno@2.9.6', 'edge-runtime@4.0.1'];
/** Programs for runtimes that evaluate no modules. */
const SCRIPTS = ['edge'];

const tools = mkdtempSync(join(tmpdir(), 'gatectl-bundlers-'));
try {
  const npm = (words, cwd) =>
    execFileSync('npm', words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const [packed] = JSON.parse(
    npm(['pack', '--json', '--ignore-scripts', '--pack-destination', tools], process.cwd()),
  );
  writeFileSync(join(tools, 'package.json'), '{ "private": true, "type": "module" }');
  npm(
    ['install', '--no-audit', '--no-fund', '--ignore-scripts', join(tools, packed.filename), ...TOOLS],
    tools,
  );
  for (const name of ['operations', 'script', 'worker', 'edge'])
    cpSync(`scripts/check/bundlers/${name}.js`, join(tools, `${name}.js`));

  const { startSandbox } = await import(join(tools, 'node_modules/gatectl/dist/library/sandbox.mjs'));
  const sandbox = await startSandbox();
  const gateway = [sandbox.baseUrl, sandbox.apiKey];
  const { results } = await import(join(tools, 'operations.js'));
  const expected = JSON.parse(JSON.stringify(await results(...gateway)));
  const operations = Object.keys(expected).length;
  if (expected.access.allowed !== true || expected.query.length === 0)
    throw new Error('the sandbox knows no reader');
  const statuses = expected.handler.map(
    ([status, { status: word, error }]) => `${status} ${word ?? error.code}`,
  );
  deepStrictEqual(statuses, ['200 confirmed', '200 duplicate', '401 forged', '401 stale']);

  for (const [bundler, bundle] of Object.entries(BUNDLERS)) {
    const folder = join(tools, bundler);
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    for (const program of ['script', 'worker', 'edge']) {
      const name = `${program}.js`;
      const isScript = SCRIPTS.includes(program);
      await bundle({ entry: join(tools, name), folder, name, file: join(folder, name), isScript, tools });
    }
    const check = async (what, name, runtimes) => {
      for (const [runtime, { program, run }] of runtimes) {
        const found = await run({ file: join(folder, name(program)), gateway, tools });
        deepStrictEqual(found, expected, `${bundler} for ${what} in ${runtime}`);
      }
      const bytes = statSync(join(folder, name('script'))).size;
      process.stdout.write(
        `bundlers check: ${operations} operations bundled by ${bundler} for ${what} (${bytes} bytes) run in ${runtimes.map(([runtime]) => runtime).join(', ')}\n`,
      );
    };
    await check('workers', program => `${program}.js`, Object.entries(RUNTIMES));

    const name = 'for-node.js';
    const entry = join(tools, 'script.js');
    await bundle({ entry, folder, name, file: join(folder, name), isScript: false, forNode: true, tools });
    await check(
      'Node',
      () => name,
      Object.entries(RUNTIMES).filter(([, { isNode }]) => isNode),
    );
  }
  await sandbox.close();
} finally {
  rmSync(tools, { recursive: true, force: true });
}
