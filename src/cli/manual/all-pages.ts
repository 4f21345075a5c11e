import { tree } from '../../commands/tree.ts';
import { type Page, pagesOf } from './surface.ts';

/** gatectl itself and each of its commands. */
export function allPages(): readonly Page[] {
  return pagesOf(tree);
}
