import { defineConfig } from 'vitest/config';
import { testPatchPlugin } from './patches/plugin.js';
import { chartAssets } from './scripts/build/chart-assets.js';

export default defineConfig({
  test: {
    maxWorkers: '100%',
    projects: [
      {
        plugins: [chartAssets(), testPatchPlugin()],
        test: {
          setupFiles: ['patches/register.js'],
          server: { deps: { inline: ['lossless-json'] } },
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**'],
          // Against hangs alone: how fast the machine is decides nothing.
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
