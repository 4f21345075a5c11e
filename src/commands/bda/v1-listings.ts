import type { KnownName, NamedKind } from '../../apis/bda/listing-cache.ts';
import { namedReports, namedSegments } from '../../apis/bda-v1/definition.ts';
import { fetchV1Listing } from '../../apis/bda-v1/listings.ts';
import type { V1Listing } from '../../apis/bda-v1/requests.ts';
import type { Json } from '../../json/index.ts';
import type { Context } from '../framework/context.ts';
import { defineCommand } from '../framework/define-command.ts';
import { OPEN } from '../framework/output-schema.ts';
import { cacheListedNames } from './listed-names.ts';
import { bdaV1Site } from './site.ts';

const SHAPE =
  'The shape of the answer is not documented; whatever comes is shown, and -o json passes it through whole.';

/** A listing of the older API, as it came. The names of reports and segments are cached for completion. */
export async function v1Listing(listing: V1Listing, context: Context): Promise<Json> {
  const response = await fetchV1Listing(await context.gateway(), await bdaV1Site(context), listing);
  const cached = CACHED[listing];
  if (cached !== undefined) await cacheListedNames(cached.kind, response, cached.namesIn, context);
  return response.body;
}

const CACHED: Partial<Record<V1Listing, { kind: NamedKind; namesIn: (body: Json) => readonly KnownName[] }>> =
  {
    getreports: { kind: 'report', namesIn: body => namedReports(body).map(({ name }) => ({ name })) },
    getcustomreports: { kind: 'custom-report', namesIn: namedReports },
    getsegments: { kind: 'segment', namesIn: namedSegments },
  };

export const segmentList = defineCommand({
  name: 'list',
  summary: 'list the saved and the premade segments',
  description: `Lists the segments that --segment of gatectl bda report run takes, by number or by name. ${SHAPE}`,
  options: {},
  examples: [{ does: 'the segments and their numbers', command: 'gatectl bda segment list' }],
  answers: OPEN,
  async run(_, context) {
    await context.out.print(await v1Listing('getsegments', context), { empty: 'there are no segments' });
  },
});

export const filterList = defineCommand({
  name: 'list',
  summary: 'list the plain filters',
  description: `Lists the filters that a segment's SegmentFilters are keyed by. ${SHAPE}`,
  options: {},
  examples: [{ does: 'the filters and their numbers', command: 'gatectl bda filter list' }],
  answers: OPEN,
  async run(_, context) {
    await context.out.print(await v1Listing('getfilters', context), { empty: 'there are no filters' });
  },
});

export const multifilterList = defineCommand({
  name: 'list',
  summary: 'list the multifilters',
  description: `Lists the filters on preset groups such as country and device, each with the number of its type. ${SHAPE}`,
  options: {},
  examples: [{ does: 'the multifilters', command: 'gatectl bda multifilter list' }],
  answers: OPEN,
  async run(_, context) {
    await context.out.print(await v1Listing('getmultifilters', context), {
      empty: 'there are no multifilters',
    });
  },
});

export const multifilterTypes = defineCommand({
  name: 'types',
  summary: 'list the option keys of each type of multifilter',
  description: `Lists what a multifilter can be set to; for countries, their two-letter codes. ${SHAPE}`,
  options: {},
  examples: [{ does: 'the option keys', command: 'gatectl bda multifilter types -o json' }],
  answers: OPEN,
  async run(_, context) {
    await context.out.print(await v1Listing('getmultifiltertypes', context), { empty: 'there are no types' });
  },
});
