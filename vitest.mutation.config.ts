import { defineConfig } from 'vitest/config';
import { sourceTests } from './vitest.source.ts';

// What `npm run test:mutation` runs against each mutant: the tests of one part.
export default defineConfig(sourceTests({ include: (process.env.MUTATION_TESTS ?? '').split(' ') }));
