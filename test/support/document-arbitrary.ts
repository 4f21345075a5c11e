import fc from 'fast-check';

type Schema = Readonly<Record<string, unknown>>;

/** Values that are wrong in most places. */
const STRANGE = [null, '', ' ', 'x', 'auto', 0, -1, 7, 0.5, 1e9, true, [], ['x', 'x'], [null], {}, { x: 1 }];

/** Documents that a JSON Schema allows, and such documents with a few values or names replaced. */
export function documentArbitrary(schema: Schema, words: readonly string[]): fc.Arbitrary<unknown> {
  const change = fc.record({
    at: fc.nat(1000),
    to: fc.constantFrom<unknown>(...STRANGE, ...words),
    isName: fc.boolean(),
  });
  return fc
    .tuple(anyValue(schema, words), fc.array(change, { maxLength: 2 }))
    .map(([document, changes]) =>
      changes.reduce((changed, { at, to, isName }) => replaceAt(changed, at, to, isName), document),
    );
}

/** The document with its value number `at` replaced, or the name of that value. */
function replaceAt(document: unknown, at: number, to: unknown, isName: boolean): unknown {
  const places: ((value: unknown) => unknown)[] = [];
  const visit = (value: unknown, replace: (value: unknown) => unknown): void => {
    places.push(isName ? () => document : replace);
    if (Array.isArray(value))
      for (const [index, item] of value.entries()) visit(item, each => replace(value.with(index, each)));
    else if (typeof value === 'object' && value !== null)
      for (const [name, member] of Object.entries(value)) {
        if (isName) places.push(() => replace(renamed(value as Record<string, unknown>, name, String(to))));
        visit(member, each => replace({ ...value, [name]: each }));
      }
  };
  visit(document, value => value);
  return places[at % places.length]?.(to);
}

function renamed(value: Readonly<Record<string, unknown>>, from: string, to: string): unknown {
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name === from ? to : name, each]));
}

/** A value that a schema mostly allows; its texts are of `words`. */
function anyValue(schema: Schema, words: readonly string[]): fc.Arbitrary<unknown> {
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  if (schema.type === undefined && Array.isArray(schema.anyOf))
    return fc.oneof(...schema.anyOf.map(each => anyValue(each, words)));
  const types = [schema.type ?? 'string'].flat();
  return fc.oneof(...types.map(type => typedValue(String(type), schema, words)));
}

function typedValue(type: string, schema: Schema, words: readonly string[]): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number': {
      const { minimum = 0, maximum = 100 } = schema as { minimum?: number; maximum?: number };
      return fc.oneof(
        fc.integer({ min: minimum, max: Math.min(maximum, minimum + 40) }),
        fc.constantFrom(minimum, maximum, minimum - 1, maximum + 1),
      );
    }
    case 'array':
      return fc.array(anyValue((schema.items ?? {}) as Schema, words), {
        minLength: Number(schema.minItems ?? 0),
        maxLength: 3,
      });
    case 'object':
      return objectOf(schema, words);
    default: {
      const pattern = new RegExp(String(schema.pattern ?? ''));
      const matching = words.filter(word => pattern.test(word));
      return fc.constantFrom(...(matching.length > 0 ? matching : words));
    }
  }
}

function objectOf(schema: Schema, words: readonly string[]): fc.Arbitrary<unknown> {
  const { additionalProperties: others, propertyNames, minProperties = 0 } = schema;
  if (typeof others === 'object')
    return fc.dictionary(
      typedValue('string', (propertyNames ?? {}) as Schema, words) as fc.Arbitrary<string>,
      anyValue(others as Schema, words),
      { minKeys: Number(minProperties), maxKeys: 2, noNullPrototype: true },
    );
  const members = Object.entries((schema.properties ?? {}) as Readonly<Record<string, Schema>>);
  const branches = (schema.oneOf ?? [{}]) as readonly Branch[];
  return fc.constantFrom(...branches).chain(({ required = [], not }) => {
    const names = [...((schema.required ?? []) as string[]), ...required];
    const barred = not?.anyOf.flatMap(each => each.required) ?? [];
    const others = members.map(([name]) => name).filter(name => ![...names, ...barred].includes(name));
    return fc
      .subarray(others, { maxLength: Math.min(3, others.length) })
      .chain(chosen =>
        fc.record(
          Object.fromEntries(
            members
              .filter(([name]) => names.includes(name) || chosen.includes(name))
              .map(([name, member]) => [name, anyValue(member, words)]),
          ),
          { noNullPrototype: true },
        ),
      );
  });
}

/** One of the forms of an object. */
interface Branch {
  readonly required?: readonly string[];
  readonly not?: { readonly anyOf: readonly { readonly required: readonly string[] }[] };
}
