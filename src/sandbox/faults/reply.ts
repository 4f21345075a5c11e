import { apiOf } from '../gateway.ts';
import { refusalReply } from '../refusal.ts';
import { plainText, type SandboxReply } from '../routing.ts';
import type { Injection } from './plan.ts';
import type { ReplyContent } from './spec.ts';

const LOGIN_PAGE = `<!doctype html>
<html><head><title>Sign in to the network</title></head>
<body><h1>Welcome</h1><p>Please sign in to go on.</p></body></html>
`;

/** The answer that a fault gives in place of the real one; undefined for a fault that spoils the real one. */
export function faultReply({ fault, retryAfter }: Injection, path: string): SandboxReply | undefined {
  const headers: Record<string, string> =
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  switch (fault?.action?.kind) {
    case 'rate-limit':
      return refusalReply(apiOf(path), { status: 429, message: 'too many requests', headers });
    case 'reply': {
      const { status, code, content } = fault.action;
      if (content.kind !== 'envelope') return contentReply(status, content, headers);
      const message = `the sandbox was asked to answer ${status}`;
      const facts = { status, message, headers, ...(code === undefined ? {} : { code }) };
      return refusalReply(apiOf(path), facts);
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
