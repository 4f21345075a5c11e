import { UsageError } from '../../errors/index.ts';

/** The domain of keys, or of a purge of everything. Throws UsageError unless it is bare, with the bare domain where there is one. */
export async function checkedBareDomain(domain: string): Promise<string> {
  const { domainProblem } = await import('../../apis/cdn/names.ts');
  const found = domainProblem(domain);
  if (found === undefined) return domain;
  throw new UsageError(`the domain ${domain} ${found.problem}`, {
    code: 'invalid_value',
    reason: { name: 'domain_not_bare', bare: found.bare },
  });
}
