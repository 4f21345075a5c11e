import { setMaxListeners } from 'node:events';
import { homedir } from 'node:os';
import type { Platform } from '../config/platform.ts';
import { processTable } from '../files/process-table.ts';
import { dispatcherCarrier } from './dispatcher-carrier.ts';
import { fetchCarrier } from './fetch-carrier.ts';
import type { Host } from './host.ts';
import { ownCarrier } from './own-carrier.ts';

// The only module of the client that touches the process.

/** Where profiles and proxies are configured. */
export function platform(): Platform {
  return { env: process.env, platform: process.platform, homedir: homedir(), cwd: process.cwd() };
}

/** Values of GATECTL_READ_ONLY that restrict nothing. */
const NOT_READ_ONLY: ReadonlySet<string> = new Set(['', '0', 'false']);

function warnOfHook(name: string, error: unknown): void {
  process.emitWarning(
    `${name} threw: ${error instanceof Error ? error.message : String(error)}`,
    'GatectlWarning',
  );
}

/** Node, with connections of its own unless the program brings a `fetch` or a dispatcher. */
export const NODE: Host = {
  carrierOf: (settings, redactor) => {
    const { fetch: send, dispatcher, proxy } = settings;
    if (send !== undefined) return fetchCarrier(send, settings);
    if (dispatcher !== undefined) return dispatcherCarrier(dispatcher, settings);
    return ownCarrier(settings, redactor, proxy ? process.env : undefined);
  },
  onWriteOf: ({ writeLog, baseUrl }, redactor) => {
    if (writeLog === undefined) return undefined;
    const machine = () => ({ ...platform(), ...processTable(process), pid: process.pid });
    const warn = (error: unknown) => warnOfHook('writeLog', error);
    let log: Promise<NonNullable<ReturnType<Host['onWriteOf']>>> | undefined;
    return async write => {
      log ??= import('./logged-writes.ts').then(({ loggedWrites }) =>
        loggedWrites(writeLog, machine(), baseUrl, redactor, warn),
      );
      return await (await log)(write);
    };
  },
  isReadOnly: () => !NOT_READ_ONLY.has(process.env.GATECTL_READ_ONLY ?? ''),
  shareSignal: signal => setMaxListeners(0, signal),
  warnOfHook,
};
