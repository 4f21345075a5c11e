import { fetchCarrier } from '../fetch-carrier.ts';
import type { Host } from '../host.ts';

/** Any runtime with `fetch` and Web APIs. */
export const WEB: Host = {
  carrierOf: settings => fetchCarrier(settings.fetch ?? fetch, settings),
  shareSignal: () => {},
  warnOfHook: (_name, _error) => {},
  // Some runtimes ask whoever runs the program before its environment is read.
  isReadOnly: () => false,
  onWriteOf: () => undefined,
};
