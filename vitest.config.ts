import { createHash } from 'node:crypto';
import { accessSync, constants, statfsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { SERVER_FAILURES, sourceTests, TIMEOUTS } from './vitest.source.ts';

/** Tests that replace modules or need fresh ones. All others share a process, so that src/ and libraries are loaded once. */
const ISOLATED = [
  'test/cli/loopback.test.ts',
  'test/export/parquet/column-kernel.test.ts',
  'test/export/power-cut.test.ts',
  'test/export/transcode/no-simd.test.ts',
  'test/files/durable-names.test.ts',
  'test/files/lock.test.ts',
  'test/models/journal.test.ts',
  'test/models/ledger.test.ts',
  'test/models/lock.test.ts',
  'test/sandbox/bda/figures.test.ts',
  'test/sync/lake-faults.test.ts',
];

/** Short files with long tests. Vitest takes files for as long as they are large, so that the last of these ran when no other was left. */
const LONG = [
  'test/faults/faults.test.ts',
  'test/sync/changes.test.ts',
  'test/cli/option-values.test.ts',
  'test/operations/writes/plan.test.ts',
  'test/simulation/simulation.test.ts',
];

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { seed } = this.ctx.config.sequence;
    if (seed !== undefined) return shuffled(files, seed);
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.some(each => moduleId.endsWith(each));
    return [...sorted.filter(isLong), ...sorted.filter(file => !isLong(file))];
  }
}

/** With `--sequence.seed`, any order may be tried. */
function shuffled(files: readonly TestSpecification[], seed: number): TestSpecification[] {
  const placeOf = ({ moduleId }: TestSpecification) =>
    createHash('sha256').update(`${seed} ${moduleId}`).digest('hex');
  return [...files].sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
}

/** A folder in memory, used where it has room: tests create thousands of folders, and exports and purges wait for the disk. */
const MEMORY_FOLDER = '/dev/shm';
if (hasMemoryFolder()) process.env.TMPDIR ??= MEMORY_FOLDER;

export default defineConfig({
  test: {
    maxWorkers: '100%',
    sequence: { sequencer: LongFirst },
    projects: [
      sourceTests(
        {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', 'test/warehouses/**', ...ISOLATED],
          isolate: false,
        },
        {
          native: process.argv.includes('run') && !process.argv.some(word => word.startsWith('--changed')),
          replacements: { 'src/sandbox/bda/facts/open.ts': 'test/support/shared-figures.ts' },
        },
      ),
      sourceTests({ name: 'isolated', include: ISOLATED }),
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          isolate: false,
          setupFiles: [SERVER_FAILURES],
          ...TIMEOUTS,
        },
      },
    ],
  },
});

function hasMemoryFolder(): boolean {
  try {
    accessSync(MEMORY_FOLDER, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    return bavail * bsize >= 2 ** 30;
  } catch {
    return false;
  }
}
