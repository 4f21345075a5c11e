import { fetchCarrier } from '../fetch-carrier.ts';
import type { Host } from '../host.ts';

/** Any runtime with `fetch` and Web APIs. */
export const WEB: Host = {
  carrierOf: settings => fetchCarrier(settings.fetch ?? fetch, settings),
  // Node warns of many listeners, and elsewhere nothing does. An import would need Node.
  shareSignal: signal => globalThis.process?.getBuiltinModule?.('node:events')?.setMaxListeners(0, signal),
  warnOfHook: (_name, _error) => {},
  // Some runtimes ask whoever runs the program before its environment is read.
  isReadOnly: () => false,
  onWriteOf: () => undefined,
};
