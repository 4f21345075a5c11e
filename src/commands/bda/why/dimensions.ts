import { grainOfName } from '../../../analysis/periods.ts';
import { readColumnCatalogue } from '../../../apis/bda/catalogue.ts';
import { valueKindOfType } from '../../../apis/bda/value-kind.ts';
import { UsageError } from '../../../errors/index.ts';
import type { Json } from '../../../json/index.ts';
import type { Context } from '../../framework/context.ts';
import { listingOf } from '../listings.ts';
import { splitNames } from '../request-flags.ts';

/** Columns with many values explain little, and cost much: they are examined only if they are named. */
const DETAILED = /(?:^|_)(?:url|title|id|path|address)$/i;
/** Likely dimensions of a publisher, best first. */
const USUAL = ['country', 'device', 'traffic_source', 'site', 'platform', 'author', 'gender'];

/** The dimensions to examine: those of the flag, or else those that the API lists for the data set. Throws UsageError. */
export async function dimensionsFor(
  named: readonly string[],
  dataSet: Json | undefined,
  context: Context,
): Promise<readonly string[]> {
  const typed = splitNames('--dimension', named);
  if (typed !== undefined && typed.length > 0) {
    const time = typed.find(name => grainOfName(name) !== undefined);
    if (time === undefined) return [...new Set(typed)];
    throw new UsageError(`${time} cannot explain a change, because each period has other values of it`, {
      code: 'invalid_value',
      hints: ['name dimensions such as country or device'],
    });
  }
  if (context.globals.curl) context.log.note('name dimensions, such as -d country, to print the query');
  const { body } = await listingOf('columns', 'v2', context);
  const dimensions = listed(body, dataSet);
  if (dimensions.length > 0) return dimensions;
  throw new UsageError('the listing of columns contains no readable dimensions', {
    code: 'missing_argument',
    hints: ['name them: -d country,device'],
  });
}

function listed(body: Json, dataSet: Json | undefined): readonly string[] {
  const columns = [...(readColumnCatalogue(body)?.values() ?? [])].filter(
    ({ name, type = 'string', role, dataSets }) =>
      role !== 'metric' &&
      valueKindOfType(type) !== 'number' &&
      !/^(?:date|time)/i.test(type) &&
      grainOfName(name) === undefined &&
      !DETAILED.test(name) &&
      (dataSets === undefined || typeof dataSet !== 'string' || dataSets.includes(dataSet)),
  );
  const place = (name: string) => (USUAL.includes(name) ? USUAL.indexOf(name) : USUAL.length);
  return columns.map(({ name }) => name).sort((a, b) => place(a) - place(b));
}
