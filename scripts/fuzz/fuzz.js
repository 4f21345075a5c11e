// Feeds mutated inputs to the parsers in test/fuzz/targets and keeps those that reach new code: npm run test:fuzz. Coverage is counted by
// istanbul's instrumentation of the bundled target, libraries included. Ends with 1 where an input breaks a parser; the input is
// written to fuzz-findings.
//
//   npm run test:fuzz -- json filter     these targets
//   npm run test:fuzz -- --save          also adds the smallest inputs that together reach all code to test/fuzz/corpus
//   FUZZ_SECONDS=600 npm run test:fuzz   the time for all targets together (default 60)
//   FUZZ_SEED=7 npm run test:fuzz        repeats the choices of an earlier run
import { createHash, randomInt } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { COVERAGE, MAX_INPUT } from './limits.js';

const TARGETS = 'test/fuzz/targets';
const CORPUS = 'test/fuzz/corpus';
const FINDINGS = 'fuzz-findings';
/** A run that takes longer is a finding, in milliseconds of the processor; a slow machine takes more of the clock. */
const HANG_MS = 5000;
/** The same for a run that waits, in milliseconds of the clock. */
const WAIT_MS = 60_000;
const LOOK_MS = 500;

await main();

async function main() {
  const words = process.argv.slice(2);
  const isSaving = words.includes('--save');
  const chosen = words.filter(word => !word.startsWith('--'));
  const all = readdirSync(TARGETS)
    .map(file => basename(file, '.ts'))
    .filter(name => name !== 'target');
  const unknown = chosen.filter(name => !all.includes(name));
  if (unknown.length > 0)
    throw new Error(`no target ${unknown.join(', ')}; the targets are ${all.join(', ')}`);
  const names = chosen.length > 0 ? chosen : all;
  const seconds = Number(process.env.FUZZ_SECONDS ?? 60) / names.length;
  const seed = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31));
  process.stdout.write(`fuzz: ${names.length} targets, ${seconds.toFixed(1)} s each, FUZZ_SEED=${seed}\n`);
  const folder = mkdtempSync(join(tmpdir(), 'gatectl-fuzz-'));
  try {
    for (const name of names) await fuzz(name, { seconds, seed, isSaving, folder });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fuzz(name, { seconds, seed, isSaving, folder }) {
  const file = await instrumented(name, folder);
  const corpusFile = join(CORPUS, `${name}.json`);
  const corpus = existsSync(corpusFile) ? JSON.parse(readFileSync(corpusFile, 'utf8')) : [];
  // [0]: number of the run, [1]: length of its input, which follows.
  const shared = new SharedArrayBuffer(8 + MAX_INPUT);
  const report = await new Promise((resolve, reject) => {
    const data = { file, seconds, seed, corpus, shared };
    const worker = new Worker(new URL('worker.js', import.meta.url), {
      workerData: data,
      env: { ...process.env, TMPDIR: folder },
    });
    const state = new Int32Array(shared, 0, 2);
    let last = { run: -1, used: process.cpuUsage(), at: performance.now() };
    const watch = setInterval(() => {
      const run = Atomics.load(state, 0);
      const { user, system } = process.cpuUsage(last.used);
      const isHanging = (user + system) / 1000 > HANG_MS || performance.now() - last.at > WAIT_MS;
      if (run !== last.run) last = { run, used: process.cpuUsage(), at: performance.now() };
      else if (run > 0 && isHanging) {
        clearInterval(watch);
        const input = Buffer.from(new Uint8Array(shared, 8, Atomics.load(state, 1)));
        worker.terminate();
        resolve({
          runs: run,
          reached: 0,
          corpus: [],
          findings: [{ input, reason: `no end within ${HANG_MS} ms` }],
        });
      }
    }, LOOK_MS);
    worker.on('message', message => {
      clearInterval(watch);
      resolve(message);
    });
    worker.on('error', error => {
      clearInterval(watch);
      reject(error);
    });
  });
  const { runs, reached, findings } = report;
  process.stdout.write(
    `${name.padEnd(11)} ${Math.round(runs / seconds)} runs/s, ${runs} runs, ${reached} code paths, ${report.corpus.length} inputs, ${findings.length} findings\n`,
  );
  for (const { input, reason } of findings) {
    mkdirSync(FINDINGS, { recursive: true });
    const bytes = Buffer.from(input);
    const path = join(FINDINGS, `${name}-${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}`);
    writeFileSync(path, bytes);
    process.stdout.write(`  ${path}: ${reason}\n`);
    process.exitCode = 1;
  }
  if (isSaving && findings.length === 0)
    writeFileSync(corpusFile, `${JSON.stringify(report.corpus, undefined, 1)}\n`);
}

/** Bundles a target and counts in its code; returns the file. */
async function instrumented(name, folder) {
  const { build } = await import('esbuild');
  const { createInstrumenter } = await import('istanbul-lib-instrument');
  const { outputFiles } = await build({
    entryPoints: [join(TARGETS, `${name}.ts`)],
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
  });
  const file = join(folder, `${name}.cjs`);
  const instrumenter = createInstrumenter({ coverageVariable: COVERAGE, esModules: false, compact: true });
  writeFileSync(file, instrumenter.instrumentSync(outputFiles[0].text, file));
  return file;
}
