import { apiOf } from '../gateway.ts';
import { errorResponse } from '../http-error.ts';
import { plainText, type SandboxReply } from '../routing.ts';
import type { Injection } from './plan.ts';
import type { ReplyContent } from './spec.ts';

const LOGIN_PAGE = `<!doctype html>
<html><head><title>Sign in to the network</title></head>
<body><h1>Welcome</h1><p>Please sign in to continue.</p></body></html>
`;

/** The response that a fault returns instead of the real one; undefined for a fault that damages the real one. */
export function faultReply({ fault, retryAfter }: Injection, path: string): SandboxReply | undefined {
  const headers: Record<string, string> =
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  switch (fault?.action?.kind) {
    case 'rate-limit':
      return errorResponse(apiOf(path), { status: 429, message: 'too many requests', headers });
    case 'reply': {
      const { status, code, content } = fault.action;
      if (content.kind !== 'envelope') return contentReply(status, content, headers);
      const message = `injected fault: status ${status}`;
      const fields = { status, message, headers, ...(code === undefined ? {} : { code }) };
      return errorResponse(apiOf(path), fields);
    }
    default:
      return undefined;
  }
}

function contentReply(
  status: number,
  content: Exclude<ReplyContent, { kind: 'envelope' }>,
  headers: Record<string, string>,
): SandboxReply {
  switch (content.kind) {
    case 'html':
      return {
        status,
        headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
        body: LOGIN_PAGE,
      };
    case 'redirect':
      return plainText(status, '', { location: content.to, ...headers });
    case 'text':
      return { status, headers: { 'content-type': 'application/json', ...headers }, body: content.text };
  }
}
