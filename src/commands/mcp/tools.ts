import type { Allowed } from './allow-flag.ts';
import { ANALYTICS_TOOLS } from './analytics-tools.ts';
import { PURGE_TOOLS } from './purge-tools.ts';
import { READER_TOOLS } from './reader-tools.ts';
import type { Tool } from './tool.ts';

/** The tools that a server with these writes allowed offers. */
export function toolsFor(allowed: readonly Allowed[]): readonly Tool[] {
  return [...READER_TOOLS, ...ANALYTICS_TOOLS, ...PURGE_TOOLS].filter(
    ({ allowedBy }) => allowedBy === undefined || allowed.includes(allowedBy),
  );
}
