import { createRequire } from 'node:module';
import fc from 'fast-check';

/** Strings that have broken programs before. */
export const NAUGHTY: readonly string[] = createRequire(import.meta.url)('big-list-of-naughty-strings');

const HOSTILE = [
  '\u001b[2J',
  '\u009b31m',
  '\u202eabc',
  '\0',
  '\r\n',
  '\ud800',
  '__proto__',
  'constructor',
  '\u001b]0;x\u0007',
];

/** Any text: naughty, hostile, or whatever fast-check makes. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...NAUGHTY),
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ maxLength: 10 }),
);

/** Any JSON value, with hostile texts in keys and values. */
export const anyJson: fc.Arbitrary<fc.JsonValue> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.letrec<{ value: fc.JsonValue }>(tie => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.oneof(
        anyText,
        fc.double(),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
      ) as fc.Arbitrary<fc.JsonValue>,
      fc.array(tie('value'), { maxLength: 4 }) as fc.Arbitrary<fc.JsonValue>,
      fc.dictionary(anyText, tie('value'), { maxKeys: 4 }) as fc.Arbitrary<fc.JsonValue>,
    ),
  })).value,
);
