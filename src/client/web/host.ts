import { fetchCarrier } from '../fetch-carrier.ts';
import type { Host } from '../host.ts';

/** Any runtime with `fetch` and Web APIs. */
export const WEB: Host = {
  carrierOf: settings => fetchCarrier(settings.fetch ?? fetch, settings),
  shareSignal: () => {},
  warnOfHook: (_name, _error) => {},
  // Whether a domain is bare depends on the Public Suffix List, which is larger than all the rest: the gateway decides.
  // Some runtimes ask whoever runs the program before its environment is read.
  isReadOnly: () => false,
  onWriteOf: () => undefined,
  bareDomain: async domain => domain,
};
