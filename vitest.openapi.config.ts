import { defineConfig } from 'vitest/config';
import { sourceTests } from './vitest.source.ts';

// The tests that use the sandbox, with the OpenAPI document between: npm run check:openapi.
export default defineConfig(
  sourceTests({
    include: [
      'test/{commands,apis,analysis,migrate,sandbox,cli,wire}/**/*.test.ts',
      'test/openapi/*.check.ts',
    ],
    // `gatectl api` sends whatever it is given, and a recording replays whatever another server sent.
    exclude: ['test/commands/api/**', 'test/commands/sandbox/record.test.ts'],
    setupFiles: ['test/support/validating-sandbox.ts'],
  }),
);
