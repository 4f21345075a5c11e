import type { Plugin } from 'vitest/config';

export function picturePage(): Plugin;
