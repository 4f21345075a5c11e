import { defineConfig } from 'vitest/config';
import { SERVER_FAILURES } from './vitest.source.ts';

// Tests that require tmux, a terminal emulator whose screen can be read.
export default defineConfig({
  test: { include: ['test/real-terminal/*.check.ts'], testTimeout: 60_000, setupFiles: [SERVER_FAILURES] },
});
