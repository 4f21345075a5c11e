import { defineConfig } from 'vitest/config';
import { chartAssets } from './scripts/build/chart-assets.js';

// The tests that use the sandbox, with the OpenAPI document between: npm run check:openapi.
export default defineConfig({
  plugins: [chartAssets()],
  test: {
    include: ['test/{commands,apis,analysis,migrate,sandbox,cli,wire}/**/*.test.ts'],
    // `gatectl api` sends whatever it is given.
    exclude: ['test/commands/api/**'],
    setupFiles: ['test/support/validating-sandbox.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
