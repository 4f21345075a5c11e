import type { Carrier } from '../../src/http/carrier.ts';
import type { WireRequest } from '../../src/http/request.ts';
import type { StreamingBody, StreamingResponse } from '../../src/http/streaming-response.ts';
import type { SandboxReply, SandboxRequest } from '../../src/sandbox/routing.ts';
import { systemError } from './disk.ts';
import type { Machine, Process } from './machine.ts';
import type { FaultKind } from './world.ts';

/** A request that arrived at the gateway, and what became of it. */
export interface Exchange {
  readonly step: number;
  readonly process: Process;
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** Undefined until the gateway has answered. */
  status: number | undefined;
  reply: string | undefined;
  /** Whether its process has the answer. */
  isDelivered: boolean;
}

const LATE_MS = 150_000;

/** In place of `Transport`: requests go to the embedded gateway without a socket, and take a random time there and back. */
export function transportOf(machine: () => Machine, current: () => Process) {
  return class SimulatedTransport implements Carrier {
    exchange(wire: WireRequest, signal: AbortSignal): Promise<StreamingResponse> {
      signal.throwIfAborted();
      return exchange(machine(), current(), wire, signal);
    }

    async close(): Promise<void> {}
  };
}

async function exchange(
  machine: Machine,
  process: Process,
  wire: WireRequest,
  signal: AbortSignal,
): Promise<StreamingResponse> {
  const { world } = machine;
  if (process.isDead) return await new Promise(() => {});
  const { method, url } = wire;
  const place = `${method} ${url.pathname}`;
  const fault = world.nextStep(place);
  if (fault !== undefined) world.struck.push(`${fault} ${place}`);
  if (fault === 'kill before') process.kill();
  if (fault === 'cut before') machine.cutPower();
  if (process.isDead) return await new Promise(() => {});
  return await new Promise((resolve, reject) => {
    const end = () => reject(signal.reason);
    signal.addEventListener('abort', end, { once: true });
    const fail = (code: string) =>
      world.after(travel(world.random()), process, () => reject(systemError(code, 'read')));
    if (fault === 'fail') {
      fail('ECONNREFUSED');
      return;
    }
    if (fault === 'lose request') {
      fail('ECONNRESET');
      return;
    }
    // What was sent arrives even where its process ends meanwhile.
    world.after(travel(world.random()), undefined, async () => {
      const sent: Exchange = {
        step: world.step,
        process,
        method,
        path: url.pathname,
        body: bodyText(wire),
        status: undefined,
        reply: undefined,
        isDelivered: false,
      };
      machine.exchanges.push(sent);
      const request = requestOf(wire);
      const {
        status,
        headers = {},
        body,
      } = refusal(fault) ?? machine.respond(request) ?? (await machine.answer(request));
      const bytes = await collected(body);
      sent.status = status;
      sent.reply = bytes.toString();
      machine.onExchange(sent);
      world.note(`${world.step} answered ${status} ${bytes.length}`);
      if (fault === 'kill after' || fault === 'kill within') process.kill();
      if (fault === 'cut after') machine.cutPower();
      if (fault === 'lose answer') {
        fail('ECONNRESET');
        return;
      }
      const ms = travel(world.random()) + (fault === 'late answer' ? LATE_MS : 0);
      world.after(ms, process, () => {
        if (signal.aborted) return;
        sent.isDelivered = fault !== 'cut answer';
        const named = Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
        );
        resolve({
          status,
          headers: { 'content-length': String(bytes.length), ...named },
          body: new Body(machine, process, bytes, fault === 'cut answer', signal),
        });
      });
    });
  });
}

const travel = (random: number) => 1 + random * random * 60;

function refusal(fault: FaultKind | undefined): SandboxReply | undefined {
  const headers = { 'content-type': 'application/json' };
  if (fault === 'refuse 429')
    return {
      status: 429,
      headers: { ...headers, 'retry-after': '2' },
      body: '{"success":false,"error":{"code":"rate_limit_exceeded","message":"slow down"}}',
    };
  if (fault === 'refuse 503')
    return {
      status: 503,
      headers,
      body: '{"success":false,"error":{"code":"unavailable","message":"later"}}',
    };
  return undefined;
}

const bodyText = ({ body }: WireRequest) => (body === undefined || body === null ? '' : String(body));

function requestOf(wire: WireRequest): SandboxRequest {
  const headers = Object.entries(wire.headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
  return {
    method: wire.method,
    path: wire.url.pathname,
    query: wire.url.searchParams,
    headers: Object.fromEntries(headers),
    body: Buffer.from(bodyText(wire)),
  };
}

/** The bytes of an answer. */
export async function collected(body: SandboxReply['body']): Promise<Buffer> {
  if (body === undefined) return Buffer.alloc(0);
  if (typeof body === 'string' || body instanceof Uint8Array) return Buffer.from(body as string);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A body that arrives in a few pieces, or breaks off. */
class Body implements StreamingBody, AsyncIterator<Uint8Array, undefined> {
  readonly ended: Promise<void>;
  readonly #machine: Machine;
  readonly #process: Process;
  readonly #signal: AbortSignal;
  readonly #isCut: boolean;
  #rest: Buffer;
  #isOver = false;
  #onEnd: () => void = () => {};
  #reader: ((piece: IteratorResult<Uint8Array, undefined>) => void) | undefined;

  constructor(machine: Machine, process: Process, bytes: Buffer, isCut: boolean, signal: AbortSignal) {
    this.#machine = machine;
    this.#process = process;
    this.#signal = signal;
    this.#isCut = isCut;
    this.#rest = isCut ? bytes.subarray(0, machine.world.below(bytes.length)) : bytes;
    this.ended = new Promise(resolve => {
      this.#onEnd = resolve;
    });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const { world } = this.#machine;
    return new Promise((resolve, reject) => {
      if (this.#isOver) {
        resolve({ done: true, value: undefined });
        return;
      }
      this.#reader = resolve;
      const abort = () => {
        this.drop();
        reject(this.#signal.reason);
      };
      if (this.#signal.aborted) {
        abort();
        return;
      }
      this.#signal.addEventListener('abort', abort, { once: true });
      world.after(world.random() * 4, this.#process, () => {
        this.#signal.removeEventListener('abort', abort);
        if (this.#isOver) return;
        const length = Math.max(1, Math.ceil(this.#rest.length * (0.3 + 0.7 * world.random())));
        const piece = this.#rest.subarray(0, length);
        this.#rest = this.#rest.subarray(length);
        if (piece.length > 0) {
          this.#reader = undefined;
          resolve({ done: false, value: piece });
          return;
        }
        if (!this.#isCut) {
          this.drop();
          return;
        }
        this.#reader = undefined;
        this.drop();
        reject(systemError('ECONNRESET', 'read'));
      });
    });
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.drop();
    return { done: true, value: undefined };
  }

  endIfIdle(): boolean {
    if (this.#reader === undefined) return false;
    this.drop();
    return true;
  }

  drop(): void {
    this.#isOver = true;
    this.#reader?.({ done: true, value: undefined });
    this.#reader = undefined;
    this.#onEnd();
  }
}
