import { type ColumnCatalogue, isRevenue } from '../apis/bda/catalogue.ts';
import { isPresent, scalarText, wholeNumberOf } from '../apis/bda/fields.ts';
import type { JsonRecord } from '../json/index.ts';
import type { Query } from '../wire/bda-v2.ts';
import { brandNames } from '../wire/brand.ts';
import type { V1Side } from './migration.ts';
import type { MigrationNotes } from './migration-notes.ts';

/** The fields that say which traffic is counted: `DomainId`, `Platform`, `UrlParams` and `UrlFragments`. */
export function migrateScope(
  request: JsonRecord,
  brand: string,
  findings: MigrationNotes,
): Pick<Query, 'domain_id' | 'platform' | 'url_options'> {
  const domainId = migrateDomainId(request.DomainId, findings);
  const platform = migratePlatform(request.Platform, brand, findings);
  const params = migrateUrlOption(request, 'UrlParams', 'query_params', findings);
  const fragments = migrateUrlOption(request, 'UrlFragments', 'fragments', findings);
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

function migrateDomainId(value: unknown, findings: MigrationNotes): number | undefined {
  if (!isPresent(value)) return undefined;
  const id = wholeNumberOf(value);
  if (id === undefined || id < 0) {
    findings.leaveOut('DomainId', 'a domain id is a whole number from 0', 'all sites are counted');
    return undefined;
  }
  findings.lossless('DomainId', `site ${id}, as domain_id`);
  return id;
}

function migratePlatform(value: unknown, brand: string, findings: MigrationNotes): string | undefined {
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
    const reason = `the platforms are ${names.platformV1}, Orig and ALL in any case, where ${names.platformV1} is the brand word of the profile`;
    findings.leaveOut('Platform', reason, "v2's own choice of platform applies");
    return undefined;
  }
  findings.lossless('Platform', `${platform}, as platform`);
  return platform;
}

function migrateUrlOption(
  request: JsonRecord,
  field: 'UrlParams' | 'UrlFragments',
  option: string,
  findings: MigrationNotes,
): string | undefined {
  if (!isPresent(request[field])) return undefined;
  const word = scalarText(request[field])?.toLowerCase();
  if (word === 'include' || word === 'exclude') {
    findings.lossless(field, `${word}, as url_options.${option}`);
    return word;
  }
  findings.leaveOut(field, 'the value is include or exclude', "v2's own choice applies");
  return undefined;
}

/**
 * `RevenueDecimalPlaces` has no counterpart. Returns which metrics v1 rounds, and to how many decimals where it was asked, so that
 * answers can be compared.
 */
export function migrateRounding(
  request: JsonRecord,
  metrics: readonly string[],
  columns: ColumnCatalogue | undefined,
  findings: MigrationNotes,
): Pick<V1Side, 'decimals' | 'rounded'> {
  const rounded = metrics.filter(metric => isRevenue(metric, columns));
  const value = request.RevenueDecimalPlaces;
  if (!isPresent(value)) {
    if (rounded.length > 0) {
      const text = `v1 rounds ${rounded.join(', ')} to its own number of decimals; v2 gives full precision`;
      findings.changed('RevenueDecimalPlaces', text);
    }
    return { rounded, decimals: {} };
  }
  findings.lost(
    'RevenueDecimalPlaces',
    'v2 does not round revenue and gives full precision: round afterwards',
  );
  const decimals = wholeNumberOf(value);
  const known = decimals !== undefined && decimals >= 0;
  return { rounded, decimals: Object.fromEntries(known ? rounded.map(metric => [metric, decimals]) : []) };
}
