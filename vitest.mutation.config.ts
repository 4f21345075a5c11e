import { defineConfig } from 'vitest/config';
import { picturePage } from './scripts/picture-page.js';

// What `npm run mutation` runs against each mutant: the tests of one part.
export default defineConfig({
  plugins: [picturePage()],
  test: {
    include: (process.env.MUTATION_TESTS ?? '').split(' '),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
