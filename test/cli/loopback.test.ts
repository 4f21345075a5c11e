import * as dns from 'node:dns';
import { expect, onTestFinished, test, vi } from 'vitest';
import { run } from '../support/run.ts';
import { wireServer } from '../support/wire-server.ts';

vi.mock('node:dns', { spy: true });

const ASK = ['access', '--product', 'premium', '--email', 'active@example.com', '--domain', 'example.com'];

/** What the name server says of every name. */
function namesAre(...addresses: string[]): void {
  const answer = ((_: string, __: object, done: (error: null, found: dns.LookupAddress[]) => void) =>
    done(
      null,
      addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 })),
    )) as unknown as typeof dns.lookup;
  vi.mocked(dns.lookup).mockImplementation(answer);
}

async function ask(...addresses: string[]) {
  const server = await wireServer(() => ({
    body: '{"success":true,"data":{"status":"allowed","reason":"purchased","matchedProducts":["premium"]}}',
  }));
  onTestFinished(async () => {
    vi.mocked(dns.lookup).mockReset();
    await server.close();
  });
  namesAre(...addresses);
  const baseUrl = server.baseUrl.replace('127.0.0.1', 'gateway.localhost');
  const env = { GATECTL_BASE_URL: baseUrl, GATECTL_API_KEY: 'some-key' };
  return { ran: await run(ASK, { env }), received: server.received };
}

test('a name below localhost is a loopback address when it resolves to one', async () => {
  expect((await ask('127.0.0.1')).received).toHaveLength(1);
});

test('a name below localhost that resolves to another machine gets no key over plain http', async () => {
  const { ran, received } = await ask('127.0.0.1', '192.0.2.7');
  expect(ran).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'error: gateway.localhost is 192.0.2.7 here, another machine: the API key would be sent unencrypted\n' +
      '  type https://…, or add --insecure-http if the network is your own\n',
  });
  expect(received).toEqual([]);
});
