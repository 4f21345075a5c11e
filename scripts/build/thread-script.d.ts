import type { Plugin } from 'vitest/config';

export function threadScript(): Plugin & {
  load(id: string): Promise<string | undefined> | string | undefined;
};
