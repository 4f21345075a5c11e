import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { ConnectivityProbe } from '../../src/http/connectivity-probe.ts';

const pem = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../support/tls/${name}`, import.meta.url)), 'utf8');

function reach(parts: Partial<ConstructorParameters<typeof ConnectivityProbe>[0]> = {}) {
  const { signal } = new AbortController();
  return new ConnectivityProbe({ proxy: undefined, ca: undefined, signal, timeoutMs: 5000, ...parts });
}

describe('a TLS connection by itself', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  async function listen(certificate: string): Promise<URL> {
    const started = createServer({ cert: pem(`${certificate}.pem`), key: pem(`${certificate}.key`) });
    server = started;
    await new Promise<void>(resolve => started.listen(0, '127.0.0.1', resolve));
    return new URL(`https://localhost:${(started.address() as AddressInfo).port}`);
  }

  test('shows the certificate of a server that is trusted', async () => {
    const url = await listen('local');
    const { protocol, validTo } = await reach({ ca: pem('authority.pem') }).handshake(url);
    expect(protocol).toBe('TLSv1.3');
    expect(validTo).toBeGreaterThan(Date.UTC(2100, 0, 1));
  });

  test.each([
    ['local', undefined, "the server's TLS certificate comes from an authority that is not trusted here"],
    ['expired', pem('authority.pem'), "the server's TLS certificate has expired"],
    ['elsewhere', pem('authority.pem'), "the server's TLS certificate is for another host name"],
  ])('to a server with the certificate "%s" fails with its cause', async (name, ca, message) => {
    const url = await listen(name);
    await expect(reach({ ca }).handshake(url)).rejects.toMatchObject({ message, code: 'tls_failed' });
  });
});

test('an unknown name is reported as such', async () => {
  await expect(reach().lookUp(new URL('https://gateway.invalid'))).rejects.toMatchObject({
    code: 'dns_failed',
  });
});

test('an address needs no look-up', async () => {
  expect(await reach().lookUp(new URL('https://[::1]:8443'))).toEqual(['::1']);
});

describe('which proxy an address goes through', () => {
  const https = 'http://ana:secret@proxy.example.com:3128';

  test.each([
    ['https://gateway.example.com', undefined, 'http://proxy.example.com:3128 (with credentials)'],
    ['http://gateway.example.com', undefined, undefined],
    ['https://gateway.example.com', '*', undefined],
    ['https://gateway.example.com', 'example.com', undefined],
    ['https://gateway.example.com', '.example.com, other.example.org', undefined],
    ['https://gateway.example.com', 'example.com:8443', 'http://proxy.example.com:3128 (with credentials)'],
    ['https://gateway.example.com:8443', 'example.com:8443', undefined],
    ['https://otherexample.com', 'example.com', 'http://proxy.example.com:3128 (with credentials)'],
  ])('%s with NO_PROXY %s: %s', (url, none, expected) => {
    expect(reach({ proxy: { https, ...(none && { none }) } }).proxyFor(new URL(url))).toBe(expected);
  });

  test('the proxy for http is used for https if there is no other', () => {
    const proxy = { http: 'http://proxy.example.com:3128' };
    expect(reach({ proxy }).proxyFor(new URL('https://gateway.example.com'))).toBe(
      'http://proxy.example.com:3128',
    );
  });
});
