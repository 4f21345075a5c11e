import { closeNames, quoted } from '../../../apis/bda/catalogue.ts';
import { type Named, namedSegments } from '../../../apis/bda-v1/definition.ts';
import { InvalidResponseError, UsageError } from '../../../errors/index.ts';
import { invalidUsage, unknownName } from '../../../errors/usage.ts';
import { v1Listing } from '../../../operations/listings/v1-listing.ts';
import type { Context } from '../../framework/context.ts';

/** Resolves segments given by id (comma-separated) or name. Throws UsageError for an unknown or ambiguous name. */
export async function segmentIds(given: readonly string[], context: Context): Promise<number[]> {
  return await segmentIdsIn(given, async () => {
    if (!context.globals.curl) return namedSegments(await v1Listing('getsegments', context));
    throw invalidUsage(
      'with --curl, a segment must be given by its id',
      'gatectl bda segment list prints the ids',
    );
  });
}

/** The same with another source of segments, which is called only for names. */
export async function segmentIdsIn(
  given: readonly string[],
  list: () => Promise<readonly Named[]>,
): Promise<number[]> {
  const isNumbers = (text: string) => /^\s*\d+(\s*,\s*\d+)*\s*$/.test(text);
  if (given.every(isNumbers)) return unique(given.flatMap(numbersIn));
  const segments = await list();
  return unique(given.flatMap(text => (isNumbers(text) ? numbersIn(text) : segmentByName(text, segments))));
}

function unique(ids: readonly number[]): number[] {
  return [...new Set(ids)];
}

function numbersIn(text: string): number[] {
  return text.split(',').map(digits => {
    const id = Number(digits);
    if (Number.isSafeInteger(id)) return id;
    throw unknownName(`there is no segment ${digits.trim()}`, 'the id is too large');
  });
}

function segmentByName(name: string, segments: readonly Named[]): number {
  const exact = segments.filter(segment => segment.name === name);
  const loose = segments.filter(segment => segment.name.toLowerCase() === name.toLowerCase());
  const found = exact.length > 0 ? exact : loose;
  const [only] = found;
  if (found.length > 1)
    throw new UsageError(`${found.length} segments are named ${quoted(name)}`, {
      code: 'ambiguous_name',
      hints: [`pass the id: ${found.map(({ id }) => id).join(' or ')}`],
    });
  if (only === undefined) {
    const close = closeNames(
      segments.map(segment => segment.name),
      name,
    );
    throw unknownName(
      `there is no segment ${quoted(name)}`,
      ...(close.length > 0 ? [`did you mean ${close.map(quoted).join(' or ')}?`] : []),
      'gatectl bda segment list prints all',
    );
  }
  const id = Number(only.id);
  if (Number.isSafeInteger(id)) return id;
  throw new InvalidResponseError(`the segment ${quoted(name)} is listed without an id`, {
    code: 'unexpected_shape',
  });
}
