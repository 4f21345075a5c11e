import { type Outlined, outlineOf } from '../commands/framework/outline.ts';
import { tree } from '../commands/tree.ts';

/**
 * All commands by name and summary. The build puts the same list in the place of this module, but with loads that fetch one
 * command each, so that a start pays for the command it runs and for no other.
 */
export const outline: readonly Outlined[] = tree.map(outlineOf);
