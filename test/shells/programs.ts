import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';

const PATH = (process.env.PATH ?? '').split(delimiter);
/** Programs that must be here: CI names those that it installed. */
const REQUIRED = (process.env.GATECTL_CHECK_PROGRAMS ?? '').split(' ');

export function isInstalled(program: string): boolean {
  return PATH.some(folder => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Tests that need some programs. Without one of them they are skipped by name, or fail where it must be there. */
export function describeWith(programs: readonly string[], what: string, tests: () => void): void {
  const missing = programs.filter(program => !isInstalled(program));
  if (missing.length === 0) {
    describe(what, tests);
    return;
  }
  const title = `${what}: NOT TRIED, ${missing.join(' and ')} is not installed here`;
  if (missing.some(program => REQUIRED.includes(program))) test(title, () => expect(missing).toEqual([]));
  else test.skip(title);
}
