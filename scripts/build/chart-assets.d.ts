import type { Plugin } from 'vitest/config';

export function chartAssets(options?: { readonly quality?: number }): Plugin;
