import type { Plugin as BundlerPlugin } from 'esbuild';
import type { Plugin } from 'vite';

export interface Change {
  readonly reason: string;
  /** Path below the library. */
  readonly file: string;
  readonly line: string;
  readonly by: string;
  /** The replacement names a file of the bundle. */
  readonly bundleOnly?: boolean;
}

export interface LibraryPatch {
  readonly library: string;
  readonly changes: readonly Change[];
}

export const PATCHES: readonly LibraryPatch[];
export function patched(path: string, text: string, options?: { isBundle?: boolean }): string | undefined;
export function patchPlugin(): Plugin;
export function librariesPatched(): BundlerPlugin;
export function testPatchPlugin(): Plugin & { transform(code: string, id: string): { code: string } | null };
