import { v1Listing } from '../../operations/listings/v1-listing.ts';
import { defineCommand } from '../framework/define-command.ts';
import { OPEN } from '../framework/output-schema.ts';
import { COLUMNS_FLAG } from '../framework/shared-flags.ts';

const SHAPE = 'The shape of the response is not documented; -o json prints it unchanged.';

export const segmentList = defineCommand({
  name: 'list',
  effect: 'read',
  summary: 'list custom and premade segments',
  description: `Lists the segments for --segment of gatectl bda report run. ${SHAPE}`,
  options: COLUMNS_FLAG,
  examples: { 'gatectl bda segment list': 'list the segments and their ids' },
  output: OPEN,
  async run({ columns }, context) {
    await context.out.print(await v1Listing('getsegments', context), {
      chosen: columns,
      empty: 'no segments',
    });
  },
});

export const filterList = defineCommand({
  name: 'list',
  effect: 'read',
  summary: 'list the plain filters',
  description: `Lists the plain filters, whose ids are the keys of SegmentFilters in a segment. ${SHAPE}`,
  options: COLUMNS_FLAG,
  examples: { 'gatectl bda filter list': 'list the filters and their ids' },
  output: OPEN,
  async run({ columns }, context) {
    await context.out.print(await v1Listing('getfilters', context), { chosen: columns, empty: 'no filters' });
  },
});

export const multifilterList = defineCommand({
  name: 'list',
  effect: 'read',
  summary: 'list the multifilters',
  description: `Lists the filters on preset groups such as country and device, each with the id of its type. ${SHAPE}`,
  options: COLUMNS_FLAG,
  examples: { 'gatectl bda multifilter list': 'list the multifilters' },
  output: OPEN,
  async run({ columns }, context) {
    await context.out.print(await v1Listing('getmultifilters', context), {
      chosen: columns,
      empty: 'no multifilters',
    });
  },
});

export const multifilterTypes = defineCommand({
  name: 'types',
  effect: 'read',
  summary: 'list the option keys of each type of multifilter',
  description: `Lists the option keys of multifilters, such as two-letter codes for countries. ${SHAPE}`,
  options: COLUMNS_FLAG,
  examples: { 'gatectl bda multifilter types -o json': 'list the option keys' },
  output: OPEN,
  async run({ columns }, context) {
    await context.out.print(await v1Listing('getmultifiltertypes', context), {
      chosen: columns,
      empty: 'no types',
    });
  },
});
