// Runs the built bin on the other lines of Node that it promises to run on; the binaries come from npm.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fetchNode } from '../release/node-binary.js';
import { smoke } from './smoke.js';

/** The lowest version that package.json allows, and the newest of each later line. */
const LINES = ['20.18.1', '22', '24'];

const folder = mkdtempSync(join(tmpdir(), 'gatectl-nodes-'));
try {
  for (const line of LINES) {
    const { binary } = fetchNode(line, join(folder, line));
    const bin = resolve('bin/gatectl.js');
    const count = smoke(binary, [bin]);
    const accepted = execFileSync(binary, [resolve('scripts/check/encodings.js'), bin], { encoding: 'utf8' });
    process.stdout.write(`nodes check: ${count} commands run on Node ${line}, which decodes ${accepted}`);
    rmSync(join(folder, line), { recursive: true });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
