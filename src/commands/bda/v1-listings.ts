import { v1Listing } from '../../operations/listings/v1-listing.ts';
import { defineCommand, type Leaf } from '../framework/define-command.ts';
import { OPEN } from '../framework/output-schema.ts';
import { COLUMNS_FLAG } from '../framework/shared-flags.ts';

export const segmentList = listing('getsegments', {
  name: 'list',
  summary: 'list custom and premade segments',
  description: 'Lists the segments for --segment of gatectl bda report run.',
  examples: { 'gatectl bda segment list': 'list the segments and their ids' },
  empty: 'no segments',
});

export const filterList = listing('getfilters', {
  name: 'list',
  summary: 'list the plain filters',
  description: 'Lists the plain filters, whose ids are the keys of SegmentFilters in a segment.',
  examples: { 'gatectl bda filter list': 'list the filters and their ids' },
  empty: 'no filters',
});

export const multifilterList = listing('getmultifilters', {
  name: 'list',
  summary: 'list the multifilters',
  description: 'Lists the filters on preset groups such as country and device, each with the id of its type.',
  examples: { 'gatectl bda multifilter list': 'list the multifilters' },
  empty: 'no multifilters',
});

export const multifilterTypes = listing('getmultifiltertypes', {
  name: 'types',
  summary: 'list the option keys of each type of multifilter',
  description: 'Lists the option keys of multifilters, such as two-letter codes for countries.',
  examples: { 'gatectl bda multifilter types -o json': 'list the option keys' },
  empty: 'no types',
});

interface Listing {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly examples: Readonly<Record<string, string>>;
  readonly empty: string;
}

/** A command that prints what a call of v1 lists. */
function listing(call: Parameters<typeof v1Listing>[0], { description, empty, ...declared }: Listing): Leaf {
  return defineCommand({
    ...declared,
    effect: 'read',
    description: `${description} The shape of the response is not documented; -o json prints it unchanged.`,
    options: COLUMNS_FLAG,
    output: OPEN,
    async run({ columns }, context) {
      await context.out.print(await v1Listing(call, context), { chosen: columns, empty });
    },
  });
}
