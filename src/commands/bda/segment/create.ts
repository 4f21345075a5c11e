import { isFilledStructure } from '../../../apis/bda/fields.ts';
import { namedSegments } from '../../../apis/bda-v1/definition.ts';
import { createSegmentRequest } from '../../../apis/bda-v1/requests.ts';
import { type OptionChoice, SegmentProblem, segmentOf } from '../../../apis/bda-v1/segment-recipe.ts';
import { SEGMENT } from '../../../documents/bda-v1.ts';
import { invalidUsage, invalidValue, missingArgument } from '../../../errors/usage.ts';
import type { JsonRecord } from '../../../json/index.ts';
import { bdaV1Site } from '../../../operations/listings/analytics.ts';
import { v1Listing } from '../../../operations/listings/v1-listing.ts';
import type { Context } from '../../framework/context.ts';
import { defineCommand, list, optional, string, type ValuesOf } from '../../framework/define-command.ts';
import { inputName } from '../../framework/json-input.ts';
import { OPEN } from '../../framework/output-schema.ts';
import { PLAN_FLAGS, planInstead } from '../../framework/plan-flags.ts';
import { createOnce } from '../create-once.ts';
import { readFilterFlags } from '../flags/filter-flags.ts';
import { throwProblems } from '../flags/origins.ts';
import { splitNames } from '../flags/request-flags.ts';
import { ALLOW_UNKNOWN, requestFrom } from '../flags/request-input.ts';

/** The commands that list the parts of a segment. */
const LISTING_COMMANDS = {
  multifilters: 'multifilter list',
  types: 'multifilter types',
  filters: 'filter list',
};

/** Multifilters with their own flags. */
const GROUPS = ['country', 'device', 'gender', 'site'] as const;

const SEGMENT_FLAGS = {
  name: string('--name <name>', 'name of the segment'),
  country: list('--country <keys>', 'two-letter codes or names, comma-separated or repeated'),
  device: list('--device <keys>', 'kinds of devices, such as mobile,tablet'),
  gender: list('--gender <keys>', 'genders'),
  site: list('--site <keys>', 'sites of the account'),
  multifilter: list('--multifilter <name=keys>', 'any other multifilter: its name and its option keys'),
  filter: list('--filter <expression>', "a plain filter, such as 'pageviews>=100'", {
    completes: 'filter',
  }),
  allowUnknown: ALLOW_UNKNOWN,
  ...PLAN_FLAGS,
};

type SegmentFlags = ValuesOf<typeof SEGMENT_FLAGS> & { readonly file: string | undefined };

export const segmentCreate = defineCommand({
  name: 'create',
  effect: 'irreversible',
  summary: 'create a segment, from flags or JSON',
  description: `Creates a segment and prints it with its id. Flags accept the names of filters and options, which gatectl resolves to ids and keys. All filters of a segment must match; a filter matches any of its values.

The request is never repeated: if its result is unknown, gatectl checks whether the segment exists.`,
  arguments: {
    file: optional('file', 'segment as JSON (- for stdin), instead of flags'),
  },
  options: SEGMENT_FLAGS,
  examples: {
    "gatectl bda segment create --name 'Mobile North America' --country US,CA --device mobile":
      'create a segment of mobile readers in two countries',
    "gatectl bda segment create --name 'Well read' --multifilter gender=female --filter 'pageviews>=100'":
      'use another multifilter and a plain filter',
    'gatectl bda segment create segment.json': 'create a segment from JSON',
  },
  output: OPEN,
  async run(flags, context) {
    await planInstead(flags, context);
    const segment =
      flags.file === undefined ? await segmentFrom(flags, context) : await fromFile(flags, context);
    const created = await createOnce(
      {
        kind: 'segment',
        name: String(segment.SegmentName),
        request: createSegmentRequest(await bdaV1Site(context), segment),
        list: () => v1Listing('getsegments', context),
        read: namedSegments,
      },
      context,
    );
    await context.out.print(created);
  },
});

async function fromFile(flags: SegmentFlags, context: Context): Promise<JsonRecord> {
  const { file = '-', name } = flags;
  if (name !== undefined || choicesOf(flags).length + flags.filter.length > 0)
    throw invalidUsage(
      'a file and the flags of a segment cannot be combined',
      'put everything into the JSON, or omit the file',
    );
  const rules = { declaration: SEGMENT, allowUnknown: flags.allowUnknown };
  const segment = await requestFrom(file, context, 'segment', rules);
  const isNamed = typeof segment.SegmentName === 'string' && segment.SegmentName.trim() !== '';
  const problems = isNamed ? [] : [{ field: 'SegmentName', message: 'must be a name' }];
  throwProblems(problems, new Map(), inputName(file), 'segment');
  if (![segment.SegmentFilters, segment.SegmentMultiFilters].some(isFilledStructure))
    context.log.note('the segment has no filters, so it covers all users');
  return segment;
}

async function segmentFrom(flags: SegmentFlags, context: Context): Promise<JsonRecord> {
  const { name } = flags;
  const hints = ['example: gatectl bda segment create --name Europe --country DE,FR'];
  if (name === undefined || name.trim() === '') throw missingArgument('a segment requires --name', ...hints);
  const choices = choicesOf(flags);
  const { filters } = readFilterFlags({ filter: flags.filter, anyOf: [], filterJson: [] }, context.log);
  const several = filters.find(({ operator, values }) => operator === 'in' || values.length > 1);
  if (several !== undefined)
    throw invalidUsage(
      `--filter ${several.column}: a plain filter compares with one value, by a named operator`,
      `example: '${several.column}:equals:VALUE', or pass a multifilter: --multifilter NAME=KEYS`,
    );
  if (choices.length + filters.length === 0) throw missingArgument('a segment requires a filter', ...hints);
  if (context.globals.curl)
    throw invalidUsage(
      'with --curl, names cannot be resolved to ids',
      'pass the segment as JSON: gatectl bda segment create FILE --curl',
    );
  const listings = {
    multifilters: choices.length > 0 ? await v1Listing('getmultifilters', context) : [],
    types: choices.length > 0 ? await v1Listing('getmultifiltertypes', context) : [],
    filters: filters.length > 0 ? await v1Listing('getfilters', context) : [],
  };
  try {
    return segmentOf(name, choices, filters, listings);
  } catch (error) {
    if (!(error instanceof SegmentProblem)) throw error;
    const { instead, listing } = error;
    const shown =
      listing === undefined ? instead : `${instead}; see gatectl bda ${LISTING_COMMANDS[listing]}`;
    throw invalidValue(error.message, shown);
  }
}

function choicesOf(flags: SegmentFlags): OptionChoice[] {
  const own = GROUPS.flatMap(filter => {
    const options = splitNames(`--${filter}`, flags[filter]);
    return options === undefined ? [] : [{ filter, options }];
  });
  const others = flags.multifilter.map(given => {
    const at = given.indexOf('=');
    if (at <= 0) throw invalidValue(`invalid --multifilter '${given}'`, 'pass NAME=KEY,KEY');
    const filter = given.slice(0, at).trim();
    return { filter, options: splitNames('--multifilter', [given.slice(at + 1)]) ?? [] };
  });
  return [...own, ...others];
}
