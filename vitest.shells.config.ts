import { defineConfig } from 'vitest/config';

// What needs programs that are not everywhere: shells, and what shows manual pages.
export default defineConfig({
  test: { name: 'shells', include: ['test/shells/*.check.ts'], testTimeout: 60_000, hookTimeout: 60_000 },
});
