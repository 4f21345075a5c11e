import type { Settings } from '../../../config/resolve.ts';
import { connectorOf } from '../../../http/connector.ts';
import { acceptEncoding, decodingOf } from '../../../http/content-encoding.ts';
import { decompressed } from '../../../http/decompress.ts';
import type { Network } from '../../../http/dispatcher.ts';
import { networkFailure } from '../../../http/network-errors.ts';
import type { WireRequest } from '../../../http/request.ts';
import { Transport } from '../../../http/transport.ts';
import { apiOf } from '../../../sandbox/gateway.ts';
import { errorResponse } from '../../../sandbox/http-error.ts';
import type { Responder } from '../../../sandbox/index.ts';
import type { SandboxReply, SandboxRequest } from '../../../sandbox/routing.ts';
import { BDA_V1_PREFIX } from '../../../wire/bda-v1.ts';
import { BDA_V2_PREFIX } from '../../../wire/bda-v2.ts';
import { brandNames } from '../../../wire/brand.ts';
import { CDN_PREFIX } from '../../../wire/cdn.ts';
import { API_KEY_HEADER, API_KEY_PARAMETER } from '../../../wire/key.ts';
import { SUBSCRIPTIONS_PREFIX } from '../../../wire/subscriptions.ts';
import type { CompleteResponse, OpenExchange, Recorder } from './recorder.ts';

/** Larger responses are passed on without being recorded. */
const MAX_RECORDED = 32 * 1024 * 1024;
/** Replaces a wrong key of a client, which may be a secret of something else. */
const WRONG_KEY = 'invalid-key';
/** Response headers of one connection, or of the encoding that was removed. */
const NOT_PASSED_ON =
  /^(?:connection|keep-alive|transfer-encoding|content-length|content-encoding|date|vary|set-cookie|proxy-.*|te|trailer|upgrade|alt-svc)$/;

interface ProxyOptions {
  readonly baseUrl: URL;
  /** The key of the gateway. */
  readonly key: string;
  /** The key that clients send. */
  readonly clientKey: string;
  readonly settings: Settings;
  readonly network: Network;
  readonly recorder: Recorder;
  readonly signal: AbortSignal;
  readonly note: (text: string) => void;
  readonly warn: (text: string) => void;
}

/** A server's part that sends requests to the gateway and records the responses. */
interface Proxy {
  readonly respond: Responder;
  /** Closes the connections to the gateway, and resolves when what it has sent is recorded. */
  close(): Promise<void>;
}

/** Creates a proxy. It follows no redirects and repeats no requests: that is up to the client, and is recorded. */
export function recordingProxy(options: ProxyOptions): Proxy {
  const { settings, network, recorder, signal, note, warn } = options;
  const prefixes = prefixesOf(settings);
  const timeoutMs = settings.timeout.value * 1000;
  const concluding = new Set<Promise<void>>();
  const transport = new Transport(network, acceptEncoding(settings.compression.value), connectorOf(network));

  async function respond(request: SandboxRequest): Promise<SandboxReply> {
    const path = canonical(request.path, prefixes);
    if (path === undefined)
      return errorResponse(undefined, { status: 404, message: `${request.path} is not a path of an API` });
    const open = recorder.begin({ ...request, path });
    const wire = toGateway({ ...request, path }, prefixes, options);
    try {
      const response = await transport.exchange(wire, signal, timeoutMs);
      const decoding = decodingOf(response.headers['content-encoding'], settings.compression.value);
      const { status, headers } = response;
      const passed = Object.entries(headers).filter(
        (entry): entry is [string, string] => entry[1] !== undefined && !NOT_PASSED_ON.test(entry[0]),
      );
      if (decoding.kind === 'unsupported') {
        response.body.drop();
        return failed(open, `its response is ${decoding.reason}`);
      }
      const body =
        decoding.kind === 'supported' ? decompressed(response.body, decoding.encoding) : response.body;
      return {
        status,
        headers: Object.fromEntries(passed),
        body: recorded(open, { status, headers, body }),
      };
    } catch (error) {
      const { error: typed } = networkFailure(error, {
        method: request.method,
        origin: wire.url.origin,
        path,
      });
      return failed(open, typed.message);
    }
  }

  function failed({ call: { method, path } }: OpenExchange, reason: string): SandboxReply {
    warn(`not recorded: ${method} ${path}: ${reason}`);
    return errorResponse(apiOf(path), { status: 502, message: `no response of the gateway: ${reason}` });
  }

  /** Passes a body on as it arrives, and records it when it is complete. */
  async function* recorded(
    open: OpenExchange,
    { body, ...head }: Omit<CompleteResponse, 'body'> & { readonly body: AsyncIterable<Uint8Array> },
  ): AsyncGenerator<Uint8Array> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    let reason: string | undefined = 'the client closed the connection';
    try {
      for await (const chunk of body) {
        size += chunk.length;
        if (size <= MAX_RECORDED) chunks.push(chunk);
        else chunks.length = 0;
        yield chunk;
      }
      reason = size > MAX_RECORDED ? `the response is larger than ${MAX_RECORDED >> 20} MB` : undefined;
    } catch (error) {
      reason = 'the response broke off';
      throw error;
    } finally {
      const concluded = conclude(open, reason, { ...head, body: Buffer.concat(chunks) });
      concluding.add(concluded);
      await concluded;
      concluding.delete(concluded);
    }
  }

  async function conclude(
    open: OpenExchange,
    reason: string | undefined,
    response: CompleteResponse,
  ): Promise<void> {
    const { method, path } = open.call;
    if (reason !== undefined) return warn(`not recorded: ${method} ${path}: ${reason}`);
    try {
      const isWritten = await recorder.finish(open, response);
      // The query and the body may have a token that a later request shows to be one.
      const reader = open.call.reader?.email === undefined ? '' : ` of ${open.call.reader.email}`;
      if (isWritten) note(`recorded ${method} ${path}${reader} -> ${response.status}`);
      else warn(`not recorded: ${method} ${path}: a secret cannot be replaced in it`);
    } catch (error) {
      warn(`not recorded: ${method} ${path}: ${(error as Error).message}`);
    }
  }

  return {
    respond,
    async close() {
      await transport.close();
      await Promise.all(concluding);
    },
  };
}

/** The documented prefix of each API with the one that the gateway has. */
type Prefixes = readonly (readonly [documented: string, own: string])[];

function prefixesOf(settings: Settings): Prefixes {
  return [
    [SUBSCRIPTIONS_PREFIX, settings.prefixSubscriptions.value],
    [CDN_PREFIX, settings.prefixCdn.value],
    [BDA_V2_PREFIX, settings.prefixBdaV2.value],
    [BDA_V1_PREFIX, settings.prefixBdaV1.value],
  ];
}

/** The path as the API documentation has it; undefined for one of no API. */
function canonical(path: string, prefixes: Prefixes): string | undefined {
  for (const [documented, own] of prefixes) {
    for (const prefix of [documented, own])
      if (path.startsWith(`${prefix}/`)) return documented + path.slice(prefix.length);
  }
  return undefined;
}

/** The request for the gateway: with its key where the client has put its own, and without headers that it does not need. */
function toGateway(
  { method, path, query, headers, body }: SandboxRequest,
  prefixes: Prefixes,
  { baseUrl, key, clientKey, settings }: ProxyOptions,
): WireRequest {
  const [documented, own] = prefixes.find(([prefix]) => path.startsWith(`${prefix}/`)) ?? ['', ''];
  const url = new URL(baseUrl);
  url.pathname = baseUrl.pathname.replace(/\/+$/, '') + own + path.slice(documented.length);
  const gatewayKey = (sent: string) => (sent === '' ? '' : sent === clientKey ? key : WRONG_KEY);
  for (const [name, value] of query)
    url.searchParams.append(name, name === API_KEY_PARAMETER ? gatewayKey(value) : value);
  const sent = headers[API_KEY_HEADER.toLowerCase()]?.trim();
  const names = brandNames(settings.brand.value);
  const passed = ['accept', 'content-type', names.readerEmailHeader, names.readerTokenHeader].flatMap(
    name => {
      const value = headers[name.toLowerCase()];
      // Node reads the bytes of a header as Latin-1.
      return value === undefined ? [] : [[name, Buffer.from(value, 'latin1').toString()] as const];
    },
  );
  return {
    method,
    url,
    headers: {
      ...Object.fromEntries(passed),
      ...(sent !== undefined && { [API_KEY_HEADER]: gatewayKey(sent) }),
    },
    body: body.length === 0 ? undefined : body.toString(),
  };
}
