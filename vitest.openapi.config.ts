import { defineConfig } from 'vitest/config';
import { sourceTests } from './vitest.source.ts';

// The tests that use the sandbox, with the OpenAPI document between: npm run check:openapi.
export default defineConfig(
  sourceTests(
    {
      include: ['test/{commands,migrate,sandbox,cli,wire}/**/*.test.ts', 'test/openapi/*.check.ts'],
      exclude: [
        // `gatectl api` sends whatever it is given, and a recording replays whatever another server sent.
        'test/commands/api/**',
        'test/commands/sandbox/record.test.ts',
        // These replace modules.
        'test/cli/loopback.test.ts',
        'test/sandbox/bda/figures.test.ts',
      ],
      setupFiles: ['test/support/validating-sandbox.ts'],
      isolate: false,
      maxWorkers: '100%',
    },
    {
      native: true,
      replacements: {
        'src/sandbox/bda/facts/open.ts': 'test/support/shared-figures.ts',
        'src/sandbox/request-handler.ts': 'test/support/observed-handler.ts',
      },
    },
  ),
);
