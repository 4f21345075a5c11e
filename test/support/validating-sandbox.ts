import { afterEach } from 'vitest';
import type { SandboxReply, SandboxRequest } from '../../src/sandbox/routing.ts';
import { openApiDocument } from '../../src/wire/openapi/index.ts';
import { onReply } from './observed-handler.ts';
import { OpenApiValidator } from './openapi.ts';
import { responsesChecked } from './responses-checked.ts';

// For vitest's setupFiles: puts the OpenAPI document between gatectl and every sandbox. A test fails where the sandbox sends what the
// document does not allow, or accepts from gatectl what the document does not allow.

const MAX_BODY = 1_000_000;
const violations: string[] = [];
const validators = new Map<string | undefined, OpenApiValidator>();

function validatorOf(brand: string | undefined): OpenApiValidator {
  const known =
    validators.get(brand) ?? new OpenApiValidator(openApiDocument(brand === undefined ? {} : { brand }));
  validators.set(brand, known);
  return known;
}

onReply(checked);

async function checked(
  request: SandboxRequest,
  reply: SandboxReply,
  brand: string | undefined,
): Promise<SandboxReply> {
  const validator = validatorOf(brand);
  const { method, path, query, headers } = request;
  const sent = {
    method,
    target: query.size === 0 ? path : `${path}?${query}`,
    headers,
    body: request.body.toString(),
  };
  const operation = validator.operationOf(sent);
  if (operation === undefined) return reply;
  responsesChecked.count += 1;
  const { start, isWhole, rest } = await beginning(reply.body);
  const response = {
    status: reply.status,
    headers: { 'cache-control': 'no-store', ...reply.headers },
    body: start.toString(),
  };
  if (isWhole) note(operation.operationId, validator.responseViolations(operation, response));
  // Tests that send requests themselves, by fetch, have another agent.
  const isFromGatectl = headers['user-agent']?.includes('gatectl') === true;
  if (isFromGatectl && reply.status < 300) note(operation.operationId, validator.requestViolations(sent));
  return rest === undefined ? reply : { ...reply, body: rest };
}

function note(operation: string, found: readonly { status: number; message: string }[]): void {
  violations.push(...found.map(({ status, message }) => `${operation}: ${status} ${message}`));
}

/** The first bytes of a body, and what to send instead of a body that had to be read for it. */
async function beginning(body: SandboxReply['body']) {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array)
    return { start: Buffer.from(body ?? ''), isWhole: true, rest: undefined };
  const source = body[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  let size = 0;
  let next = await source.next();
  for (; !next.done && size < MAX_BODY; next = await source.next()) {
    chunks.push(next.value);
    size += next.value.length;
  }
  const isWhole = next.done === true;
  async function* rest() {
    try {
      yield* chunks;
      for (; !next.done; next = await source.next()) yield next.value;
    } finally {
      await source.return?.();
    }
  }
  return { start: Buffer.concat(chunks), isWhole, rest: rest() };
}

afterEach(() => {
  const found = violations.splice(0);
  if (found.length > 0)
    throw new Error(`the OpenAPI document does not allow:\n${[...new Set(found)].join('\n')}`);
});
