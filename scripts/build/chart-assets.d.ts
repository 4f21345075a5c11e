import type { Plugin } from 'vitest/config';

export function chartsScript(): Promise<{ readonly text: string; readonly packages: readonly string[] }>;

export function chartAssets(options?: {
  readonly installed?: boolean;
}): Plugin & { load(id: string): Promise<string | undefined> | string | undefined };
