import { namedSegments } from '../../../apis/bda-v1/definition.ts';
import { createSegmentRequest } from '../../../apis/bda-v1/requests.ts';
import { type OptionChoice, SegmentProblem, segmentOf } from '../../../apis/bda-v1/segment-recipe.ts';
import { UsageError } from '../../../errors/index.ts';
import type { JsonRecord } from '../../../json/index.ts';
import type { Context } from '../../framework/context.ts';
import { defineCommand, list, optional, string, type ValuesOf } from '../../framework/define-command.ts';
import { inputName } from '../../framework/json-input.ts';
import { OPEN } from '../../framework/output-schema.ts';
import { createOnce } from '../create-once.ts';
import { readFilterFlags } from '../filter-flags.ts';
import { throwProblems } from '../origins.ts';
import { requestFrom } from '../query/query-input.ts';
import { splitNames } from '../request-flags.ts';
import { bdaV1Site } from '../site.ts';
import { v1Listing } from '../v1-listings.ts';

/** The commands that show what a segment is made of. */
const LISTED_BY = { multifilters: 'multifilter list', types: 'multifilter types', filters: 'filter list' };

/** Multifilters with a flag of their own. */
const GROUPS = ['country', 'device', 'gender', 'site'] as const;

const SEGMENT_FLAGS = {
  name: string('--name <name>', 'what the segment is called'),
  country: list('--country <keys>', 'two-letter codes or names, with commas or repeated'),
  device: list('--device <keys>', 'kinds of devices, such as mobile,tablet'),
  gender: list('--gender <keys>', 'genders'),
  site: list('--site <keys>', 'sites of the account'),
  multifilter: list('--multifilter <name=keys>', 'any other multifilter: its name and its option keys'),
  filter: list('--filter <expression>', "a plain filter, such as 'pageviews>=100'", {
    completes: 'filter',
  }),
};

type SegmentFlags = ValuesOf<typeof SEGMENT_FLAGS> & { readonly file: string | undefined };

export const segmentCreate = defineCommand({
  name: 'create',
  summary: 'make a segment, by names or from JSON',
  description: `Makes a segment and answers with it and its number. Filters and their options are named as people name them: gatectl reads the lists of multifilters, option keys and filters, and sends their numbers and keys. All filters of a segment must match; of the values of one, any.

The segment is sent once: after an unclear failure gatectl looks whether it exists now.`,
  arguments: {
    file: optional('file', 'the segment as JSON (- for stdin), in place of the flags', { completes: 'file' }),
  },
  options: SEGMENT_FLAGS,
  examples: [
    {
      does: 'readers from two countries on phones',
      command: "gatectl bda segment create --name 'Mobile North America' --country US,CA --device mobile",
    },
    {
      does: 'well-read pages, on any other multifilter',
      command:
        "gatectl bda segment create --name 'Well read' --multifilter gender=female --filter 'pageviews>=100'",
    },
    { does: 'from JSON', command: 'gatectl bda segment create segment.json' },
  ],
  answers: OPEN,
  async run(flags, context) {
    const segment =
      flags.file === undefined ? await segmentFrom(flags, context) : await fromFile(flags, context);
    const made = await createOnce(
      {
        kind: 'segment',
        name: String(segment.SegmentName),
        request: createSegmentRequest(await bdaV1Site(context), segment),
        list: () => v1Listing('getsegments', context),
        read: namedSegments,
      },
      context,
    );
    await context.out.print(made);
  },
});

async function fromFile(flags: SegmentFlags, context: Context): Promise<JsonRecord> {
  const { file = '-', name } = flags;
  if (name !== undefined || choicesOf(flags).length + flags.filter.length > 0)
    throw new UsageError('the flags of a segment go without a file', {
      hints: ['write everything into the JSON, or leave the file out'],
    });
  const segment = await requestFrom(file, context, 'segment');
  const isNamed = typeof segment.SegmentName === 'string' && segment.SegmentName.trim() !== '';
  const problems = isNamed ? [] : [{ field: 'SegmentName', message: 'must be a name' }];
  throwProblems(problems, new Map(), inputName(file), 'segment');
  return segment;
}

async function segmentFrom(flags: SegmentFlags, context: Context): Promise<JsonRecord> {
  const { name } = flags;
  const hints = ['such as: gatectl bda segment create --name Europe --country DE,FR'];
  if (name === undefined || name.trim() === '')
    throw new UsageError('a segment needs --name', { code: 'missing_argument', hints });
  const choices = choicesOf(flags);
  const { filters } = readFilterFlags({ filter: flags.filter, anyOf: [], filterJson: [] }, context.log);
  const several = filters.find(({ operator, values }) => operator === 'in' || values.length > 1);
  if (several !== undefined)
    throw new UsageError(
      `--filter ${several.column}: a plain filter compares with one value, by an operator word`,
      {
        hints: [`such as '${several.column}:equals:VALUE', or name a multifilter: --multifilter NAME=KEYS`],
      },
    );
  if (choices.length + filters.length === 0)
    throw new UsageError('a segment needs a filter', { code: 'missing_argument', hints });
  if (context.globals.curl)
    throw new UsageError('with --curl nothing is asked, so names have no numbers', {
      hints: ['give the segment as JSON: gatectl bda segment create FILE --curl'],
    });
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
    const shown = listing === undefined ? instead : `${instead}; see gatectl bda ${LISTED_BY[listing]}`;
    throw new UsageError(error.message, { code: 'invalid_value', hints: [shown] });
  }
}

function choicesOf(flags: SegmentFlags): OptionChoice[] {
  const own = GROUPS.flatMap(filter => {
    const options = splitNames(`--${filter}`, flags[filter]);
    return options === undefined ? [] : [{ filter, options }];
  });
  const others = flags.multifilter.map(given => {
    const at = given.indexOf('=');
    if (at <= 0)
      throw new UsageError(`--multifilter can't be '${given}'`, {
        code: 'invalid_value',
        hints: ['type NAME=KEY,KEY'],
      });
    const filter = given.slice(0, at).trim();
    return { filter, options: splitNames('--multifilter', [given.slice(at + 1)]) ?? [] };
  });
  return [...own, ...others];
}
