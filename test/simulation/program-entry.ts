// What the simulator loads of src, bundled (program.ts).
export { main } from '../../src/cli/entry.ts';
export { writeAtomic } from '../../src/files/atomic-file.ts';
export { withLock } from '../../src/files/lock.ts';
export { EventQueue } from '../../src/operations/listen/event-queue.ts';
export { createRequestHandler } from '../../src/sandbox/request-handler.ts';
export { SEED } from '../../src/sandbox/seed.ts';
export { buildSite } from '../../src/sandbox/site.ts';
export { brandNames } from '../../src/wire/brand.ts';
