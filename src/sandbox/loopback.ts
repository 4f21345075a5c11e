import { isIPv4, isIPv6 } from 'node:net';

/** `startSandbox` was asked to listen where other machines could reach it. */
export class LoopbackOnlyError extends Error {
  override readonly name = 'LoopbackOnlyError';
}

function isLoopback(host: string): boolean {
  if (isIPv4(host)) return host.startsWith('127.');
  if (isIPv6(host)) return host === '::1';
  return host.toLowerCase() === 'localhost';
}

/** @throws LoopbackOnlyError for an address that is not this machine's own. */
export function checkListenHost(host: string): void {
  if (isLoopback(host)) return;
  throw new LoopbackOnlyError(`${host} is not a loopback address: use 127.0.0.1, ::1 or localhost`);
}

/**
 * Whether a `Host` header names this machine, with any port. A page on the web whose name was made to resolve
 * to 127.0.0.1 still sends its own name, and is turned away by this.
 */
export function isOwnHost(header: string | undefined): boolean {
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::\d*)?$/.exec(header ?? '');
  return match !== null && isLoopback(match[1] ?? match[2] ?? '');
}

/** Whether an `Origin` header names a page of this machine: any scheme and port of a loopback host. `null` does not. */
export function isOwnOrigin(header: string): boolean {
  return URL.canParse(header) && isOwnHost(new URL(header).host);
}
