import { UsageError } from '../../../errors/index.ts';
import { isList, isRecord, type Json } from '../../../json/index.ts';
import type { UnknownPart } from '../../../migrate/index.ts';

/** A field whose value a shell script computes. */
export interface UnknownField {
  /** `StartDate`, `Filters[0].FilterValue`. */
  readonly field: string;
  readonly parts: readonly UnknownPart[];
}

const DAYS: ReadonlySet<string> = new Set(['StartDate', 'EndDate']);

/** The fields that contain a marker of an unknown part. */
export function unknownFields(request: Json, parts: readonly UnknownPart[]): UnknownField[] {
  const found: UnknownField[] = [];
  const visit = (value: Json | undefined, field: string): void => {
    if (typeof value === 'string') {
      const matching = parts.filter(({ marker }) => value.includes(marker));
      if (matching.length > 0) found.push({ field, parts: matching });
    } else if (isList(value)) for (const [index, item] of value.entries()) visit(item, `${field}[${index}]`);
    else if (isRecord(value))
      for (const [name, item] of Object.entries(value)) visit(item, field === '' ? name : `${field}.${name}`);
  };
  visit(request, '');
  return found;
}

/** Removes unknown days from the request, which flags can set. */
export function withoutUnknownDays(request: Json, unknown: readonly UnknownField[]): Json {
  if (!isRecord(request)) return request;
  const fields = new Set(unknown.map(({ field }) => field));
  return Object.fromEntries(
    Object.entries(request).filter(([name]) => !(DAYS.has(name) && fields.has(name))),
  );
}

/** Throws UsageError for fields whose value neither `--set` nor `days` sets. `source` is the name of the input in messages. */
export function assertKnown(
  source: string,
  unknown: readonly UnknownField[],
  days: { readonly from: string | undefined; readonly to: string | undefined },
): void {
  const given = new Set([
    ...(days.from === undefined ? [] : ['StartDate']),
    ...(days.to === undefined ? [] : ['EndDate']),
  ]);
  const missing = unknown.filter(({ field }) => !given.has(field));
  if (missing.length === 0) return;
  const details = missing.map(({ field, parts }) => ({ field, message: labels(parts) }));
  const [only] = details;
  const what =
    details.length === 1
      ? `cannot read ${source}: ${only?.field || 'the body'} is ${only?.message}, whose value is unknown`
      : `cannot read ${source}: ${details.length} fields have unknown values`;
  const others = missing.filter(({ field }) => !DAYS.has(field));
  throw new UsageError(what, {
    ...(details.length > 1 && { details }),
    hints: [
      ...(others.length < missing.length ? ['pass --last 7d, or --from DAY and --to DAY, for the days'] : []),
      ...(others.length > 0 ? hintsForUnknown(others.flatMap(({ parts }) => parts)) : []),
    ],
  });
}

/** Hints on how to set the values of unknown parts. */
export function hintsForUnknown(parts: readonly UnknownPart[]): string[] {
  const names = [...new Set(parts.flatMap(({ name }) => (name ? [name] : [])))];
  if (names.length > 0) return [`pass ${names.map(name => `--set ${name}=VALUE`).join(' ')}`];
  return ['replace the substitution with its value'];
}

export function labels(parts: readonly UnknownPart[]): string {
  return [...new Set(parts.map(({ label }) => label))].join(', ');
}
