import { CurlPrinted } from '../errors/index.ts';
import type { AheadOptions } from '../http/gateway.ts';
import { type GatewayRequest, wireRequest } from '../http/request.ts';
import type { RawSender } from '../http/sender.ts';
import { shellQuote, shellQuoteExpanding } from '../text/shell-words.ts';
import type { BrandNames } from '../wire/brand.ts';

/** Shell variable that replaces the API key in printed commands. */
const KEY_VARIABLE = 'GATECTL_API_KEY';

/** The shell variable for the reader's session token in printed commands. */
const TOKEN_VARIABLE = 'GATECTL_READER_TOKEN';

/** Prints the `curl` command of each request instead of sending it. */
export class CurlPrinter implements RawSender {
  readonly #baseUrl: URL;
  readonly #brand: BrandNames;
  readonly #compression: boolean;
  readonly #print: (text: string) => Promise<void>;

  constructor(baseUrl: URL, brand: BrandNames, compression: boolean, print: (text: string) => Promise<void>) {
    this.#baseUrl = baseUrl;
    this.#brand = brand;
    this.#compression = compression;
    this.#print = print;
  }

  capacity(): number {
    return 1;
  }

  async send(request: GatewayRequest): Promise<never> {
    await this.#print(
      curlCommand(request, this.#baseUrl, {
        hiddenHeaders: { [this.#brand.readerTokenHeader]: TOKEN_VARIABLE },
        compression: this.#compression,
      }),
    );
    throw new CurlPrinted();
  }

  sendRaw(request: GatewayRequest): Promise<never> {
    return this.send(request);
  }

  async stream(request: GatewayRequest, ahead?: AheadOptions): Promise<never> {
    // Only the request in turn is printed.
    if (ahead !== undefined) throw new CurlPrinted();
    return await this.send(request);
  }
}

interface CurlOptions {
  /** Headers whose values are replaced by shell variables: name to variable. */
  readonly hiddenHeaders?: Readonly<Record<string, string>>;
  /** Whether compressed responses are accepted. */
  readonly compression?: boolean;
}

/**
 * The `curl` command that sends the same request, with `$GATECTL_API_KEY` in the key's place. It names itself in `User-Agent`: the
 * header says which program sends a request.
 */
export function curlCommand(
  request: GatewayRequest,
  baseUrl: URL,
  { hiddenHeaders = {}, compression = false }: CurlOptions = {},
): string {
  const placeholder = 'KEYPLACEHOLDER';
  const wire = wireRequest(request, baseUrl, placeholder);
  const words = ['curl'];
  if (wire.method !== 'GET') words.push('-X', wire.method);
  words.push(expanding(wire.url.href.replace(placeholder, `$${KEY_VARIABLE}`), [KEY_VARIABLE]));
  const lines = [words.join(' ')];
  for (const [name, value] of Object.entries(wire.headers)) {
    const variable = value === placeholder ? KEY_VARIABLE : hiddenHeaders[name];
    const shown = variable === undefined ? value : `$${variable}`;
    lines.push(`-H ${expanding(`${name}: ${shown}`, variable === undefined ? [] : [variable])}`);
  }
  if (wire.body !== undefined) lines.push(`--data-binary ${shellQuote(wire.body)}`);
  const ownEncoding = Object.keys(wire.headers).some(name => name.toLowerCase() === 'accept-encoding');
  if (compression && !ownEncoding) lines.push('--compressed');
  return lines.join(' \\\n  ');
}

function expanding(text: string, variables: readonly string[]): string {
  return variables.some(name => text.includes(`$${name}`))
    ? shellQuoteExpanding(text, variables)
    : shellQuote(text);
}
