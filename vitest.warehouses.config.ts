import { defineConfig } from 'vitest/config';
import { sourceTests } from './vitest.source.ts';

// Tests of the destinations of bda sync that require their real servers: npm run check:warehouses installs and starts them. A file of
// tests starts the servers that it needs, and ends them.
export default defineConfig(
  sourceTests({
    name: 'warehouses',
    include: ['test/warehouses/*.test.ts'],
    globalSetup: ['test/warehouses/setup.ts'],
    maxWorkers: 2,
  }),
);
