import type { RowQuery } from '../query-engine/ask.ts';
import type { Detail } from '../v2/errors.ts';

/**
 * What the bulk data set refuses: it is written row by row, never grouped and never sorted, so it
 * needs `row_id`, and comes in the order of `row_id` alone.
 */
export function bulkRefusals(rowQuery: RowQuery): Detail[] {
  const details: Detail[] = [];
  if (!rowQuery.dimensions.some(column => column.name === 'row_id')) {
    details.push({ field: 'dimensions', message: "data set 'bulk' needs the dimension 'row_id'" });
  }
  if (rowQuery.domainId !== undefined) {
    details.push({ field: 'domain_id', message: "data set 'bulk' covers all sites" });
  }
  if (rowQuery.platform !== undefined) {
    details.push({ field: 'platform', message: "data set 'bulk' covers all platforms" });
  }
  const { queryParams, fragments, lowerCase } = rowQuery.url;
  if (!queryParams || !fragments || lowerCase) {
    details.push({ field: 'url_options', message: "data set 'bulk' keeps addresses as they are" });
  }
  for (const [index, { column, descending }] of rowQuery.order.entries()) {
    if (descending || !['report_day', 'row_id'].includes(column.name)) {
      details.push({
        field: `sort[${index}]`,
        message: "data set 'bulk' is sorted by row_id ascending, or by report_day and row_id",
      });
      break;
    }
    if (column.name === 'row_id') break;
  }
  return details;
}
