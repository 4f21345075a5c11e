import {
  type FilterExpression,
  FilterSyntax,
  parseFilter,
  printFilter,
} from '../../../src/apis/bda/filter-expression.ts';
import { expecting, type FuzzTarget, fail } from './target.ts';

/** Any text is a filter or is rejected with FilterSyntax; a filter that is printed reads as the same filter. */
export const target: FuzzTarget = {
  dictionary: [
    'visits',
    '>=',
    '<=',
    '!=',
    '>',
    '<',
    '=',
    ':',
    'in',
    '~',
    'starts_with',
    '"',
    "'",
    '\\',
    ',',
    '10',
    '-1.5e3',
    'null',
  ],
  run(input) {
    let filter: FilterExpression | undefined;
    expecting([FilterSyntax], () => {
      filter = parseFilter(Buffer.from(input).toString());
    });
    if (filter === undefined) return;
    const again = parseFilter(printFilter(filter));
    if (JSON.stringify(again) !== JSON.stringify(filter))
      fail(`${printFilter(filter)} reads as another filter`);
  },
};
