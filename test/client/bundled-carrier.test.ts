import { describe, expect, onTestFinished, test } from 'vitest';
import { bundledCarrier } from '../../src/client/bundled-carrier.ts';
import type { GatewayOptions } from '../../src/client/options.ts';
import { settingsOf } from '../../src/client/settings.ts';
import { FetchTransport } from '../../src/http/fetch-transport.ts';
import { Redactor } from '../../src/text/redactor.ts';
import { wireServer } from '../support/wire-server.ts';

const HTTPS = 'https://gateway.example.com';
const PROXY = { HTTPS_PROXY: 'http://proxy.example.com:3128' };

function carrierTo(
  baseUrl: string,
  options: Partial<GatewayOptions> = {},
  env: Record<string, string> | undefined = {},
) {
  const settings = settingsOf({ baseUrl, apiKey: 'a-key', ...options });
  return bundledCarrier(settings, new Redactor(), env)();
}

describe('in a program that a bundler made', () => {
  test.each<[string, Partial<GatewayOptions>, Record<string, string>, string]>([
    ['a certificate authority', { ca: 'a certificate' }, {}, 'ca requires the option dispatcher in a bundle'],
    ['a proxy', {}, PROXY, 'a proxy of the environment requires the option dispatcher in a bundle'],
    ['the proxy of http for https', {}, { http_proxy: 'proxy.example.com' }, 'a proxy of the environment'],
  ])('%s is rejected before anything is sent', (_, options, env, message) => {
    expect(() => carrierTo(HTTPS, options, env)).toThrow(message);
  });

  test.each<[string, string, Record<string, string> | undefined]>([
    ['proxies are ignored', HTTPS, undefined],
    ['the gateway is exempt', HTTPS, { ...PROXY, NO_PROXY: 'example.com' }],
    ['the gateway is on this machine', 'http://127.0.0.1:9', { HTTP_PROXY: 'proxy.example.com' }],
    ['Node uses the proxies itself', HTTPS, { ...PROXY, NODE_USE_ENV_PROXY: '1' }],
  ])('requests are sent with fetch if %s', (_, baseUrl, env) => {
    expect(carrierTo(baseUrl, {}, env)).toBeInstanceOf(FetchTransport);
  });

  test('requests have the headers of the library', async () => {
    const server = await wireServer(() => ({ body: '{}' }));
    onTestFinished(() => server.close());
    const carrier = carrierTo(server.baseUrl, { userAgent: 'site/1.2', compression: false });
    const request = { method: 'GET', url: new URL(server.baseUrl), headers: {}, body: undefined } as const;
    const { status } = await carrier.exchange(request, new AbortController().signal, 5_000);
    expect(status).toBe(200);
    const { headers } = server.received[0] ?? expect.unreachable();
    expect([headers['user-agent'], headers['accept-encoding']]).toEqual([
      expect.stringMatching(/^site\/1\.2 gatectl-client\//),
      'identity',
    ]);
  });
});
