// Puts one fault at a time into the parts that must not fail (classifier, journal, transcoder, redactor and what they stand on) and runs
// the tests that are about them: at least nine in ten must be noticed. Changes files and puts them back; nothing else may work on the
// tree meanwhile. Words as arguments choose the faults whose name holds one of them.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { KERNEL_MODULE, kernelModule } from './kernel.js';
import { MUTANTS, whyNot } from './mutants.js';

/** Against faults that never end. */
const LONGEST_RUN_MS = 10 * 60_000;

const run = promisify(execFile);

/** What the tests say when they fail; undefined when they pass. */
async function failureOf(tests) {
  try {
    await run('npx', ['vitest', 'run', '--project', 'unit', '--bail', '1', '--reporter=dot', ...tests], {
      maxBuffer: 1e9,
      timeout: LONGEST_RUN_MS,
    });
    return undefined;
  } catch (error) {
    const said = String(error.stdout) + error.stderr;
    if (/No test files found/.test(said)) throw error;
    return said;
  }
}

/** Whether the tests fail with the fault in place. */
async function isNoticed([, file, from, to, tests]) {
  const isOfKernel = file.startsWith('kernel/');
  const text = readFileSync(file, 'utf8');
  const code = readFileSync(KERNEL_MODULE, 'utf8');
  const restore = () => {
    writeFileSync(file, text);
    if (isOfKernel) writeFileSync(KERNEL_MODULE, code);
  };
  const stop = () => {
    restore();
    process.exit(130);
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    writeFileSync(
      file,
      text.replace(from, () => to),
    );
    // Only then it is the fault that tests run, and not one that a stale file gives away.
    if (isOfKernel) writeFileSync(KERNEL_MODULE, await kernelModule());
    return (await failureOf(tests)) !== undefined;
  } finally {
    restore();
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

const words = process.argv.slice(2);
const chosen = MUTANTS.filter(([name]) => words.length === 0 || words.some(word => name.includes(word)));
if (chosen.length === 0) throw new Error(`no fault is called so: ${words.join(' ')}`);
const outdated = MUTANTS.filter(whyNot).map(mutant => `${mutant[0]}: ${whyNot(mutant)}`);
if (outdated.length > 0) throw new Error(`mend scripts/mutants.js:\n${outdated.join('\n')}`);
// A test that fails anyway would notice everything.
const before = await failureOf([...new Set(chosen.flatMap(([, , , , tests]) => tests))]);
if (before !== undefined) throw new Error(`the tests fail without any fault:\n${before}`);

const missed = [];
for (const mutant of chosen) {
  const noticed = await isNoticed(mutant);
  if (!noticed) missed.push(mutant[0]);
  process.stdout.write(`${noticed ? 'noticed' : 'MISSED '}  ${mutant[0]}\n`);
}
process.stdout.write(`${chosen.length - missed.length} of ${chosen.length} faults were noticed\n`);
process.exitCode = missed.length * 10 > chosen.length ? 1 : 0;
