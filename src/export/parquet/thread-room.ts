import { availableParallelism } from 'node:os';
import { readFileSync } from '../../files/disk.ts';

/** Memory limits below this leave too little for a thread. */
const LEAST_MEMORY = 512 * 1024 * 1024;

/**
 * Whether a thread has a processor and memory. Node ends the process if a thread cannot reserve its memory, so none starts where address
 * space is limited.
 */
export function hasRoomForThread(): boolean {
  if (availableParallelism() === 1) return false;
  const memory = process.constrainedMemory();
  return !(memory > 0 && memory < LEAST_MEMORY) && !isAddressSpaceLimited();
}

function isAddressSpaceLimited(): boolean {
  try {
    return /^Max address space +\d/m.test(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    return false;
  }
}
