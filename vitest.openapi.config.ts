import { defineConfig } from 'vitest/config';
import { picturePage } from './scripts/picture-page.js';

// The tests that use the sandbox, with the OpenAPI document between: npm run openapi-check.
export default defineConfig({
  plugins: [picturePage()],
  test: {
    include: ['test/{commands,apis,analysis,migrate,sandbox,cli,wire}/**/*.test.ts'],
    // `gatectl api` sends whatever it is given.
    exclude: ['test/commands/api/**'],
    setupFiles: ['test/support/validating-sandbox.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
