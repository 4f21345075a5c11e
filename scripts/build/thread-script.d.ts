import type { Plugin } from 'vitest/config';

export function threadScript(): Plugin;
