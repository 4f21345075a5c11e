/** Operations that are kept at most, and the characters that their targets may take up together. */
const KEPT_OPERATIONS = 1000;
const KEPT_CHARACTERS = 16_000_000;

export interface PurgeOperation {
  /** Milliseconds of the sandbox's clock. */
  readonly at: number;
  readonly endpoint: string;
  readonly domain?: string;
  /** The URLs or surrogate keys as they were sent. */
  readonly targets: readonly string[];
  /** Entries that left the cache. */
  readonly cleared: number;
  readonly success: boolean;
}

export interface PurgeRecord {
  add(operation: PurgeOperation): void;
  /** Totals since the start, and the latest operations, oldest first. */
  report(): {
    requests: number;
    failed: number;
    targets: number;
    cleared: number;
    operations: readonly PurgeOperation[];
  };
}

const sizeOf = ({ targets }: PurgeOperation) => targets.reduce((sum, target) => sum + target.length, 0);

/** Remembers what was purged, in bounded memory however much it is. */
export function createPurgeRecord(): PurgeRecord {
  const operations: PurgeOperation[] = [];
  const totals = { requests: 0, failed: 0, targets: 0, cleared: 0 };
  let characters = 0;
  return {
    add(operation) {
      operations.push(operation);
      characters += sizeOf(operation);
      while (operations.length > KEPT_OPERATIONS || characters > KEPT_CHARACTERS) {
        const dropped = operations.shift();
        if (dropped !== undefined) characters -= sizeOf(dropped);
      }
      totals.requests += 1;
      totals.cleared += operation.cleared;
      if (operation.success) totals.targets += operation.targets.length;
      else totals.failed += 1;
    },
    report: () => ({ ...totals, operations }),
  };
}
