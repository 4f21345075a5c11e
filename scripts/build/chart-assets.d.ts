import type { Plugin } from 'vitest/config';

export function chartAssets(): Plugin;
