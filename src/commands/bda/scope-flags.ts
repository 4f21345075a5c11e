import { UsageError } from '../../errors/index.ts';
import { integer, type Option, oneOf } from '../framework/define-command.ts';

const INCLUDE = ['include', 'exclude'] as const;
const PLATFORMS = ['service', 'original', 'all'] as const;

/** The flags that say which part of an account's traffic counts, alike in both APIs. */
export const SCOPE_FLAGS = {
  domainId: integer('--domain-id <n>', 'one site only; gatectl bda domains lists the numbers', {
    min: 0,
    completes: 'domain-id',
  }),
  platform: platformFlag(),
  queryParams: oneOf('--query-params <word>', 'keep query parameters in page addresses', INCLUDE),
  fragments: oneOf('--fragments <word>', 'keep fragments in page addresses', INCLUDE),
};

export interface ScopeFlags {
  readonly domainId: number | undefined;
  /** As typed: see `platformOf`. */
  readonly platform: string | undefined;
  readonly queryParams: (typeof INCLUDE)[number] | undefined;
  readonly fragments: (typeof INCLUDE)[number] | undefined;
}

/** The words, or in place of `service` the brand word of the profile, which is known once settings are read. */
function platformFlag(): Option<string | undefined> {
  const flag = oneOf(
    '--platform <name>',
    'which version of the pages: service (or the brand word), original or all',
    PLATFORMS,
  );
  const { choices: _, ...open } = flag;
  return { ...open, read: given => given };
}

/** The platform that a flag names. Throws UsageError for neither one of the words nor `brand`. */
export function platformOf(given: string | undefined, brand: string): (typeof PLATFORMS)[number] | undefined {
  if (given === undefined) return undefined;
  const word = given.toLowerCase();
  const found = word === brand.toLowerCase() ? 'service' : PLATFORMS.find(each => each === word);
  if (found !== undefined) return found;
  const words = [...new Set([brand.toLowerCase(), ...PLATFORMS])];
  throw new UsageError(`--platform can't be '${given}'`, { hints: [`one of: ${words.join(', ')}`] });
}
