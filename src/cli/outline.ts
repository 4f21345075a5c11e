import { type Outlined, outlineOf } from '../commands/framework/outline.ts';
import { tree } from '../commands/tree.ts';

/**
 * All commands by name and summary. The build replaces this module by one that loads each command separately, so that a start loads
 * only the command it runs.
 */
export const outline: readonly Outlined[] = tree.map(outlineOf);
