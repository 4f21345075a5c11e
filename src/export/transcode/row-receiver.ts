import type { Layout } from './columns.ts';
import type { Kernel } from './kernel.ts';
import type { Row } from './row.ts';

/** Takes rows as they are read, in order, instead of encoding them. */
export interface RowReceiver {
  /** Reads rows of known shapes; undefined if none are taken together. */
  readonly kernel: Kernel | undefined;
  /**
   * Takes as many rows of known shapes as possible, at most `most`, from a position in the kernel's text on. Returns the end of the last
   * one, or -1; the kernel then has their number for each shape, and their fingerprints.
   */
  takeKnown(at: number, most: number): number;
  /** Takes one row of any shape. Both are valid only during the call. */
  take(row: Row, layout: Layout): void;
}
