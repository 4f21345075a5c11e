import { isIPv4, isIPv6 } from 'node:net';

/** The listen address is reachable from other machines. */
export class LoopbackOnlyError extends Error {
  override readonly name = 'LoopbackOnlyError';
}

export function isLoopback(host: string): boolean {
  if (isIPv4(host)) return host.startsWith('127.');
  if (isIPv6(host)) return host === '::1';
  return host.toLowerCase() === 'localhost';
}

/** @throws LoopbackOnlyError for an address that is not a loopback address. */
export function checkListenHost(host: string): void {
  if (isLoopback(host)) return;
  throw new LoopbackOnlyError(`${host} is not a loopback address: use 127.0.0.1, ::1 or localhost`);
}

/**
 * Whether a `Host` header names a loopback host, with any port. Prevents DNS rebinding: a web page whose name resolves to
 * 127.0.0.1 still sends its own name.
 */
export function isLoopbackHost(header: string | undefined): boolean {
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::\d*)?$/.exec(header ?? '');
  return match !== null && isLoopback(match[1] ?? match[2] ?? '');
}

/** Whether an `Origin` header names a loopback host, with any scheme and port; `null` does not. */
export function isLoopbackOrigin(header: string): boolean {
  return URL.canParse(header) && isLoopbackHost(new URL(header).host);
}
