import { expect } from 'vitest';

// For vitest's setupFiles: vitest compares the bytes of a Buffer one after the other as it compares lists of objects, which takes
// seconds for a database file.
expect.addEqualityTesters([
  (one: unknown, other: unknown) =>
    Buffer.isBuffer(one) && Buffer.isBuffer(other) ? one.equals(other) : undefined,
]);
