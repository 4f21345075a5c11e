import { defineConfig } from 'vitest/config';

// Tests that require programs that are not installed everywhere: shells and man page viewers.
export default defineConfig({
  test: { name: 'shells', include: ['test/shells/*.check.ts'], testTimeout: 60_000, hookTimeout: 60_000 },
});
