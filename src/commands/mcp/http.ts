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
  return await serveLoopback(port, (request, token) => respond(request, handler, token));
}

async function respond(request: Request, handler: McpHttpHandler, token: string): Promise<Response> {
  const rejected =
    hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins()) ??
    (new URL(request.url).pathname === '/mcp' ? undefined : new Response(null, { status: 404 })) ??
    (isToken(request.headers.get('authorization'), token)
      ? undefined
      : new Response(null, { status: 401, headers: { 'www-authenticate': 'Bearer' } }));
  return rejected ?? (await handler.fetch(request));
}
