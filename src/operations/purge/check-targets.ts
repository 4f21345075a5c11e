import { cleanUrl } from '../../apis/cdn/clean-url.ts';
import { keyProblem } from '../../apis/cdn/surrogate-keys.ts';
import { type FieldProblem, UsageError } from '../../errors/index.ts';

/** Problems that an error lists at most. */
const MAX_PROBLEMS = 20;

/**
 * Distinct URLs in the form in which they are sent. `domain`, if set, is the only one that they may be on. Throws UsageError that lists
 * the invalid ones.
 */
export async function checkedUrls(
  urls: Iterable<unknown> | AsyncIterable<unknown>,
  domain?: string,
): Promise<readonly string[]> {
  const distinct = new Set<string>();
  const problems: FieldProblem[] = [];
  let index = 0;
  for await (const url of urls) {
    const clean = typeof url === 'string' ? cleanUrl(url, domain) : NOT_A_STRING;
    if ('url' in clean) distinct.add(clean.url);
    else problems.push({ field: `urls[${index}]`, message: clean.problem });
    index += 1;
  }
  throwProblems('URL', problems);
  return [...distinct];
}

/** Distinct surrogate keys. Throws UsageError that lists the invalid ones. */
export async function checkedKeys(keys: Iterable<unknown>): Promise<readonly string[]> {
  const distinct = [...new Set(keys)];
  throwProblems(
    'surrogate key',
    distinct.flatMap((key, index) => {
      const problem = typeof key === 'string' ? keyProblem(key) : NOT_A_STRING.problem;
      return problem === undefined ? [] : [{ field: `keys[${index}]`, message: problem }];
    }),
  );
  return distinct as string[];
}

const NOT_A_STRING = { problem: 'is not a string' };

function throwProblems(kind: string, problems: readonly FieldProblem[]): void {
  const [first] = problems;
  if (first === undefined) return;
  const more = problems.length > 1 ? `, and ${problems.length - 1} more` : '';
  throw new UsageError(`invalid ${kind}: ${first.field} ${first.message}${more}`, {
    code: 'invalid_value',
    details: problems.slice(0, MAX_PROBLEMS),
  });
}
