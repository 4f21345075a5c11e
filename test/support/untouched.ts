import { afterAll, expect } from 'vitest';

// For vitest's setupFiles: no test file, and so no output, changes the objects that all others inherit from. A name such as __proto__ that
// becomes a key of a plain object would.

const PROTOTYPES = [
  Object,
  Array,
  String,
  Number,
  Boolean,
  Function,
  Map,
  Set,
  Date,
  RegExp,
  Promise,
  Error,
  Uint8Array,
];

/** Every own property with its value or accessors. */
function shapeOf(): ReadonlyMap<string, unknown> {
  return new Map(
    PROTOTYPES.flatMap(({ name, prototype }) =>
      Reflect.ownKeys(prototype).flatMap(key => {
        const { value, get, set } = Reflect.getOwnPropertyDescriptor(prototype, key) ?? {};
        const shown = `${name}.prototype.${String(key)}`;
        return [[shown, get ?? value] as const, [`${shown}=`, set] as const];
      }),
    ),
  );
}

/** Test files share a process, and each loads this module. */
const shared = globalThis as { shapeAtStart?: ReadonlyMap<string, unknown> };
shared.shapeAtStart ??= shapeOf();
const before = shared.shapeAtStart;

afterAll(() => {
  const now = shapeOf();
  const names = [...new Set([...before.keys(), ...now.keys()])];
  const changed = names.filter(name => now.get(name) !== before.get(name));
  // The compiler of the kernel, which some tests run, replaces the sorting of lists.
  expect(changed.filter(name => name !== 'Array.prototype.sort')).toEqual([]);
});
