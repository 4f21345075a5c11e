import type { Plugin } from 'vitest/config';

export function threadScript(options?: { readonly installed?: boolean }): Plugin & {
  load(id: string): Promise<string | undefined> | string | undefined;
};
