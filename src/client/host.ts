import type { Carrier } from '../http/carrier.ts';
import type { GatewayOptions } from '../http/gateway.ts';
import type { Redactor } from '../text/redactor.ts';
import type { ClientSettings } from './settings.ts';

/** What a gateway needs of the runtime in which it runs. */
export interface Host {
  /** A function that opens what carries the requests of one API. */
  carrierOf(settings: ClientSettings, redactor: Redactor): () => Carrier;
  /** Whether the environment, where there is one, allows reads only. */
  isReadOnly(): boolean;
  /** What logs requests that change something, if `writeLog` asks for it. */
  onWriteOf(settings: ClientSettings, redactor: Redactor): GatewayOptions['onWrite'];
  /** Allows any number of listeners: one signal may abort many calls. */
  shareSignal(signal: AbortSignal): void;
  /** Reports an error of a caller's hook, which must not fail the request that it observes. */
  warnOfHook(name: string, error: unknown): void;
}
