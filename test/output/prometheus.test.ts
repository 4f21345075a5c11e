import { expect, test } from 'vitest';
import { prometheusText } from '../../src/output/prometheus.ts';

test('metrics are in the text format of Prometheus, with escaped labels', () => {
  const samples = [{ labels: { table: 'a"b\\c\nd' }, value: 3 }, { value: 1 }];
  const metrics = [
    { name: 'units', type: 'counter' as const, help: 'Units.', samples },
    { name: 'none', type: 'gauge' as const, help: 'Nothing.', samples: [] },
  ];
  expect(prometheusText(metrics)).toBe(
    '# HELP units Units.\n# TYPE units counter\nunits{table="a\\"b\\\\c\\nd"} 3\nunits 1\n',
  );
});
