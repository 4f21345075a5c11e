import { closeNames } from '../../../apis/bda/catalogue.ts';
import { REQUIRED } from '../../../apis/bda-v2/check-query.ts';
import { type ApiError, type FieldProblem, UsageError } from '../../../errors/index.ts';

/** Field path, such as `metrics.0`, to the flag that set it, as typed. */
type Origins = ReadonlyMap<string, string>;

/** The origin of a field, given its path in API notation (`metrics[0]`, `filters[1].any_of[0].value`); `otherwise` without one. */
function originOf(field: string, origin: Origins, otherwise: string | undefined): string | undefined {
  const path = field.split(/[.[\]/]+/).filter(part => part !== '');
  for (let length = path.length; length > 0; length -= 1) {
    const found = origin.get(path.slice(0, length).join('.'));
    if (found !== undefined) return found;
  }
  return otherwise;
}

/** Hints for missing fields. */
const MISSING_FIELD_HINTS: Readonly<Record<string, string>> = {
  metrics: 'pass -m visits, or -d country',
  data_set: 'pass --data-set NAME, usually pageview; gatectl bda data-sets lists them',
  date_range: 'pass --last 7d, --previous month, or --from DAY --to DAY',
  'date_range.start_date': 'pass --from DAY',
  'date_range.end_date': 'pass --to DAY',
};

/** Throws UsageError if there are problems, with the origin of each field. `what` names the request in the message; `advice` are hints. */
export function throwProblems(
  problems: readonly FieldProblem[],
  origin: Origins,
  otherwise: string | undefined,
  what = 'query',
  advice: readonly string[] = [],
): void {
  if (problems.length === 0) return;
  const details = problems.map(({ field, message }) => {
    const origin_ = message === REQUIRED ? undefined : originOf(field, origin, otherwise);
    return { field, message, ...(origin_ !== undefined && { origin: origin_ }) };
  });
  const missing = problems.flatMap(({ field, message }) =>
    message === REQUIRED && MISSING_FIELD_HINTS[field] !== undefined ? [MISSING_FIELD_HINTS[field]] : [],
  );
  const hints = [...missing, ...advice];
  const [only] = details;
  if (details.length === 1 && only !== undefined) {
    const place = only.origin === undefined ? only.field : `${only.field} (${only.origin})`;
    throw new UsageError(`${place} ${only.message}`, { code: 'invalid_request', hints });
  }
  throw new UsageError(`invalid ${what}: ${details.length} fields`, {
    code: 'invalid_request',
    details,
    hints,
  });
}

/**
 * Adds the origin of each field to an error, and similar names for an unknown column if the API suggests none, also for one that only a
 * message names. `listed` returns the known columns; it may send a request if the error names a column.
 */
export async function withOrigins(
  error: ApiError,
  origin: Origins,
  otherwise: string | undefined,
  listed: (options: { readonly maySend: boolean }) => Promise<readonly string[]>,
): Promise<ApiError> {
  const withOrigin = error.details.map(detail => {
    const origin_ = originOf(detail.field, origin, otherwise);
    return { ...detail, typed: columnIn(origin_), ...(origin_ !== undefined && { origin: origin_ }) };
  });
  const isRejected = error.code === 'validation_error';
  const messages = isRejected ? [error.message, ...error.details.map(({ message }) => message)] : [];
  const inFields = new Set(withOrigin.map(({ typed }) => typed));
  const named = [...new Set([...origin.values()].map(columnIn))].flatMap(name =>
    name !== undefined && !inFields.has(name) && messages.some(message => wordsOf(message).includes(name))
      ? [name]
      : [],
  );
  const maySend =
    named.length > 0 ||
    withOrigin.some(({ typed, message }) => typed !== undefined && message.includes(typed));
  const isNamed = named.length > 0 || withOrigin.some(({ typed }) => typed !== undefined);
  const names = isNamed ? await listed({ maySend }) : [];
  const isUnknown = (typed: string | undefined) => typed !== undefined && !names.includes(typed);
  const details = withOrigin.map(({ typed, ...detail }) => {
    const near = typed === undefined || !isUnknown(typed) ? [] : closeNames(names, typed);
    if (near.length === 0 || near.some(name => detail.message.includes(name))) return detail;
    const more =
      near.length === 1 ? `; did you mean '${near[0]}'?` : ` (the columns listing has ${near.join(', ')})`;
    return { ...detail, message: `${detail.message}${more}` };
  });
  const unknown = names.length > 0 ? named.filter(isUnknown) : [];
  const meant = unknown.flatMap(name => closeNames(names, name));
  const isSuggested = meant.some(name => messages.some(message => wordsOf(message).includes(name)));
  const hints = [
    ...(meant.length > 0 && !isSuggested ? [`did you mean ${meant.join(' or ')}?`] : []),
    ...(unknown.length > 0 || withOrigin.some(({ typed }) => isUnknown(typed))
      ? ['gatectl bda columns lists the columns']
      : []),
    ...withOrigin.flatMap(({ field, origin: typed }) =>
      typed === undefined && MISSING_FIELD_HINTS[field] !== undefined ? [MISSING_FIELD_HINTS[field]] : [],
    ),
  ];
  return error.with({ details, hints });
}

function wordsOf(message: string): readonly string[] {
  return message.split(/[^\w-]+/);
}

/** The column that a flag names. */
function columnIn(origin_: string | undefined): string | undefined {
  return /^--(?:dimension|metric|sort) ([^:]+)/.exec(origin_ ?? '')?.[1];
}
