import type { Group } from '../framework/define-command.ts';
import { reportCreate } from './report/create.ts';
import { reportList } from './report/list.ts';
import { reportRun } from './report/run.ts';
import { reportShow } from './report/show.ts';
import { segmentCreate } from './segment/create.ts';
import { filterList, multifilterList, multifilterTypes, segmentList } from './v1-listings.ts';

export const reportGroup: Group = {
  name: 'report',
  summary: 'run and make saved reports',
  commands: [reportList, reportShow, reportRun, reportCreate],
};

export const segmentGroup: Group = {
  name: 'segment',
  summary: 'list and make segments, which split the rows of reports',
  commands: [segmentList, segmentCreate],
};

export const filterGroup: Group = {
  name: 'filter',
  summary: 'what plain filters there are for segments',
  commands: [filterList],
};

export const multifilterGroup: Group = {
  name: 'multifilter',
  summary: 'what multifilters there are for segments, and their options',
  commands: [multifilterList, multifilterTypes],
};
