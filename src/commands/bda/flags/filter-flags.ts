import {
  type ExpressionValue,
  type FilterExpression,
  FilterSyntax,
  filterJson,
  type KindOf,
  parseFilter,
} from '../../../apis/bda/filter-expression.ts';
import { UsageError } from '../../../errors/index.ts';
import { invalidValue } from '../../../errors/usage.ts';
import { InvalidJsonError, isList, isRecord, type Json, parseJson } from '../../../json/index.ts';
import { withoutPasteDamage } from '../../../terminal/paste-damage.ts';
import type { Log } from '../../framework/context.ts';
import { list, type ValuesOf } from '../../framework/define-command.ts';
import { warnOfFilters } from './filter-warnings.ts';

/** The flags for filters. */
export const FILTER_FLAGS = {
  filter: list('--filter <expression>', "condition, such as 'visits>=3' or 'country=DE,AT'", {
    completes: 'filter',
  }),
  anyOf: list('--any-of <expression...>', 'conditions of which at least one must match', {
    completes: 'filter',
  }),
  filterJson: list('--filter-json <json>', 'a filter as API JSON, or a list of filters'),
};

type FilterFlags = ValuesOf<typeof FILTER_FLAGS>;

/** Parsed filter flags, before the types of their values are resolved. */
interface ReadFilters {
  readonly filters: readonly FilterExpression[];
  readonly anyOf: readonly FilterExpression[];
  readonly ready: readonly Json[];
}

/**
 * Parses the filter flags. Warns of values with likely paste damage, because such a filter matches no rows. Throws UsageError.
 */
export function readFilterFlags(flags: FilterFlags, log: Pick<Log, 'warn'>): ReadFilters {
  const filters = flags.filter.map(text => expression('--filter', text, log));
  const anyOf = flags.anyOf.map(text => expression('--any-of', text, log));
  if (filters.length + anyOf.length > 0) warnOfFilters(filters, anyOf, log);
  return {
    filters,
    anyOf,
    ready: flags.filterJson.flatMap(parseJsonFilters),
  };
}

/** The filters in v2 format and the flags that set them; undefined without filters. */
export function filtersOf(
  flags: FilterFlags,
  { filters, anyOf, ready }: ReadFilters,
  kindOf: KindOf,
): { filters: Json[]; origin: Map<string, string> } | undefined {
  const json: Json[] = [];
  const origin = new Map<string, string>();
  filters.forEach((filter, index) => {
    origin.set(`filters.${json.length}`, `--filter ${flags.filter[index]}`);
    json.push(filterJson(filter, kindOf));
  });
  if (anyOf.length > 0) {
    origin.set(`filters.${json.length}`, '--any-of');
    flags.anyOf.forEach((text, index) => {
      origin.set(`filters.${json.length}.any_of.${index}`, `--any-of ${text}`);
    });
    json.push({ any_of: anyOf.map(filter => filterJson(filter, kindOf)) });
  }
  for (const filter of ready) {
    origin.set(`filters.${json.length}`, '--filter-json');
    json.push(filter);
  }
  return json.length === 0 ? undefined : { filters: json, origin };
}

function expression(flag: string, text: string, log: Pick<Log, 'warn'>): FilterExpression {
  try {
    const filter = parseFilter(text);
    for (const value of filter.values) warnOfPasteDamage(flag, value, log);
    return filter;
  } catch (error) {
    if (!(error instanceof FilterSyntax)) throw error;
    throw new UsageError(`${flag} '${text}' ${error.message}`, {
      code: 'invalid_value',
      reason: { name: 'not_a_filter', text, form: error.hint },
    });
  }
}

/** Titles may contain any character, so damage is neither removed nor rejected; double quotes suppress the warning. */
function warnOfPasteDamage(flag: string, { text, quoted }: ExpressionValue, log: Pick<Log, 'warn'>): void {
  if (quoted) return;
  const pasted = withoutPasteDamage(text);
  const what =
    'problem' in pasted
      ? pasted.problem
      : pasted.removed.length > 0 && `is surrounded by ${pasted.removed.join(', ')}`;
  if (what === false) return;
  log.warn(`the value '${text}' of ${flag} ${what} and is sent as typed`, [
    `if this is intended, quote the value: ${flag} 'COLUMN="VALUE"'`,
  ]);
}

function parseJsonFilters(text: string): readonly Json[] {
  const filters = parsed(text);
  const all = isList(filters) ? filters : [filters];
  if (all.every(isRecord)) return all;
  throw invalidValue(
    '--filter-json must be a JSON object, or a list of them',
    `example: '{"column":"visits","operator":"greater_than","value":3}'`,
  );
}

function parsed(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof InvalidJsonError)) throw error;
    throw invalidValue(
      `--filter-json is not JSON: ${error.message} (column ${error.position.column})`,
      "quote the JSON for the shell: '{…}'",
    );
  }
}
