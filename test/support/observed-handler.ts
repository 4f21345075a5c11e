import { createRequestHandler as createOwnHandler } from '../../src/sandbox/request-handler.ts';
import type { SandboxReply, SandboxRequest } from '../../src/sandbox/routing.ts';

// In place of src/sandbox/request-handler.ts (vitest.openapi.config.ts): what every sandbox of a process sends passes through an
// observer. Node loads this file for src/, and vitest for the observer, so that the two share nothing but the process.

export * from '../../src/sandbox/request-handler.ts';

type Observe = (
  request: SandboxRequest,
  reply: SandboxReply,
  brand: string | undefined,
) => Promise<SandboxReply>;

const PLACE = Symbol.for('gatectl.test.observe-reply');
const shared = globalThis as { [PLACE]?: Observe };

/** Has a function see, and replace, what sandboxes send from now on. */
export function onReply(observe: Observe): void {
  shared[PLACE] = observe;
}

export const createRequestHandler: typeof createOwnHandler = state => {
  const answer = createOwnHandler(state);
  return async request => {
    const reply = await answer(request);
    return (await shared[PLACE]?.(request, reply, state.brandWord)) ?? reply;
  };
};
