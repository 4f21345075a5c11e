import { platformWord } from '../../../apis/bda-v1/data-request.ts';
import { invalidValue } from '../../../errors/usage.ts';
import { brandNames } from '../../../wire/brand.ts';
import { inGroup, integer, type Option, oneOf } from '../../framework/define-command.ts';
import { setsField } from './request-flags.ts';

const INCLUDE = ['include', 'exclude'] as const;
const PLATFORMS = ['service', 'original', 'all'] as const;
/** v1's word for the same pages. */
const ORIGINAL_V1 = 'orig';
type Platform = (typeof PLATFORMS)[number];

/** The flags that select a part of the account's traffic, in both APIs. */
export const SCOPE_FLAGS = inGroup('Pages', {
  domainId: setsField(
    integer('--domain-id <n>', 'one site, by its id (see gatectl bda domains)', {
      min: 0,
      completes: 'domain-id',
    }),
    { v1: 'DomainId', v2: 'domain_id' },
  ),
  platform: setsField(platformFlag(), {
    v1: { path: 'Platform', toJson: (word, brand) => platformWord(platformOf(word, brand), brand) },
    v2: { path: 'platform', toJson: v2Platform },
  }),
  queryParams: setsField(
    oneOf('--query-params <word>', 'include or exclude query strings in addresses', INCLUDE),
    { v1: 'UrlParams', v2: 'url_options.query_params' },
  ),
  fragments: setsField(oneOf('--fragments <word>', 'include or exclude fragments in addresses', INCLUDE), {
    v1: 'UrlFragments',
    v2: 'url_options.fragments',
  }),
});

/** Accepts the brand word of the profile in addition to the listed values, so it is checked once settings are read. */
function platformFlag(): Option<string | undefined> {
  const flag = oneOf('--platform <name>', 'pages: service (or the brand word), original, all', PLATFORMS);
  const { choices: _, ...open } = flag;
  return { ...open, read: given => given };
}

function v2Platform(word: string, brand: string): string {
  const platform = platformOf(word, brand);
  return platform === 'service' ? brandNames(brand).platformV2 : platform;
}

/** Throws UsageError for a word that is neither a platform nor `brand`. */
function platformOf(given: string, brand: string): Platform {
  const typed = given.toLowerCase();
  const word = typed === ORIGINAL_V1 ? 'original' : typed;
  const found = word === brand.toLowerCase() ? 'service' : PLATFORMS.find(each => each === word);
  if (found !== undefined) return found;
  const words = [...new Set([brand.toLowerCase(), ...PLATFORMS])];
  throw invalidValue(`invalid --platform '${given}'`, `one of: ${words.join(', ')}`);
}
