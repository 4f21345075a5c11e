import type { ViteUserConfig } from 'vitest/config';
import { testPatchPlugin } from './patches/plugin.js';
import { chartAssets } from './scripts/build/chart-assets.js';
import { ownFiles } from './scripts/build/own-files.js';
import { threadScript } from './scripts/build/thread-script.js';
import { NATIVE_FILES, nativeSource, type Replacements, replacing } from './test/support/native-source.ts';

/**
 * Settings of tests that run src/ without a build: the libraries are patched and the data of charts is there, as in the bundle. With
 * `native`, Node loads src/ itself: modules cannot be mocked, and vitest does not know which tests use a file.
 */
export function sourceTests(
  test: ViteUserConfig['test'] = {},
  { native = false, replacements = {} }: { native?: boolean; replacements?: Replacements } = {},
) {
  return {
    plugins: [
      native ? nativeSource(replacements) : replacing(replacements),
      chartAssets(),
      threadScript(),
      ownFiles(),
      testPatchPlugin(),
    ],
    test: {
      ...test,
      // Otherwise the SDK prints a notice about versions of Node, which the bundle's does not.
      env: { AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
      setupFiles: [
        'patches/register.js',
        'test/support/seed.ts',
        'test/support/buffers.ts',
        SERVER_FAILURES,
        'test/support/untouched.ts',
        ...[test.setupFiles ?? []].flat(),
      ],
      server: { deps: { inline: ['lossless-json'], external: [NATIVE_FILES] } },
      ...TIMEOUTS,
    },
  };
}

/** Of all tests with servers. */
export const SERVER_FAILURES = 'test/support/server-failures.ts';

/** In milliseconds. They end hangs only: a slow machine fails no test. */
export const TIMEOUTS = { testTimeout: 60_000, hookTimeout: 60_000 };
