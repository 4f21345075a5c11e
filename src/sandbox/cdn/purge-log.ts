/** Limits of the log: operations, and characters of their targets. */
const MAX_OPERATIONS = 1000;
const MAX_CHARACTERS = 16_000_000;

interface PurgeOperation {
  /** Time in milliseconds. */
  readonly at: number;
  readonly endpoint: string;
  readonly domain?: string;
  /** The URLs or surrogate keys as they were sent. */
  readonly targets: readonly string[];
  /** Number of cache entries removed. */
  readonly cleared: number;
  readonly success: boolean;
}

export interface PurgeLog {
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

/** Creates a log of purges with bounded memory. */
export function createPurgeLog(): PurgeLog {
  const operations: PurgeOperation[] = [];
  const totals = { requests: 0, failed: 0, targets: 0, cleared: 0 };
  let characters = 0;
  return {
    add(operation) {
      operations.push(operation);
      characters += sizeOf(operation);
      while (operations.length > MAX_OPERATIONS || characters > MAX_CHARACTERS) {
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
