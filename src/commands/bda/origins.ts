import { closeNames } from '../../apis/bda/catalogue.ts';
import { REQUIRED } from '../../apis/bda-v2/check-query.ts';
import { type ApiError, type FieldProblem, UsageError } from '../../errors/index.ts';

/** What the user typed for which field of a request: paths such as `metrics.0`, with the flag as typed. */
export type Origins = ReadonlyMap<string, string>;

/** What set a field, from its path as an API writes it (`metrics[0]`, `filters[1].any_of[0].value`); `otherwise` where no flag did. */
export function originOf(field: string, origin: Origins, otherwise: string | undefined): string | undefined {
  const path = field.split(/[.[\]/]+/).filter(part => part !== '');
  for (let length = path.length; length > 0; length -= 1) {
    const found = origin.get(path.slice(0, length).join('.'));
    if (found !== undefined) return found;
  }
  return otherwise;
}

/** What to type for a field that is missing. */
const ADVICE: Readonly<Record<string, string>> = {
  data_set: 'type --data-set NAME; gatectl bda data-sets lists them, and pageview is the usual one',
  date_range: 'type --last 7d, --previous month, or --from DAY --to DAY',
  'date_range.start_date': 'type --from DAY',
  'date_range.end_date': 'type --to DAY',
};

/** Throws UsageError when there are problems, each told with what set the field; `what` is wrong then. */
export function throwProblems(
  problems: readonly FieldProblem[],
  origin: Origins,
  otherwise: string | undefined,
  what = 'query',
): void {
  if (problems.length === 0) return;
  const details = problems.map(problem => {
    const setter = problem.message === REQUIRED ? undefined : originOf(problem.field, origin, otherwise);
    return { ...problem, ...(setter !== undefined && { origin: setter }) };
  });
  const hints = problems.flatMap(({ field, message }) =>
    message === REQUIRED && ADVICE[field] !== undefined ? [ADVICE[field]] : [],
  );
  const [only] = details;
  if (details.length === 1 && only !== undefined) {
    const place = only.origin === undefined ? only.field : `${only.field} (${only.origin})`;
    throw new UsageError(`${place} ${only.message}`, { code: 'invalid_request', hints });
  }
  throw new UsageError(`the ${what} can't be sent: ${details.length} fields are wrong`, {
    code: 'invalid_request',
    details,
    hints,
  });
}

/**
 * The same refusal with what set each field, and near names where the API gives none for an unknown column. `listed` tells the
 * columns there are, as far as is known; it may ask for them where the API complains of one by its name.
 */
export async function withOrigins(
  error: ApiError,
  origin: Origins,
  otherwise: string | undefined,
  listed: (may: { readonly ask: boolean }) => Promise<readonly string[]>,
): Promise<ApiError> {
  const told = error.details.map(detail => {
    const setter = originOf(detail.field, origin, otherwise);
    return { ...detail, typed: columnIn(setter), ...(setter !== undefined && { origin: setter }) };
  });
  const ask = told.some(({ typed, message }) => typed !== undefined && message.includes(typed));
  const names = told.some(({ typed }) => typed !== undefined) ? await listed({ ask }) : [];
  const isUnknown = (typed: string | undefined) => typed !== undefined && !names.includes(typed);
  const details = told.map(({ typed, ...detail }) => {
    const near = typed === undefined || !isUnknown(typed) ? [] : closeNames(names, typed);
    if (near.length === 0 || near.some(name => detail.message.includes(name))) return detail;
    return { ...detail, message: `${detail.message} (the columns listing has ${near.join(', ')})` };
  });
  const hints = told.some(({ typed }) => isUnknown(typed)) ? ['gatectl bda columns lists the columns'] : [];
  return error.with({ details, hints });
}

/** The column in what was typed. */
function columnIn(setter: string | undefined): string | undefined {
  return /^--(?:dimension|metric|sort) ([^:]+)/.exec(setter ?? '')?.[1];
}
