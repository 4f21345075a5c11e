import { type ColumnCatalogue, isRevenue } from '../apis/bda/catalogue.ts';
import { isPresent, scalarText, wholeNumberOf } from '../apis/bda/fields.ts';
import type { JsonRecord } from '../json/index.ts';
import { mustBe, platformRule } from '../wire/bda-v1-rules.ts';
import type { Query } from '../wire/bda-v2.ts';
import { brandNames } from '../wire/brand.ts';
import type { MigrationInput, V1Side } from './migration.ts';
import type { MigrationNotes } from './migration-notes.ts';

/** Maps the fields that select traffic: `DomainId`, `Platform`, `UrlParams` and `UrlFragments`. */
export function migrateScope(
  request: JsonRecord,
  { brand, definitions }: Pick<MigrationInput, 'brand' | 'definitions'>,
  notes: MigrationNotes,
): Pick<Query, 'domain_id' | 'platform' | 'url_options'> {
  const domainId = migrateDomainId(request.DomainId, definitions.siteIds, notes);
  const platform = migratePlatform(request.Platform, brand, notes);
  const params = migrateUrlOption(request, 'UrlParams', 'query_params', notes);
  const fragments = migrateUrlOption(request, 'UrlFragments', 'fragments', notes);
  const urlOptions = {
    ...(params !== undefined && { query_params: params }),
    ...(fragments !== undefined && { fragments }),
  };
  return {
    ...(domainId !== undefined && { domain_id: domainId }),
    ...(platform !== undefined && { platform }),
    ...(Object.keys(urlOptions).length > 0 && { url_options: urlOptions }),
  };
}

function migrateDomainId(
  value: unknown,
  siteIds: readonly number[] | undefined,
  notes: MigrationNotes,
): number | undefined {
  if (!isPresent(value)) return undefined;
  const id = wholeNumberOf(value);
  if (id === undefined || id < 1) {
    notes.unsupported('DomainId', 'a domain id is an integer from 1', 'the query covers all sites');
    return undefined;
  }
  if (siteIds !== undefined && !siteIds.includes(id))
    notes.block('DomainId', `the account has no site ${id}`);
  notes.lossless('DomainId', `site ${id}, as domain_id`);
  return id;
}

function migratePlatform(value: unknown, brand: string, notes: MigrationNotes): string | undefined {
  if (!isPresent(value)) return undefined;
  const names = brandNames(brand);
  const word = scalarText(value)?.toLowerCase();
  const platforms = new Map([
    [names.platformV2, names.platformV2],
    ['orig', 'original'],
    ['original', 'original'],
    ['all', 'all'],
  ]);
  const platform = word === undefined ? undefined : platforms.get(word);
  if (platform === undefined) {
    const reason = `${mustBe(platformRule(names))}, where ${names.platformV1} is the brand word of the profile`;
    notes.unsupported('Platform', reason, 'the default platform of v2 applies');
    return undefined;
  }
  notes.lossless('Platform', `${platform}, as platform`);
  return platform;
}

function migrateUrlOption(
  request: JsonRecord,
  field: 'UrlParams' | 'UrlFragments',
  option: string,
  notes: MigrationNotes,
): string | undefined {
  if (!isPresent(request[field])) return undefined;
  const word = scalarText(request[field])?.toLowerCase();
  if (word === 'include' || word === 'exclude') {
    notes.lossless(field, `${word}, as url_options.${option}`);
    return word;
  }
  notes.unsupported(field, 'valid values are include and exclude', 'the default of v2 applies');
  return undefined;
}

/**
 * `RevenueDecimalPlaces` has no equivalent in v2. Returns which metrics v1 rounds, and to how many decimals where the request
 * sets a number, so that rows of both versions can be compared.
 */
export function migrateRounding(
  request: JsonRecord,
  metrics: readonly string[],
  columns: ColumnCatalogue | undefined,
  notes: MigrationNotes,
): Pick<V1Side, 'decimals' | 'rounded'> {
  const rounded = metrics.filter(metric => isRevenue(metric, columns));
  const value = request.RevenueDecimalPlaces;
  if (!isPresent(value)) {
    if (rounded.length > 0) {
      const text = `v1 rounds ${rounded.join(', ')} to its own number of decimals; v2 returns full precision`;
      notes.changed('RevenueDecimalPlaces', text);
    }
    return { rounded, decimals: {} };
  }
  notes.lost('RevenueDecimalPlaces', 'v2 returns full precision and cannot round revenue: round the output');
  const decimals = wholeNumberOf(value);
  const known = decimals !== undefined && decimals >= 0;
  return { rounded, decimals: Object.fromEntries(known ? rounded.map(metric => [metric, decimals]) : []) };
}
