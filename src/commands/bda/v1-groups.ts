import type { Group } from '../framework/define-command.ts';
import { reportCreate } from './report/create.ts';
import { reportList } from './report/list.ts';
import { reportRun } from './report/run.ts';
import { reportShow } from './report/show.ts';
import { segmentCreate } from './segment/create.ts';
import { filterList, multifilterList, multifilterTypes, segmentList } from './v1-listings.ts';

export const reportGroup: Group = {
  name: 'report',
  summary: 'run and create saved reports',
  commands: [reportList, reportShow, reportRun, reportCreate],
};

export const segmentGroup: Group = {
  name: 'segment',
  summary: 'list and create segments of report rows',
  commands: [segmentList, segmentCreate],
};

export const filterGroup: Group = {
  name: 'filter',
  summary: 'list plain filters for segments',
  commands: [filterList],
};

export const multifilterGroup: Group = {
  name: 'multifilter',
  summary: 'list multifilters for segments, and their options',
  commands: [multifilterList, multifilterTypes],
};
