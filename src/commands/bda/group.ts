import type { Group } from '../framework/define-command.ts';
import { columns } from './columns.ts';
import { dataSets, dateRange, domains } from './listings.ts';
import { migrateQuery } from './migrate-query/migrate-query.ts';
import { query } from './query/query.ts';
import { filterGroup, multifilterGroup, reportGroup, segmentGroup } from './v1-groups.ts';

export const bdaGroup: Group = {
  name: 'bda',
  summary: 'query and export analytics',
  commands: [
    domains,
    columns,
    dataSets,
    dateRange,
    query,
    reportGroup,
    segmentGroup,
    filterGroup,
    multifilterGroup,
    migrateQuery,
  ],
};
