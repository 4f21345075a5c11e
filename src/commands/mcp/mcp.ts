import { Readable } from 'node:stream';
import { cannotCombine } from '../../errors/usage.ts';
import { fileError, systemCode } from '../../files/file-error.ts';
import type { Context } from '../framework/context.ts';
import { boolean, defineCommand, integer } from '../framework/define-command.ts';
import { untilAborted } from '../framework/loopback-server.ts';
import { TEXT } from '../framework/output-schema.ts';
import { ALLOW_FLAG } from './allow-flag.ts';

export const mcp = defineCommand({
  name: 'mcp',
  effect: 'request',
  summary: 'serve tools to an AI assistant (Model Context Protocol)',
  description: `Serves the Model Context Protocol on stdin and stdout: tools to look up and audit readers, query and watch analytics, convert requests and plan purges. Tools change nothing at the gateway unless --allow permits it: a purge is then planned first and applied by the id of its plan, once, within five minutes. E-mail addresses are masked. AI clients start this command; gatectl mcp install adds it to their configuration.`,
  options: {
    allow: ALLOW_FLAG,
    unmask: boolean('--unmask', 'show e-mail addresses of readers to the assistant'),
    maxTargets: integer('--max-targets <n>', 'maximum URLs or keys in one purge plan', {
      min: 1,
      max: 10_000,
      fallback: 500,
    }),
    callsPerMinute: integer('--calls-per-minute <n>', 'maximum calls per minute', {
      min: 1,
      max: 600,
      fallback: 30,
    }),
    http: integer('--http <port>', 'serve streamable HTTP on this loopback port instead (0: any free port)', {
      min: 0,
      max: 65_535,
    }),
  },
  examples: {
    'gatectl mcp': 'serve read-only tools with the current profile',
    'gatectl mcp --allow cdn-purge --max-targets 100': 'allow purges of up to 100 URLs',
    'gatectl mcp --sandbox': 'try it with the embedded gateway',
    'gatectl mcp install cursor': 'add it to a client',
  },
  output: TEXT,
  async run({ http, allow, ...flags }, context) {
    if (context.globals.curl)
      throw cannotCombine('--curl and gatectl mcp', 'use --curl with the command whose request to print');
    if (http === undefined && context.io.stdin.isTTY)
      context.log.note('waiting for an MCP client on stdin; Ctrl-C stops it');
    // The SDK is large, and only this command needs it.
    const { McpService } = await import('./server.ts');
    const service = new McpService(context, { allow, ...flags });
    if (http !== undefined) return await serveOverHttp(service, http, context);
    const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
    const { validMessages } = await import('./stdio-messages.ts');
    const { stdin, stdout } = context.io;
    const messages = Readable.from(
      validMessages(stdin, rejection => stdout.write(`${JSON.stringify(rejection)}\n`)),
    );
    const closed = new Promise<void>((resolve, reject) => {
      const transport = new StdioServerTransport(messages, stdout);
      const { close } = transport;
      transport.close = async () => {
        await close.call(transport);
        resolve();
      };
      const handle = serveStdio(() => service.connect(), {
        transport,
        onerror: error => {
          const { message } = error;
          if (systemCode(error) !== undefined) {
            // A disconnected client reads nothing.
            if (systemCode(error) !== 'EPIPE') reject(fileError('stdout', error, 'write'));
            handle.close();
          } else context.log.warn(`invalid message: ${message}`);
        },
      });
      messages.once('end', () => handle.close()).once('close', () => handle.close());
      // A signal ends stdin with an error, which the transport hears no longer once it is closed.
      messages.on('error', () => {});
      untilAborted(context.signal).then(() => handle.close());
    });
    await closed;
  },
});

async function serveOverHttp(
  service: import('./server.ts').McpService,
  port: number,
  context: Context,
): Promise<void> {
  const { serveHttp } = await import('./http.ts');
  const server = await serveHttp(service, port);
  await context.out.printText(
    `MCP at ${server.origin}/mcp; Ctrl-C stops it.\nClients send: Authorization: Bearer ${server.token}\n`,
  );
  await untilAborted(context.signal);
  await server.close();
}
