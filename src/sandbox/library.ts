/** The embedded gateway for tests of programs: `gatectl/sandbox`. */

import { API_KEY_HEADER, API_KEY_PARAMETER } from '../wire/key.ts';
import { SANDBOX_START } from '../wire/sandbox-start.ts';
import { parseFault } from './faults/spec.ts';
import { FixtureError, parseFixtures } from './fixtures/parse.ts';
import type { EntitlementStatus, Fixtures, ProductState, SessionState } from './fixtures/shape.ts';
import { suggestion } from './http-error.ts';
import { type Sandbox as Embedded, startSandbox as startEmbedded } from './index.ts';
import { readRecording } from './recording/recording.ts';
import type { SandboxRequest } from './routing.ts';
import type { SeededProduct, SeededReader } from './site.ts';

export { FaultSpecError } from './faults/spec.ts';
export { FixtureError } from './fixtures/parse.ts';
export { LoopbackOnlyError } from './loopback.ts';
export { RecordingError } from './recording/recording.ts';
export type { EntitlementStatus, ProductState, SeededProduct, SeededReader, SessionState };

/** An account of your own. Timestamps are RFC 3339 strings. */
export interface SandboxFixtures {
  readonly apiKey?: string;
  readonly domains: readonly {
    /** Bare: no scheme, no `www.`, no path. */
    readonly domain: string;
    /** The analytics id of the domain. */
    readonly id?: number;
    /** Whether subscriptions are enabled; true by default. */
    readonly subscriptions?: boolean;
    readonly products?: readonly { readonly key: string; readonly state?: ProductState }[];
    readonly readers?: readonly {
      readonly email: string;
      readonly note?: string;
      readonly sessions?: readonly {
        readonly id: string;
        readonly state?: SessionState;
        readonly expires?: string;
      }[];
      /** Each has either `product` or `item`. */
      readonly entitlements?: readonly {
        readonly product?: string;
        readonly item?: string;
        readonly status?: EntitlementStatus;
        readonly starts?: string;
        readonly expires?: string;
      }[];
    }[];
  }[];
}

export interface SandboxOptions {
  /** Replaces the built-in account. */
  readonly fixtures?: SandboxFixtures;
  /** A folder that `gatectl sandbox serve --record-from` wrote: its responses replace the account. */
  readonly replay?: string;
  /** Faults as `gatectl sandbox serve --fault` reads them, such as `status=503,path=/access,count=2`. */
  readonly faults?: readonly string[];
  /**
   * Stops the clock of the gateway at a time, until `clock` moves it, so that tests are repeatable: 2026-03-14T12:00:00Z by default.
   * `now` follows the clock of this machine.
   */
  readonly clock?: Date | string | number;
  /** Origins of web pages that may read responses (CORS), or true for all pages of this machine; none by default. */
  readonly cors?: readonly string[] | boolean;
  /** The service's brand word in header names and platform values; that of the recording, or `service`, by default. */
  readonly brand?: string;
  /** The seed of tokens and figures; the same seed gives the same ones. */
  readonly seed?: number;
  /** Whether the figures of a day change as the clock advances, as those of the last days do at a real gateway; false by default. */
  readonly restates?: boolean;
  /** Any free port by default. */
  readonly port?: number;
}

/** A request that arrived, in its order. The API key is replaced by `***`. */
export interface RecordedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body as JSON; undefined if it is not JSON. */
  readonly json: unknown;
  /** Undefined until the response was sent, or if the connection was cut. */
  readonly status: number | undefined;
  /** The faults that affected it. */
  readonly faults: readonly string[];
}

/** The clock of the gateway. */
export interface SandboxClock {
  now(): Date;
  /** Stops the clock at a time. */
  set(time: Date | string | number): void;
  /** Moves the clock forward, whether it runs or was stopped. */
  advance(ms: number): void;
}

export interface Sandbox {
  /** Scheme, host and port; no trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly domains: readonly { readonly domain: string; readonly id: number }[];
  readonly products: readonly SeededProduct[];
  /** The readers, with what each demonstrates and a session token. */
  readonly readers: readonly SeededReader[];
  /** The requests since the start, or since `reset()`. */
  readonly requests: readonly RecordedRequest[];
  readonly clock: SandboxClock;
  /** Replaces all faults; none removes them. */
  setFaults(...faults: readonly string[]): void;
  /** Restores the state after the start, for the next test: faults, clock, saved reports and segments, purges, the recording, `requests`. */
  reset(): void;
  /** Closes all connections immediately. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts the gateway in this process, on a free port of the loopback address. Throws FixtureError, RecordingError and FaultSpecError
 * for invalid options.
 *
 * @example
 * const sandbox = await startSandbox();
 * const gateway = new Gateway({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, domain: 'example.com' });
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const unknown = Object.keys(options).find(name => !OPTIONS.includes(name));
  if (unknown !== undefined) throw new TypeError(`unknown option ${unknown}${suggestion(unknown, OPTIONS)}`);
  const { fixtures, replay, faults = [], cors = false, clock: start = SANDBOX_START, ...rest } = options;
  if (fixtures !== undefined && replay !== undefined)
    throw new TypeError('fixtures and replay cannot be combined');
  const clock = new MovableClock(start);
  const requests: RecordedRequest[] = [];
  const embedded = await startEmbedded({
    ...rest,
    ...(fixtures !== undefined && { fixtures: validFixtures(fixtures) }),
    ...(replay !== undefined && { recording: await readRecording(replay) }),
    faults: faults.map(parseFault),
    now: clock.milliseconds,
    rateNow: clock.elapsing,
    cors: cors === true ? 'loopback' : cors === false ? [] : cors,
    record: request => {
      const recorded: { -readonly [Field in keyof RecordedRequest]: RecordedRequest[Field] } =
        recordOf(request);
      requests.push(recorded);
      return (status, affecting) => {
        recorded.status = status;
        recorded.faults = affecting;
      };
    },
  });
  const close = () => embedded.close();
  const { baseUrl, apiKey, domains, products, readers }: Embedded = embedded;
  return {
    baseUrl,
    apiKey,
    domains,
    products,
    readers,
    requests,
    clock,
    setFaults: (...replaced) => embedded.setFaults(replaced.map(parseFault)),
    reset() {
      embedded.reset();
      clock.restart();
      requests.length = 0;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

const OPTIONS = ['fixtures', 'replay', 'faults', 'clock', 'cors', 'brand', 'seed', 'restates', 'port'];

function validFixtures(fixtures: SandboxFixtures): Fixtures {
  try {
    return parseFixtures(JSON.stringify(fixtures));
  } catch (error) {
    if (!(error instanceof FixtureError)) throw error;
    error.message += `: ${error.problems.map(({ path, message }) => `${path} ${message}`.trim()).join('; ')}`;
    throw error;
  }
}

function recordOf({ method, path, query, headers, body }: SandboxRequest): RecordedRequest {
  const text = body.toString();
  const keyHeader = API_KEY_HEADER.toLowerCase();
  return {
    method,
    path,
    query: {
      ...Object.fromEntries(query),
      ...(query.has(API_KEY_PARAMETER) && { [API_KEY_PARAMETER]: '***' }),
    },
    headers: { ...headers, ...(headers[keyHeader] !== undefined && { [keyHeader]: '***' }) },
    body: text,
    json: jsonIn(text),
    status: undefined,
    faults: [],
  };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const machineTime = Date.now;

class MovableClock implements SandboxClock {
  /** Milliseconds; undefined for a clock that runs. */
  readonly #start: number | undefined;
  #stoppedAt: number | undefined;
  #advanced = 0;

  constructor(start: Date | string | number) {
    this.#start = start === 'now' ? undefined : timeOf(start);
    this.#stoppedAt = this.#start;
  }

  readonly milliseconds = (): number => Math.floor(this.#stoppedAt ?? machineTime()) + this.#advanced;

  /** Runs even while the clock is stopped: the windows of rate limits pass. */
  readonly elapsing = (): number => machineTime() + this.#advanced;

  now(): Date {
    return new Date(this.milliseconds());
  }

  set(time: Date | string | number): void {
    this.#stoppedAt = timeOf(time);
    this.#advanced = 0;
  }

  advance(ms: number): void {
    this.#advanced += ms;
  }

  restart(): void {
    this.#stoppedAt = this.#start;
    this.#advanced = 0;
  }
}

function timeOf(time: Date | string | number): number {
  const at = new Date(time).getTime();
  if (Number.isNaN(at)) throw new RangeError(`not a time: ${String(time)}`);
  return at;
}
