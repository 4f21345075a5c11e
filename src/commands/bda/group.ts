import type { Group } from '../framework/define-command.ts';
import { columns } from './columns.ts';
import { dataSets, dateRange, domains } from './listings.ts';
import { migrateQuery } from './migrate-query/migrate-query.ts';
import { query } from './query/query.ts';
import { queryDelete, queryList, queryRun, querySave, queryShow } from './query/saved.ts';
import { reportBuild } from './report/build/build.ts';
import { reportCreate } from './report/create.ts';
import { reportInit } from './report/init.ts';
import { reportList } from './report/list.ts';
import { reportRun } from './report/run.ts';
import { reportShow } from './report/show.ts';
import { segmentCreate } from './segment/create.ts';
import { sql } from './sql/sql.ts';
import { syncGroup } from './sync/group.ts';
import { top } from './top.ts';
import { filterList, multifilterList, multifilterTypes, segmentList } from './v1-listings.ts';
import { watch } from './watch/watch.ts';
import { why } from './why/why.ts';

const reportGroup: Group = {
  name: 'report',
  summary: 'run and create saved reports, and build documents',
  commands: [reportList, reportShow, reportRun, reportCreate, reportBuild, reportInit],
};

const segmentGroup: Group = {
  name: 'segment',
  summary: 'list and create segments of report rows',
  commands: [segmentList, segmentCreate],
};

const filterGroup: Group = {
  name: 'filter',
  summary: 'list plain filters for segments',
  commands: [filterList],
};

const multifilterGroup: Group = {
  name: 'multifilter',
  summary: 'list multifilters for segments, and their options',
  commands: [multifilterList, multifilterTypes],
};

export const bdaGroup: Group = {
  name: 'bda',
  summary: 'query and export analytics',
  commands: [
    domains,
    columns,
    dataSets,
    dateRange,
    { ...query, commands: [querySave, queryRun, queryList, queryShow, queryDelete] },
    top,
    why,
    watch,
    reportGroup,
    segmentGroup,
    filterGroup,
    multifilterGroup,
    syncGroup,
    sql,
    migrateQuery,
  ],
};
