import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server as HttpServer } from 'node:http';
import { createServer as createTlsServer, type Server } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../support/run.ts';
import { granted, wireServer } from '../support/wire-server.ts';

// Made with openssl for an authority that exists nowhere else; `expired` ended in 2021, the others end in a century.
const pem = (name: string) => fileURLToPath(new URL(`../support/tls/${name}`, import.meta.url));
const QUESTION = ['products', '--email', 'reader@example.com', '--domain', 'example.com', '--json'];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatectl-network-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('TLS', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  async function listen(certificate: string): Promise<string> {
    const options = {
      cert: readFileSync(pem(`${certificate}.pem`)),
      key: readFileSync(pem(`${certificate}.key`)),
    };
    const started = createTlsServer(options, (_, response) =>
      response.end('{"success":true,"data":["premium"]}'),
    );
    server = started;
    await new Promise<void>(resolve => started.listen(0, '127.0.0.1', resolve));
    return `https://localhost:${(started.address() as AddressInfo).port}`;
  }

  /** Asks with a profile that trusts the authority, or does not. */
  async function ask(baseUrl: string, trusted: boolean) {
    const env = { GATECTL_CONFIG_DIR: await mkdtemp(join(folder, 'config-')), GATECTL_API_KEY: 'some-key' };
    const ca = trusted ? ['--ca-file', pem('authority.pem')] : [];
    await run(['profile', 'add', 'p', '--base-url', baseUrl, ...ca], { env });
    return await run(
      [...QUESTION, '-o', 'table', '--retries', '0'].filter(word => word !== '--json'),
      { env },
    );
  }

  test('an authority of your own is trusted once the profile names it', async () => {
    const baseUrl = await listen('local');
    expect(await ask(baseUrl, true)).toEqual({ code: 0, stdout: 'PRODUCT\npremium\n', stderr: '' });
  });
});

describe('a proxy from the environment', () => {
  let proxy: HttpServer;
  let tunnels: string[];
  let proxyUrl: string;
  beforeAll(async () => {
    proxy = createServer();
    proxy.on('connect', (request, socket) => {
      tunnels.push(request.url ?? '');
      const [host, port] = (request.url ?? '').split(':');
      const upstream = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      upstream.on('error', () => socket.destroy());
      socket.on('error', () => upstream.destroy());
    });
    await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
    proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    proxy.close();
  });

  async function ask(env: Record<string, string>, flags = ['--insecure-http']) {
    tunnels = [];
    const gateway = await wireServer(() => granted(['premium']));
    const ran = await run([...QUESTION, ...flags], {
      env: { GATECTL_BASE_URL: gateway.baseUrl, GATECTL_API_KEY: 'some-key', ...env },
    });
    await gateway.close();
    return { code: ran.code, tunnels, host: new URL(gateway.baseUrl).host };
  }

  test('is used', async () => {
    const { code, tunnels, host } = await ask({ HTTP_PROXY: proxyUrl });
    expect({ code, tunnels }).toEqual({ code: 0, tunnels: [host] });
  });

  test('is left aside for the hosts in NO_PROXY', async () => {
    expect(await ask({ HTTP_PROXY: proxyUrl, NO_PROXY: '127.0.0.1' })).toMatchObject({
      code: 0,
      tunnels: [],
    });
  });

  test('is not used for a gateway on this machine, whose key would leave it unencrypted', async () => {
    expect(await ask({ HTTP_PROXY: proxyUrl }, [])).toMatchObject({ code: 0, tunnels: [] });
  });

  test('is left aside by the embedded gateway', async () => {
    tunnels = [];
    const env = { HTTP_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9' };
    expect((await run(['products', '--email', 'active@example.com', '--sandbox'], { env })).code).toBe(0);
  });
});
