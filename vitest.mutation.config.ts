import { defineConfig } from 'vitest/config';
import { chartAssets } from './scripts/build/chart-assets.js';

// What `npm run test:mutation` runs against each mutant: the tests of one part.
export default defineConfig({
  plugins: [chartAssets()],
  test: {
    include: (process.env.MUTATION_TESTS ?? '').split(' '),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
