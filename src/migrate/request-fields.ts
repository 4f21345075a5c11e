import { closeNamesHint } from '../apis/bda/catalogue.ts';
import { isPresent } from '../apis/bda/fields.ts';
import type { Json, JsonRecord } from '../json/index.ts';
import type { MigrationNotes } from './migration-notes.ts';

/** Every documented field of a v1 data request. */
const REQUEST_FIELDS = [
  'StartItem',
  'MaxItems',
  'Platform',
  'DomainId',
  'DateGrouping',
  'SegmentIds',
  'StartDate',
  'EndDate',
  'UrlParams',
  'UrlFragments',
  'RevenueDecimalPlaces',
  'DimensionColumns',
  'MetricColumns',
  'Order',
  'Filters',
];

/**
 * The request's documented fields. Any other field that has a value is refused or lost; a key among them is dropped
 * without its value being looked at.
 */
export function readRequestFields(request: JsonRecord, findings: MigrationNotes): JsonRecord {
  const known: [string, Json | undefined][] = [];
  for (const [name, value] of Object.entries(request)) {
    if (!isPresent(value)) continue;
    if (REQUEST_FIELDS.includes(name)) known.push([name, value]);
    else if (/^developer_?key$/i.test(name))
      findings.lossless(name, 'thrown away: v2 takes the key in a header, never in the request');
    else {
      const reason = `not a documented field of a v1 request${closeNamesHint(REQUEST_FIELDS, name)}`;
      findings.leaveOut(name, reason, 'whatever it did is gone');
    }
  }
  return Object.fromEntries(known);
}
