// Packs the package as npm would publish it, generates a client from its OpenAPI document by each tool of examples/generated, compiles
// all of them in strict mode and runs their tests against the embedded gateway.
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const GENERATORS = ['hey-api', 'openapi-typescript', 'orval', 'swagger-typescript-api'];

const folder = mkdtempSync(join(tmpdir(), 'gatectl-generated-'));
const example = join(folder, 'generated');
const npm = (words, cwd = example) =>
  promisify(execFile)('npm', words, { cwd, env: { ...process.env, HOME: folder }, encoding: 'utf8' });
try {
  const { stdout: packed } = await npm(
    ['pack', '--json', '--ignore-scripts', '--pack-destination', folder],
    process.cwd(),
  );
  cpSync(resolve('examples/generated'), example, { recursive: true });
  const manifest = JSON.parse(readFileSync(join(example, 'package.json'), 'utf8'));
  manifest.dependencies.gatectl = `file:${join(folder, JSON.parse(packed)[0].filename)}`;
  writeFileSync(join(example, 'package.json'), JSON.stringify(manifest));
  await npm(['install', '--no-audit', '--no-fund', '--ignore-scripts']);
  await npm(['run', 'document']);
  await Promise.all(GENERATORS.map(name => npm(['run', name])));
  const { stdout } = await npm(['test']);
  const [, passed] = /^(?:#|ℹ) pass (\d+)$/m.exec(stdout) ?? [];
  process.stdout.write(`clients check: ${passed} tests of clients by ${GENERATORS.join(', ')} pass\n`);
} catch (error) {
  throw error.stdout === undefined ? error : new Error(`${error.message}\n${error.stdout}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
