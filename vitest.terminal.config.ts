import { defineConfig } from 'vitest/config';

// Tests that want tmux: a terminal emulator that tells what stands on its screen.
export default defineConfig({
  test: { include: ['test/real-terminal/*.check.ts'], testTimeout: 60_000 },
});
