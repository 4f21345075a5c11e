import { nearest } from '../errors/nearest.ts';
import { type Advice, type DocumentError, gather, type Located } from './located.ts';

/** A JSON Schema of draft 7, which all editors know. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What a document has at one place: how it is read, and the same as a JSON Schema. `read` throws DocumentError. */
export interface Form<Value> {
  readonly schema: JsonSchema;
  read(at: Located): Value;
}

/** The form of a setting that always has a value: it is required, or has a default. */
interface Present<Value> extends Form<Value> {
  /** The value of a setting that is absent in `object`. Throws DocumentError where it is required. */
  absent(object: Located, name: string, called: string): Value;
}

type Settings = Readonly<Record<string, Form<unknown>>>;

type PresentIn<Members extends Settings> = {
  [Name in keyof Members]: Members[Name] extends Present<unknown> ? Name : never;
}[keyof Members];

/** The value of an object with these settings. */
type ObjectOf<Members extends Settings> = {
  readonly [Name in PresentIn<Members>]: ValueOf<Members[Name]>;
} & { readonly [Name in Exclude<keyof Members, PresentIn<Members>>]?: ValueOf<Members[Name]> };

/** The value that a form reads. */
export type ValueOf<Read> = Read extends Form<infer Value> ? Value : never;

/** The form that a function makes. A call that is marked as pure is left out of a bundle that has no use for the form. */
export function formOf<Made>(make: () => Made): Made {
  return make();
}

/** A setting of an object, which may be absent. */
export function optional<Value>(description: string, form: Form<Value>): Form<Value> {
  return { read: form.read, schema: { description, ...form.schema } };
}

/** A setting that must be there. `advice` is what to do about one that is not. */
export function required<Value>(description: string, form: Form<Value>, advice?: Advice): Present<Value> {
  return {
    ...optional(description, form),
    absent(object, name, called) {
      throw object.invalid(`${called} has no ${name}`, advice);
    },
  };
}

/** A setting with a value where the document has none; `shown` is how the default is written. */
export function defaulting<Value>(
  description: string,
  form: Form<Value>,
  value: NoInfer<Value>,
  shown: unknown = value,
): Present<Value> {
  const { schema, read } = optional(description, form);
  return { read, schema: { ...schema, default: shown }, absent: () => value };
}

/** The same values, converted; `convert` may throw the errors of its place. */
export function converted<From, To>(
  form: Form<From>,
  convert: (value: From, at: Located) => To,
  more: JsonSchema = {},
): Form<To> {
  return { schema: { ...form.schema, ...more }, read: at => convert(form.read(at), at) };
}

/** A text, or what YAML reads as a number or as true and false: the characters as they are written. */
export const TEXT: Form<string> = {
  schema: { type: ['string', 'number', 'boolean'] },
  read(at) {
    if (at.content.kind === 'scalar') return at.content.text;
    throw at.invalid(problemOf(at, 'text'));
  },
};

export const NONEMPTY_TEXT: Form<string> = /* @__PURE__ */ converted(
  TEXT,
  (text, at) => {
    if (text.trim() === '') throw at.invalid(`${at.name} is empty`);
    return text;
  },
  { pattern: '\\S' },
);

/** A text of this form; `problem` says what it must be. */
export function pattern(expression: RegExp, problem: string): Form<string> {
  return {
    schema: { type: 'string', pattern: expression.source },
    read(at) {
      const { content } = at;
      if (content.kind === 'scalar' && typeof content.value === 'string' && expression.test(content.value))
        return content.value;
      throw at.invalid(problemOf(at, problem));
    },
  };
}

export function choice<const Word extends string>(words: readonly Word[]): Form<Word> {
  return {
    schema: { enum: words },
    read(at) {
      const text = TEXT.read(at);
      const found = words.find(word => word === text);
      if (found !== undefined) return found;
      throw at.invalid(`${at.name} cannot be ${JSON.stringify(text)}`, {
        reason: { name: 'known', what: 'one of', values: words },
      });
    },
  };
}

export const FLAG: Form<boolean> = {
  schema: { type: 'boolean' },
  read(at) {
    if (at.content.kind === 'scalar' && typeof at.content.value === 'boolean') return at.content.value;
    throw at.invalid(problemOf(at, 'true or false'));
  },
};

export const NUMBER: Form<number> = {
  schema: { type: 'number' },
  read(at) {
    const value = numberIn(at);
    if (Number.isFinite(value)) return value;
    throw at.invalid(problemOf(at, 'a number'));
  },
};

/** A number above `above`. */
export function numberAbove(above: number): Form<number> {
  return {
    schema: { type: 'number', exclusiveMinimum: above },
    read(at) {
      const value = numberIn(at);
      if (Number.isFinite(value) && value > above) return value;
      throw at.invalid(problemOf(at, `a number greater than ${above}`));
    },
  };
}

export function integer({ min, max }: { readonly min: number; readonly max?: number }): Form<number> {
  return {
    schema: { type: 'integer', minimum: min, maximum: max ?? Number.MAX_SAFE_INTEGER },
    read(at) {
      const value = numberIn(at);
      if (Number.isSafeInteger(value) && value >= min && (max === undefined || value <= max)) return value;
      throw at.invalid(problemOf(at, `an integer from ${min}${max === undefined ? '' : ` to ${max}`}`));
    },
  };
}

function numberIn({ content }: Located): number {
  return content.kind === 'scalar' && typeof content.value === 'number' ? content.value : Number.NaN;
}

/** A value, or none: undefined. */
export function orEmpty<Value>(form: Form<Value>): Form<Value | undefined> {
  return {
    schema: { anyOf: [form.schema, { type: 'null' }] },
    read: at => (at.content.kind === 'empty' ? undefined : form.read(at)),
  };
}

interface ListOptions {
  /** Items at least. */
  readonly min?: number;
  /** Whether no two items may be equal. */
  readonly distinct?: boolean;
}

export function list<Value>(
  item: Form<Value>,
  { min = 0, distinct = false }: ListOptions = {},
): Form<readonly Value[]> {
  return {
    schema: {
      type: 'array',
      items: item.schema,
      ...(min > 0 && { minItems: min }),
      ...(distinct && { uniqueItems: true }),
    },
    read(at) {
      if (at.content.kind !== 'list') throw at.invalid(problemOf(at, 'a list'));
      if (at.content.items.length < min) throw at.invalid(`${at.name} is empty`);
      const values: Value[] = [];
      gather(
        at.content.items.map(each => () => {
          const value = item.read(each);
          if (distinct && values.includes(value)) throw each.invalid(`${value} is named twice`);
          values.push(value);
        }),
      );
      return values;
    },
  };
}

/** A list, or its only item. */
export function oneOrMore<Value>(item: Form<Value>, options: ListOptions = {}): Form<readonly Value[]> {
  const many = list(item, options);
  return {
    schema: { anyOf: [item.schema, many.schema] },
    read: at => (at.content.kind === 'list' ? many.read(at) : [item.read(at)]),
  };
}

/** An object with names that the user chooses, in their order; an empty one has none. */
export function map<Value>(
  entry: Form<Value>,
  { min = 0, names }: { readonly min?: number; readonly names?: Form<string> } = {},
): Form<readonly (readonly [string, Value])[]> {
  return {
    schema: {
      type: min > 0 ? 'object' : ['object', 'null'],
      additionalProperties: entry.schema,
      ...(min > 0 && { minProperties: min }),
      ...(names !== undefined && { propertyNames: { pattern: names.schema.pattern } }),
    },
    read(at) {
      const members = membersOf(at);
      if (members.length < min) throw at.invalid(`${at.name} is empty`);
      return gather(
        members.map(member => () => {
          names?.read(member.asName());
          return [member.name, entry.read(member)] as const;
        }),
      );
    },
  };
}

type Kind = Located['content']['kind'];

/** One form for each kind of content; an empty value is an empty map. */
export function byKind<Forms extends Readonly<Partial<Record<Kind, Form<unknown>>>>>(
  forms: Forms,
  expected: string,
): Form<ValueOf<Forms[keyof Forms]>> {
  return {
    schema: { anyOf: Object.values(forms).map(({ schema }) => schema) },
    read(at) {
      const { kind } = at.content;
      const form = forms[kind] ?? (kind === 'empty' ? forms.map : undefined);
      if (form === undefined) throw at.invalid(problemOf(at, expected));
      return form.read(at) as ValueOf<Forms[keyof Forms]>;
    },
  };
}

interface ObjectOptions<Members extends Settings> {
  /** What messages call it, given its name: `the table pages`. */
  readonly called?: (name: string) => string;
  /** Settings that make sense with another one only. */
  readonly requires?: { readonly [Name in keyof Members]?: keyof Members & string };
  /** The error for a setting that is none of these; undefined for the usual one. */
  readonly unknown?: (setting: Located) => DocumentError | undefined;
  /** A check of all settings, which throws DocumentError, and what it adds to the schema. */
  readonly check?: (value: ObjectOf<Members>, at: Located) => void;
  readonly schema?: JsonSchema;
}

/** An object with these settings and no others; an empty one has none. */
export function object<Members extends Settings>(
  settings: Members,
  { called = name => name, requires = {}, unknown, check, schema = {} }: ObjectOptions<Members> = {},
): Form<ObjectOf<Members>> {
  const forms = Object.entries(settings as Record<string, Form<unknown> & Partial<Present<unknown>>>);
  const names = forms.map(([name]) => name);
  const mandatory = forms.filter(([, form]) => form.absent !== undefined && !('default' in form.schema));
  const dependencies = Object.entries(requires).map(([name, other]) => [name, [other]]);
  return {
    schema: {
      type: mandatory.length > 0 ? 'object' : ['object', 'null'],
      properties: Object.fromEntries(forms.map(([name, form]) => [name, form.schema])),
      ...(mandatory.length > 0 && { required: mandatory.map(([name]) => name) }),
      ...(dependencies.length > 0 && { dependencies: Object.fromEntries(dependencies) }),
      additionalProperties: false,
      ...schema,
    },
    read(at) {
      const members = new Map(membersOf(at).map(member => [member.name, member]));
      const strangers = [...members.values()].filter(({ name }) => !names.includes(name));
      const entries: [string, unknown][] = [];
      gather([
        ...strangers.map(member => () => {
          throw unknown?.(member) ?? unknownSetting(member, names);
        }),
        ...forms.map(([name, form]) => () => {
          const member = members.get(name);
          const other = requires[name];
          if (member !== undefined && other !== undefined && !members.has(other))
            throw member.invalid(`${name} requires ${other}`);
          if (member !== undefined) entries.push([name, form.read(member)]);
          // A misspelled setting is one problem, not two.
          else if (form.absent !== undefined && strangers.length === 0)
            entries.push([name, form.absent(at, name, called(at.name))]);
        }),
      ]);
      const value = Object.fromEntries(entries) as ObjectOf<Members>;
      check?.(value, at);
      return value;
    },
  };
}

/** The members of a mapping; none of an empty value. Throws DocumentError for any other value. */
function membersOf(at: Located): readonly Located[] {
  if (at.content.kind === 'empty') return [];
  if (at.content.kind === 'map') return at.content.members;
  throw at.invalid(problemOf(at, 'a map'));
}

/** Names of values that belong in no document. */
export const SECRET = /key|token|secret|password|credential/i;

function unknownSetting(member: Located, known: readonly string[]): DocumentError {
  const quoted = JSON.stringify(member.name);
  if (SECRET.test(member.name))
    return member.invalidName(`${quoted}: the file must not contain secrets`, { reason: 'secret_in_file' });
  const meant = [member.name, member.name.replaceAll('_', '-')].flatMap(
    name => nearest(name, known) ?? [],
  )[0];
  return member.invalidName(`unknown setting ${quoted}`, {
    reason:
      meant === undefined ? { name: 'known', what: 'settings', values: known } : { name: 'similar', meant },
  });
}

function problemOf({ name, content }: Located, expected: string): string {
  return content.kind === 'empty' ? `${name} has no value` : `${name} must be ${expected}`;
}
