import { dirname } from 'node:path';
import { readDocument } from '../../documents/document.ts';
import { FileError } from '../../errors/index.ts';
import { lstat, realpath } from '../../files/disk.ts';
import { fileError } from '../../files/file-error.ts';
import { isNamed } from '../../files/if-there.ts';
import { readText } from '../../files/text-source.ts';
import { denialsByCircumstances } from './policy-circumstances.ts';
import { POLICY_FORM } from './policy-form.ts';
import { denialsByTargets, RuleTargets } from './policy-targets.ts';
import type { Denial, Policy, WeighedWrite } from './weighed-write.ts';

/**
 * Reads a policy. Throws FileError for one that other users can change, `unsafe_file`, and for one that is not valid; undefined where there
 * is none at the path of the administrator.
 */
export async function readPolicy(
  path: string,
  { uid, isSystem }: { readonly uid: number | undefined; readonly isSystem: boolean },
): Promise<Policy | undefined> {
  if (isSystem && !(await isNamed(path))) return undefined;
  if (uid !== undefined)
    await assertProtected(path, isSystem ? [0] : [0, uid]).catch(error => {
      throw error instanceof FileError ? error : fileError(path, error, 'read');
    });
  const text = await readText(path);
  const error = (message: string) => new FileError(message, { path, code: 'invalid_file' });
  return { ...readDocument(POLICY_FORM, text, { file: path, error }).value, path };
}

/** Throws FileError where somebody else could replace a file, or change it, and the errors of the system. */
async function assertProtected(path: string, owners: readonly number[]): Promise<void> {
  const real = await realpath(path);
  if (!(await lstat(real)).isFile())
    throw new FileError(`the policy ${path} is not a file`, { path, code: 'unsafe_file' });
  for (const each of [path, real, dirname(path), dirname(real)]) {
    const { uid, mode } = await lstat(each);
    const isLink = (mode & 0o170000) === 0o120000;
    // In a folder such as /tmp, nobody replaces the files of others.
    const isSticky = (mode & 0o1000) !== 0;
    if (owners.includes(uid) && (isLink || isSticky || (mode & 0o022) === 0)) continue;
    throw new FileError(`the policy ${path} is not used: other users can change ${each}`, {
      path,
      code: 'unsafe_file',
    });
  }
}

/** Why the policies refuse a write; none where all allow it. Throws what `sentBefore` and `impact` throw. */
export async function denialsOf(
  policies: readonly Policy[],
  write: WeighedWrite,
): Promise<readonly Denial[]> {
  const denials: Denial[] = [];
  for (const policy of policies) {
    const matched = new RuleTargets(policy, write.facts);
    for await (const parts of write.targets()) for (const part of parts) matched.add(part);
    matched.end();
    denials.push(...denialsByTargets(matched), ...(await denialsByCircumstances(matched, write)));
  }
  return denials;
}
