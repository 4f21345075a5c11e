import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { UsageError } from '../errors/index.ts';

/**
 * Resolves names for unencrypted connections that carry a key: a name such as `x.localhost` may resolve to another machine. Fails
 * with UsageError unless every address is a loopback address.
 */
export const loopbackLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, '', 0);
    const remote = addresses.find(({ address }) => !isLoopbackAddress(address));
    if (remote !== undefined) return callback(notLoopback(hostname, remote.address), '', 0);
    const [first] = addresses;
    if (options.all || first === undefined) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

function isLoopbackAddress(address: string): boolean {
  return /^(?:(?:::ffff:)?127(?:\.\d+){3}|::1)$/i.test(address);
}

function notLoopback(hostname: string, address: string): UsageError {
  return new UsageError(
    `${hostname} is ${address} here, another machine: the API key would be sent unencrypted`,
    { code: 'insecure_url', reason: { name: 'plain_gateway' } },
  );
}
