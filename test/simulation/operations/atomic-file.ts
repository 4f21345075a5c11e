import type { Operation } from '../history.ts';

const FILE = '/data/file';
const VERSIONS = 6;
const MOST_TASKS = 12;

/** A file that is replaced again and again by processes that may be ended. */
export const atomicFile: Operation = {
  name: 'atomic-file',
  steps: 60,
  async run(stage) {
    const { world, disk, machine } = stage;
    const versions = Array.from({ length: VERSIONS }, (_, index) =>
      `${index} `.repeat(1 + world.below(4000)),
    );
    let [begun, written] = [-1, -1];
    let boots = machine.boots;
    const check = (when: string) => {
      const text = disk.text(FILE);
      const at = text === undefined ? -1 : versions.indexOf(text);
      stage.must(text === undefined || at >= 0, `the file is no version of it ${when}`);
      stage.must(
        at >= written && at <= begun,
        `the file is version ${at} ${when}, after ${written} was written`,
      );
      // What a process that was ended has written, a power cut may take back.
      if (machine.boots > boots) written = at;
      boots = machine.boots;
    };
    for (let count = 0; written < VERSIONS - 1; count += 1) {
      stage.must(count < MOST_TASKS, 'the file is never written');
      const { process } = stage.task(async ({ writeAtomic }) => {
        for (let version = written + 1; version < VERSIONS; version += 1) {
          begun = version;
          await writeAtomic(FILE, versions[version] as string);
          written = version;
        }
      });
      await stage.until(() => process.isDead);
      check('after a process');
    }
    machine.cutPower();
    check('after a power cut');
  },
};
