import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  type McpHttpHandler,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { isToken, type LoopbackServer, serveLoopback } from '../framework/loopback-server.ts';
import type { McpService } from './server.ts';

/** Serves MCP as streamable HTTP on loopback, for clients with the token. */
export async function serveHttp(service: McpService, port: number): Promise<LoopbackServer> {
  const handler = createMcpHandler(() => service.connect());
  return await serveLoopback(port, (request, response, token) => respond(request, response, handler, token));
}

async function respond(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handler: McpHttpHandler,
  token: string,
): Promise<void> {
  const request = asRequest(incoming, outgoing);
  const rejected =
    hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins()) ??
    (new URL(request.url).pathname === '/mcp' ? undefined : new Response(null, { status: 404 })) ??
    (isToken(incoming.headers.authorization, token)
      ? undefined
      : new Response(null, { status: 401, headers: { 'www-authenticate': 'Bearer' } }));
  const response = rejected ?? (await handler.fetch(request));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) outgoing.end();
  else await pipeline(response.body, outgoing);
}

function asRequest(incoming: IncomingMessage, outgoing: ServerResponse): Request {
  const stopping = new AbortController();
  outgoing.once('close', () => stopping.abort());
  const hasBody = incoming.method !== 'GET' && incoming.method !== 'HEAD';
  return new Request(new URL(incoming.url ?? '/', `http://${incoming.headers.host ?? '127.0.0.1'}`), {
    method: incoming.method ?? 'GET',
    headers: new Headers(
      Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      ),
    ),
    signal: stopping.signal,
    ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' }),
  } as RequestInit);
}
