import { UsageError } from '../errors/index.ts';
import { isSameFile } from '../files/same-file.ts';

/** A flag, and the file that it names where it was given. */
export type NamedFile = readonly [flag: string, path: string | undefined];

/**
 * Nothing that is read may be overwritten, and nothing written twice. Throws UsageError that names both flags. A `-` among
 * `read` is stdin.
 */
export function refuseSameFile(read: readonly NamedFile[], written: readonly NamedFile[]): void {
  for (const [index, [flag, path]] of written.entries()) {
    if (path === undefined) continue;
    const others = [...read.filter(([, file]) => file !== '-'), ...written.slice(0, index)];
    for (const [otherFlag, other] of others) {
      if (other === undefined || !isSameFile(path, other)) continue;
      throw new UsageError(`${otherFlag} and ${flag} name one file, ${path}`, {
        hints: [`${flag} writes its file anew: give it a name of its own`],
      });
    }
  }
}
