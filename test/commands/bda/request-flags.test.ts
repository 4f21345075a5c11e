import { describe, expect, test } from 'vitest';
import { withDataFields } from '../../../src/apis/bda-v1/data-request.ts';
import { withQueryFields } from '../../../src/apis/bda-v2/query.ts';
import { QUERY_FLAGS } from '../../../src/commands/bda/flags/query-flags.ts';
import { RUN_FLAGS } from '../../../src/commands/bda/flags/report-flags.ts';
import { fieldsFromFlags, setsField } from '../../../src/commands/bda/flags/request-flags.ts';
import { integer, string } from '../../../src/commands/framework/define-command.ts';

const typed = {
  dataSet: 'pageview',
  dimension: ['country', 'report_day,device'],
  metric: ['visits'],
  sort: ['visits:desc', 'country'],
  limit: 7,
  offset: 3,
  domainId: 12,
  platform: 'Acme',
  queryParams: 'exclude',
  fragments: 'include',
  caseNormalization: 'lower',
};

describe('a flag sets the field that its declaration names', () => {
  test('a new flag needs one declaration to reach request and messages', () => {
    const options = { sampling: setsField(integer('--sampling <n>', 'rows', { min: 1 }), { v2: 'x.rate' }) };
    const { fields, origins } = fieldsFromFlags('v2', options, { sampling: 5 }, 'service');
    expect(withQueryFields({ x: { other: 1 } }, fields)).toEqual({ x: { other: 1, rate: 5 } });
    expect([...origins]).toEqual([['x.rate', '--sampling 5']]);
  });

  test('a query has all of them, in the documented order', () => {
    const { fields, origins } = fieldsFromFlags('v2', QUERY_FLAGS, typed, 'acme');
    expect(JSON.stringify(withQueryFields({}, fields))).toBe(
      '{"data_set":"pageview","dimensions":["country","report_day","device"],"metrics":["visits"],"sort":[{"column":"visits","direction":"desc"},{"column":"country","direction":"asc"}],"limit":7,"offset":3,"domain_id":12,"platform":"acme","url_options":{"query_params":"exclude","fragments":"include","case_normalization":"lower"}}',
    );
    expect(origins.get('dimensions.2')).toBe('--dimension device');
    expect(origins.get('sort.0')).toBe('--sort visits:desc');
    expect(origins.get('url_options.query_params')).toBe('--query-params exclude');
  });

  test('a data request of the older API has its own fields and words for the same flags', () => {
    const { fields } = fieldsFromFlags('v1', RUN_FLAGS, { ...typed, groupBy: 'week' }, 'acme');
    expect(withDataFields({}, fields)).toEqual({
      DateGrouping: 'WEEKLY',
      Platform: 'ACME',
      DomainId: 12,
      UrlParams: 'exclude',
      UrlFragments: 'include',
      DimensionColumns: ['country', 'report_day', 'device'].map(Data => ({ Data, Type: 'string' })),
      MetricColumns: [{ Data: 'visits', Type: 'number' }],
    });
  });

  test('a flag without a field sets nothing', () => {
    const { fields } = fieldsFromFlags('v2', { out: string('--out <file>', 'a file') }, { out: 'x' }, 's');
    expect([...fields]).toEqual([]);
  });
});
