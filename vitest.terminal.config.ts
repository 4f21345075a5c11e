import { defineConfig } from 'vitest/config';

// Tests that require tmux, a terminal emulator whose screen can be read.
export default defineConfig({
  test: { include: ['test/real-terminal/*.check.ts'], testTimeout: 60_000 },
});
