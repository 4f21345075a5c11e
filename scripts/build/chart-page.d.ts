import type { Plugin } from 'vitest/config';

export function chartPage(): Plugin;
