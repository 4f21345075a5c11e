import { defineConfig } from 'vitest/config';
import { sourceTests } from './vitest.source.ts';

// The tests that use the sandbox, with the OpenAPI document between: npm run check:openapi.
export default defineConfig(
  sourceTests({
    include: [
      'test/{commands,apis,analysis,migrate,sandbox,cli,wire}/**/*.test.ts',
      'test/openapi/*.check.ts',
    ],
    // `gatectl api` sends whatever it is given.
    exclude: ['test/commands/api/**'],
    setupFiles: ['test/support/validating-sandbox.ts'],
  }),
);
