// Runs the built bin on the other lines of Node that it promises to run on; the binaries come from npm.
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
    const count = smoke(binary, [resolve('bin/gatectl.js')]);
    process.stdout.write(`nodes check: ${count} commands run on Node ${line}\n`);
    rmSync(join(folder, line), { recursive: true });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
