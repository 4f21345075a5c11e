import { CurlPrinted } from '../errors/index.ts';
import { curlCommand } from '../http/curl.ts';
import type { GatewayRequest } from '../http/request.ts';
import type { RawSender } from '../http/sender.ts';
import type { BrandNames } from '../wire/brand.ts';

/** The shell variable for the reader's session token in printed commands. */
const TOKEN_VARIABLE = 'GATECTL_READER_TOKEN';

/** Prints the `curl` command of each request instead of sending it. */
export class CurlPrinter implements RawSender {
  readonly capacity = 1;
  readonly #baseUrl: URL;
  readonly #brand: BrandNames;
  readonly #print: (text: string) => Promise<void>;

  constructor(baseUrl: URL, brand: BrandNames, print: (text: string) => Promise<void>) {
    this.#baseUrl = baseUrl;
    this.#brand = brand;
    this.#print = print;
  }

  async send(request: GatewayRequest): Promise<never> {
    await this.#print(
      curlCommand(request, this.#baseUrl, { [this.#brand.readerTokenHeader]: TOKEN_VARIABLE }),
    );
    throw new CurlPrinted();
  }

  ask(request: GatewayRequest): Promise<never> {
    return this.send(request);
  }

  stream(request: GatewayRequest): Promise<never> {
    return this.send(request);
  }
}
