import { domainProblem } from '../../../apis/cdn/names.ts';
import { UsageError } from '../../../errors/index.ts';
import type { Context } from '../../framework/context.ts';

/** The domain to purge, without a subdomain. Throws UsageError with what to type instead. */
export async function bareDomain(flag: string | undefined, context: Context): Promise<string> {
  const domain = await context.domain(flag);
  const found = domainProblem(domain);
  if (found === undefined) return domain;
  const { problem, bare } = found;
  const hint = bare === undefined ? 'type a bare domain, such as example.com' : `type --domain ${bare}`;
  throw new UsageError(`the domain ${domain} ${problem}`, { code: 'invalid_value', hints: [hint] });
}
