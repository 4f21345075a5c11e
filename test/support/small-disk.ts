import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './folder.ts';

/** A file system of so many kilobytes of its own, removed after the test; calls `skip` with the reason where none can be mounted. */
export function smallDisk(kilobytes: number, skip: (reason: string) => never, options = ''): string {
  const folder = temporaryFolder();
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k${options}`, 'tmpfs', disk], {
      stdio: 'pipe',
    });
  } catch {
    skip('a file system can only be mounted here by root on Linux');
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', disk]);
  });
  return disk;
}

/** Fills a file system up. */
export function fillUp(disk: string): void {
  let size = 65_536;
  for (let i = 0; size > 0; i += 1) {
    try {
      writeFileSync(join(disk, `fill-${i}`), 'x'.repeat(size));
    } catch {
      size = Math.floor(size / 2);
    }
  }
}
