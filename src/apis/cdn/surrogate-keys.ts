import { convertedByGitBash, PATH_CONVERSION_HINT, PATH_CONVERTED } from '../../files/git-bash.ts';
import { withoutPasteDamage } from '../../terminal/paste-damage.ts';

/** What is wrong with a surrogate key, or undefined. Keys are sent as one comma-separated text. */
export function keyProblem(key: string): string | undefined {
  if (key === '') return 'is empty';
  if (convertedByGitBash(key)?.typed !== undefined) return `${PATH_CONVERTED}: ${PATH_CONVERSION_HINT}`;
  if (key.includes(',')) return 'contains a comma';
  const pasted = withoutPasteDamage(key);
  if ('problem' in pasted) return pasted.problem;
  if (/[\s\p{Cc}]/u.test(key)) return 'contains a space or a control character';
  if (/^https?:\/\//i.test(key)) return 'is a URL, not a surrogate key';
  if (key.endsWith('*'))
    return 'ends in a wildcard, but keys match exactly: name each key, or purge the whole domain';
  return undefined;
}
