import type { RequestFields } from '../../../apis/bda/request-fields.ts';
import { invalidUsage, invalidValue } from '../../../errors/usage.ts';
import type { Json } from '../../../json/index.ts';
import { flagName, type Option } from '../../framework/define-command.ts';

// The declaration of a flag names the request field that it sets, for each API that has the field.

/** The field that a flag sets. Without `toJson` the field gets the value of the flag. */
interface RequestField<Value> {
  /** Its path in the request: `url_options.fragments`. */
  readonly path: string;
  /** Converts the value; of a list flag, each comma-separated item. Throws UsageError. */
  readonly toJson?: (value: Value, brand: string) => Json;
}

/** The request field of a flag, by API version. */
interface FieldsByApi<Value> {
  readonly v1?: RequestField<Value>;
  readonly v2?: RequestField<Value>;
}

/** An option that sets a request field. */
interface RequestOption<Value, Item> extends Option<Value> {
  readonly sets: FieldsByApi<Item>;
}

type ItemOf<Value> = Value extends readonly (infer Item)[] ? Item : NonNullable<Value>;

/** Adds the request fields to an option; a string is the path of a field that gets the value unchanged. */
export function setsField<Value>(
  option: Option<Value>,
  fields: {
    readonly v1?: string | RequestField<ItemOf<Value>>;
    readonly v2?: string | RequestField<ItemOf<Value>>;
  },
): RequestOption<Value, ItemOf<Value>> {
  const field = (given: string | RequestField<ItemOf<Value>>) =>
    typeof given === 'string' ? { path: given } : given;
  const { v1, v2 } = fields;
  return { ...option, sets: { ...(v1 && { v1: field(v1) }), ...(v2 && { v2: field(v2) }) } };
}

/**
 * The request fields that flags set, with the origin of each. `brand` is the brand word. Throws UsageError.
 */
export function fieldsFromFlags(
  api: 'v1' | 'v2',
  options: Readonly<Record<string, Option<unknown>>>,
  flags: Readonly<Record<string, unknown>>,
  brand: string,
): { readonly fields: RequestFields; readonly origins: ReadonlyMap<string, string> } {
  const fields = new Map<string, Json>();
  const origins = new Map<string, string>();
  for (const [key, option] of Object.entries(options)) {
    const field = fieldOf(option, api);
    const value = flags[key];
    if (field === undefined || value === undefined) continue;
    const { path, toJson = unchanged } = field;
    const flag = flagName(option.flags);
    if (!Array.isArray(value)) {
      fields.set(path, toJson(value, brand));
      origins.set(path, `${flag} ${value}`);
      continue;
    }
    const items = splitNames(flag, value);
    if (items === undefined) continue;
    fields.set(
      path,
      items.map(item => toJson(item, brand)),
    );
    origins.set(path, flag);
    for (const [index, item] of items.entries()) origins.set(`${path}.${index}`, `${flag} ${item}`);
  }
  return { fields, origins };
}

function fieldOf(option: Option<unknown>, api: 'v1' | 'v2'): RequestField<unknown> | undefined {
  return (option as Partial<RequestOption<unknown, unknown>>).sets?.[api];
}

function unchanged(value: unknown): Json {
  return value as Json;
}

/** Splits the values of a list flag at commas. Throws UsageError for an empty name. */
export function splitNames(flag: string, texts: readonly string[]): string[] | undefined {
  if (texts.length === 0) return undefined;
  const names = texts.flatMap(text => text.split(',')).map(name => name.trim());
  if (!names.includes('')) return names;
  throw invalidUsage(`${flag} has an empty name`, 'separate names with single commas: a,b,c');
}

/** Parses `--sort`: `COLUMN`, `COLUMN:desc`, `-COLUMN` or `COLUMN desc`. Throws UsageError. */
export function readSort(text: string): { readonly column: string; readonly direction: 'asc' | 'desc' } {
  const [, minus, named = '', typed] = /^(-)?(.*?)(?:(?::| +)(\w*))?$/.exec(text.trim()) ?? [];
  const direction = minus === undefined ? (typed?.toLowerCase() ?? 'asc') : 'desc';
  const isTwice = minus !== undefined && typed !== undefined;
  if (named !== '' && !isTwice && (direction === 'asc' || direction === 'desc'))
    return { column: named, direction };
  throw invalidValue(`invalid --sort '${text}'`, 'pass COLUMN, COLUMN:asc, COLUMN:desc or -COLUMN');
}
