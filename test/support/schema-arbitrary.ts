import fc from 'fast-check';

type Schema = Readonly<Record<string, unknown>>;

/** Values that a JSON Schema of an OpenAPI document allows. `words` are strings that mean something to the server. */
export function schemaArbitrary(
  given: Schema,
  schemas: Readonly<Record<string, Schema>>,
  words: readonly string[],
  depth = 0,
): fc.Arbitrary<unknown> {
  const inner = (schema: Schema) => schemaArbitrary(schema, schemas, words, depth + 1);
  const schema = resolved(given, schemas);
  const choices = (schema.anyOf ?? schema.oneOf) as readonly Schema[] | undefined;
  if (choices !== undefined) return fc.oneof(...choices.map(inner));
  if (schema.enum !== undefined) return fc.constantFrom(...(schema.enum as unknown[]));
  if (schema.const !== undefined) return fc.constant(schema.const);
  const types = [(schema.type ?? ['string', 'number', 'boolean', 'null']) as string | string[]].flat();
  return fc.oneof(...types.map(ofType));

  function ofType(type: string): fc.Arbitrary<unknown> {
    const examples = (schema.examples ?? []) as unknown[];
    switch (type) {
      case 'string':
        return fc.oneof(
          { weight: 4, arbitrary: stringOf(schema, words) },
          ...(examples.length > 0 ? [{ weight: 2, arbitrary: fc.constantFrom(...examples) }] : []),
        );
      case 'integer':
        return fc.oneof(
          fc.integer({
            min: Number(schema.minimum ?? -9),
            max: Math.min(Number(schema.maximum ?? 2000), 2000),
          }),
          fc.constantFrom(Number(schema.minimum ?? 0), Number(schema.maximum ?? 2 ** 31)),
        );
      case 'number':
        return fc.double({ noNaN: true, noDefaultInfinity: true });
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'array':
        return fc.array(inner((schema.items ?? {}) as Schema), {
          minLength: Number(schema.minItems ?? 0),
          maxLength: depth > 3 ? 1 : 3,
        });
      default:
        return objectOf();
    }
  }

  function objectOf(): fc.Arbitrary<unknown> {
    const members = Object.entries((schema.properties ?? {}) as Readonly<Record<string, Schema>>);
    const record = fc.record(Object.fromEntries(members.map(([name, member]) => [name, inner(member)])), {
      requiredKeys: (schema.required ?? []) as string[],
      noNullPrototype: true,
    });
    const { additionalProperties: others } = schema;
    if (typeof others !== 'object' || others === null) return record;
    const names = fc.oneof(fc.nat(20).map(String), fc.stringMatching(/^[a-z]{1,8}$/));
    return fc
      .tuple(record, fc.dictionary(names, inner(others as Schema), { maxKeys: 2, noNullPrototype: true }))
      .map(([known, further]) => ({ ...further, ...(known as object) }));
  }
}

function stringOf(schema: Schema, words: readonly string[]): fc.Arbitrary<string> {
  if (schema.pattern !== undefined) {
    // Patterns may look ahead, which no generator does.
    const pattern = new RegExp(String(schema.pattern));
    return fc.oneof(
      fc.constantFrom(...words.filter(word => pattern.test(word))),
      fc.string({ minLength: 1, maxLength: 20 }).filter(text => pattern.test(text)),
    );
  }
  if (schema.format === 'date')
    return fc
      .date({ min: new Date('2025-01-01'), max: new Date('2027-01-01'), noInvalidDate: true })
      .map(date => date.toISOString().slice(0, 10));
  if (schema.format === 'email') return fc.emailAddress();
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...words) },
    { weight: 1, arbitrary: fc.string({ minLength: Number(schema.minLength ?? 0), maxLength: 20 }) },
  );
}

function resolved(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  const [, name] = /^#\/components\/schemas\/(.+)$/.exec(String(schema.$ref ?? '')) ?? [];
  return name === undefined ? schema : { ...schemas[name], ...schema };
}
