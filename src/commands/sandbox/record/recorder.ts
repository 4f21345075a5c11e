import { join } from 'node:path';
import { invalidValue } from '../../../errors/usage.ts';
import { writeAtomic } from '../../../files/atomic-file.ts';
import { readFile } from '../../../files/disk.ts';
import { makeFolder } from '../../../files/folders.ts';
import { namesIfThere } from '../../../files/if-there.ts';
import {
  jsonOr,
  MANIFEST,
  RECORDING_VERSION,
  type RecordedCall,
  type RecordedExchange,
  type RecordingManifest,
  recordedCall,
} from '../../../sandbox/recording/exchange.ts';
import type { SandboxRequest } from '../../../sandbox/routing.ts';
import type { Pseudonyms } from './pseudonyms.ts';
import { scrubField, scrubJson, scrubText } from './scrub.ts';

/** Response headers that are recorded; others may identify somebody, or belong to the connection. */
const HEADERS =
  /^(?:content-type|cache-control|retry-after|location|allow|etag|last-modified|expires|(?:x-)?ratelimit-.+)$/;
/** Replacing what one replacement has uncovered. */
const MAX_PASSES = 3;

/** A request that arrived and waits for its response. */
export interface OpenExchange {
  readonly number: number;
  readonly call: RecordedCall;
}

/** A complete response. */
export interface CompleteResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** Writes requests and responses to a folder without addresses, tokens, keys and ids. */
export class Recorder {
  readonly #folder: string;
  readonly #brand: string;
  readonly #apiKey: string;
  readonly #pseudonyms: Pseudonyms;
  /** Names of the files with the revision of the pseudonyms when they were written. */
  readonly #written = new Map<string, number>();
  #arrived = 0;
  #recorded = 0;

  private constructor(folder: string, brand: string, apiKey: string, pseudonyms: Pseudonyms) {
    this.#folder = folder;
    this.#brand = brand;
    this.#apiKey = apiKey;
    this.#pseudonyms = pseudonyms;
  }

  /** Starts a recording in an empty or a new folder; `apiKey` is the key of clients. Throws UsageError and FileError. */
  static async start(
    folder: string,
    { brand, apiKey, pseudonyms }: { brand: string; apiKey: string; pseudonyms: Pseudonyms },
  ): Promise<Recorder> {
    await makeFolder(folder);
    if ((await namesIfThere(folder)).length > 0)
      throw invalidValue(
        `the folder ${folder} is not empty`,
        'type another --record-to, or remove its files',
      );
    return new Recorder(folder, brand, apiKey, pseudonyms);
  }

  /** How many responses were recorded. */
  get recorded(): number {
    return this.#recorded;
  }

  /** Numbers a request and replaces its secrets. */
  begin(request: SandboxRequest): OpenExchange {
    this.#arrived += 1;
    const names = { brand: this.#brand, apiKey: this.#apiKey };
    const { reader = {}, ...call } = recordedCall(request, names);
    const { email, token } = reader;
    const made = this.#pseudonyms;
    const readers = {
      ...(email !== undefined && { email: email === '' ? '' : made.email(email) }),
      ...(token !== undefined && { token: token === '' ? '' : made.token(token) }),
    };
    const text = request.body.toString();
    const entries = Object.entries(call.query).map(([name, values]) => [
      scrubText(name, made),
      Array.isArray(values)
        ? values.map(value => scrubField(name, value, made))
        : scrubField(name, String(values), made),
    ]);
    const scrubbed: RecordedCall = {
      method: call.method,
      path: scrubText(call.path, made),
      query: Object.fromEntries(entries),
      key: call.key,
      ...(Object.keys(readers).length > 0 && { reader: readers }),
      ...(call.body !== undefined && { body: jsonOr(this.#clean(text)) }),
    };
    return { number: this.#arrived, call: scrubbed };
  }

  /** Writes the exchange. Returns false if it cannot be written without a secret. */
  async finish({ number, call }: OpenExchange, response: CompleteResponse): Promise<boolean> {
    const { status, headers, body } = response;
    const type = headers['content-type'] ?? '';
    const slug = call.path
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '');
    const name = `${String(number).padStart(4, '0')}-${call.method.toLowerCase()}-${slug}`.slice(0, 80);
    const bodyFile = body.length === 0 ? undefined : `${name}.body.${extensionOf(type)}`;
    const kept = Object.entries(headers).filter(
      ([header, value]) => value !== undefined && HEADERS.test(header),
    );
    const exchange: RecordedExchange = {
      request: call,
      response: {
        status,
        headers: Object.fromEntries(
          kept.map(([header, value = '']) => [header, scrubText(value, this.#pseudonyms)]),
        ),
        ...(bodyFile !== undefined && { bodyFile }),
      },
    };
    // The body first: it may have what must be replaced in the request.
    const text = this.#clean(body.toString());
    const head = this.#cleanText(`${JSON.stringify(exchange, undefined, 2)}\n`);
    if (!this.#isClean(text) || !this.#isClean(head)) return false;
    const manifest: RecordingManifest = { version: RECORDING_VERSION, brand: this.#brand };
    if (this.#recorded === 0) await this.#write(MANIFEST, `${JSON.stringify(manifest, undefined, 2)}\n`);
    if (bodyFile !== undefined) await this.#write(bodyFile, text);
    await this.#write(`${name}.json`, head);
    this.#recorded += 1;
    return true;
  }

  /** Replaces in earlier files what later ones have shown to be secret. */
  async close(): Promise<void> {
    for (const [name, revision] of this.#written) {
      if (revision === this.#pseudonyms.revision) continue;
      const text = await readFile(join(this.#folder, name), 'utf8');
      const scrubbed = scrubText(text, this.#pseudonyms);
      if (scrubbed !== text) await this.#write(name, scrubbed);
    }
  }

  async #write(name: string, text: string): Promise<void> {
    this.#written.set(name, this.#pseudonyms.revision);
    await writeAtomic(join(this.#folder, name), text);
  }

  #clean(text: string): string {
    return this.#cleanText(scrubJson(text, this.#pseudonyms) ?? text);
  }

  #cleanText(text: string): string {
    let clean = text;
    for (let pass = 0; pass < MAX_PASSES && !this.#isClean(clean); pass += 1)
      clean = scrubText(clean, this.#pseudonyms);
    return clean;
  }

  #isClean(text: string): boolean {
    return scrubText(text, this.#pseudonyms) === text;
  }
}

function extensionOf(contentType: string): string {
  if (/json/i.test(contentType)) return 'json';
  return /html/i.test(contentType) ? 'html' : 'txt';
}
