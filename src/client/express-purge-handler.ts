import { UsageError } from '../errors/index.ts';

/** A request of Express, or of another framework with the requests of Node. */
export interface ExpressRequest extends AsyncIterable<unknown> {
  readonly method?: string | undefined;
  /** Path and query, whatever the route is mounted at. */
  readonly originalUrl?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** What middleware before made of the body. */
  readonly body?: unknown;
  /** Whether something has read the body. */
  readonly readableDidRead?: boolean;
}

/** A response of Express. */
export interface ExpressResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body: Uint8Array): unknown;
}

/**
 * A handler of `createPurgeHandler` as one of Express. Signatures are over the bytes of the body: no middleware may have parsed it, but
 * `express.raw({ type: () => true })` may have read it. Anything else, and what the handler throws, is passed to `next`.
 *
 * @example
 * app.post('/events/:sender', expressPurgeHandler(createPurgeHandler({ gateway, map, senders })));
 */
export function expressPurgeHandler(
  handle: (request: Request) => Promise<Response>,
): (request: ExpressRequest, response: ExpressResponse, next: (error?: unknown) => void) => void {
  const respond = async (request: ExpressRequest, response: ExpressResponse) => {
    const made = await handle(asRequest(request));
    const body = new Uint8Array(await made.arrayBuffer());
    response.statusCode = made.status;
    made.headers.forEach((value, name) => {
      response.setHeader(name, value);
    });
    response.end(body);
  };
  return (request, response, next) => {
    respond(request, response).catch(next);
  };
}

/** The host is not that of the request: what is signed is the path. Throws UsageError for a body that was parsed. */
function asRequest(request: ExpressRequest): Request {
  const { method = 'GET', originalUrl, url = '/', headers } = request;
  const given = Object.entries(headers).flatMap(([name, values]) =>
    [values ?? []].flat().map((value): [string, string] => [name, value]),
  );
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(new URL(originalUrl ?? url, 'http://localhost'), {
    method,
    headers: given,
    ...(hasBody && { body: bodyOf(request), duplex: 'half' }),
  } as RequestInit);
}

function bodyOf(request: ExpressRequest): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  const { body, readableDidRead } = request;
  if (body instanceof Uint8Array) return new Uint8Array(body);
  if (readableDidRead === true)
    throw new UsageError('the body was parsed: put the route of events before express.json()', {
      code: 'invalid_usage',
    });
  const chunks = request[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(new Uint8Array(value as Uint8Array));
    },
  });
}
