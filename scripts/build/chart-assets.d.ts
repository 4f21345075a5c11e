import type { Plugin } from 'vitest/config';

export function chartAssets(options?: { readonly installed?: boolean }): Plugin;
