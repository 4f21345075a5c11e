import type { Plugin } from 'vitest/config';

export function ownFiles(options?: {
  readonly installed?: boolean;
}): Plugin & { load(id: string): string | undefined };
export function ownFilePaths(): readonly string[];
