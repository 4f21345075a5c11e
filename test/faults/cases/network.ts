import dns from 'node:dns';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { type InProcess, run } from '../../support/run.ts';
import { wireServer } from '../../support/wire-server.ts';
import type { FaultCase, FaultGroup } from '../fault-case.ts';
import { ASKING, ask } from '../trial.ts';

// Made with openssl for an authority that exists nowhere else; `expired` ended in 2021, the others end in a century.
const pem = (name: string) => fileURLToPath(new URL(`../../support/tls/${name}`, import.meta.url));

async function listening(server: Server): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const ONCE = [...ASKING.access, '--retries', '0'];

/** A port that no server gets by chance, as it would one that was just given back. */
const NOBODY = '127.0.0.1:1';

/** No name is found, whatever name server there is. */
function noName(code: 'ENOTFOUND' | 'EAI_AGAIN') {
  const lookup = vi.spyOn(dns, 'lookup').mockImplementation(((hostname: string, ...rest: unknown[]) => {
    const callback = rest.at(-1) as (error: Error) => void;
    const error = Object.assign(new Error(`getaddrinfo ${code} ${hostname}`), { code, hostname });
    setImmediate(callback, error);
  }) as typeof dns.lookup);
  onTestFinished(() => lookup.mockRestore());
  return lookup;
}

function expectSentence(ran: InProcess, sentence: string): InProcess {
  expect(ran.stderr.split('\n')[0]).toBe(`error: ${sentence}`);
  expect(ran.stderr).not.toMatch(/insecure|reject_?unauthorized|verif|turn off|disable/i);
  return ran;
}

function certificate(fault: string, name: string, trusted: boolean, sentence: string): FaultCase {
  return {
    fault,
    does: 'names the cause in one sentence; never suggests to disable the verification',
    exit: 6,
    async attempt() {
      const options = { cert: readFileSync(pem(`${name}.pem`)), key: readFileSync(pem(`${name}.key`)) };
      const port = await listening(createTlsServer(options, (_, response) => response.end('{}')));
      const env = { GATECTL_CONFIG_DIR: temporaryFolder(), GATECTL_API_KEY: 'some-key' };
      const ca = trusted ? ['--ca-file', pem('authority.pem')] : [];
      const added = await run(['profile', 'add', 'p', '--base-url', `https://localhost:${port}`, ...ca], {
        env,
      });
      expect(added.code).toBe(0);
      return expectSentence(await run([...ONCE, '--domain', 'example.com'], { env }), sentence);
    },
  };
}

function proxy(
  fault: string,
  answer: string,
  does: string,
  sentence: string,
  flags: readonly string[] = [],
): FaultCase {
  return {
    fault,
    does,
    exit: 6,
    async attempt() {
      const refuse: RequestListener = (_, response) => response.socket?.end(answer);
      const unwilling = createServer(refuse).on('connect', (_, socket) => socket.end(answer));
      const env = { HTTP_PROXY: `http://me:canary-key-4711@127.0.0.1:${await listening(unwilling)}` };
      const ran = await ask('http://127.0.0.1:9', [...ONCE, ...flags, '--insecure-http'], { env });
      return expectSentence(ran, sentence);
    },
  };
}

const PROXY = 'reports it, and names the origin of the proxy setting';

export const network: FaultGroup = {
  title: 'Unreachable gateway',
  cases: [
    {
      fault: 'the host name does not exist',
      does: 'names the host and the base URL in use',
      exit: 6,
      async attempt() {
        noName('ENOTFOUND');
        return expectSentence(
          await ask('https://gateway.example.com', ONCE),
          'the host name gateway.example.com is not known',
        );
      },
    },
    {
      fault: 'the name server does not respond',
      does: 'retries three times, even requests that are not idempotent, because nothing was sent; then names the base URL',
      exit: 6,
      async attempt() {
        const lookup = noName('EAI_AGAIN');
        const ran = await ask('https://gateway.example.com', ASKING.token);
        expect(lookup).toHaveBeenCalledTimes(4);
        return expectSentence(ran, 'the name server did not respond for gateway.example.com');
      },
    },
    {
      fault: 'nothing listens on the port',
      does: 'retries three times, even requests that are not idempotent, because nothing was sent; then names the base URL',
      exit: 6,
      async attempt() {
        const ran = await ask(`http://${NOBODY}`, ASKING.token);
        expectSentence(ran, `connection refused by ${NOBODY}`);
        expect(ran.stderr).toContain('no response, 4 attempts in');
        expect(ran.stderr).toContain(`the base URL in use is http://${NOBODY}\n`);
        return ran;
      },
    },
    certificate(
      'a certificate of an unknown authority',
      'local',
      false,
      "the server's TLS certificate comes from an authority that is not trusted here",
    ),
    certificate(
      'a certificate for another host',
      'elsewhere',
      true,
      "the server's TLS certificate is for another host name",
    ),
    certificate(
      'a certificate that has expired',
      'expired',
      true,
      "the server's TLS certificate has expired",
    ),
    {
      fault: 'https to a port of plain http',
      does: 'names the cause in one sentence; never suggests to disable the verification',
      exit: 6,
      async attempt() {
        const server = await wireServer(() => ({}));
        onTestFinished(() => server.close());
        const ran = await ask(server.baseUrl.replace('http:', 'https:'), ONCE);
        expect(server.received).toEqual([]);
        return expectSentence(ran, 'the server does not speak TLS on this port');
      },
    },
    {
      fault: 'plain http to another machine',
      does: 'rejects it before anything is sent, unless --insecure-http is given',
      exit: 2,
      async attempt() {
        const ran = await ask('http://gateway.example.com', ONCE);
        expect(ran.stderr).toContain('would send the API key unencrypted');
        return ran;
      },
    },
    proxy(
      'the proxy requires other credentials (407)',
      'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n',
      PROXY,
      'the proxy requires other credentials (407)',
    ),
    proxy('the proxy forbids the host', 'HTTP/1.1 403 Forbidden\r\n\r\n', PROXY, 'the proxy refused (403)'),
    proxy('the proxy does not respond', '', 'fails at its time limit', 'no complete response within 0.3 s', [
      '--timeout',
      '0.3',
    ]),
    {
      fault: 'a proxy variable without an address, with another scheme or a malformed password',
      does: 'names the variable, never its value',
      exit: 2,
      async attempt() {
        let last: InProcess | undefined;
        for (const text of [
          'no address',
          'socks5://127.0.0.1:9',
          'http://me:canary-key-4711%@127.0.0.1:9',
          'http://',
        ]) {
          last = await ask('http://127.0.0.1:9', ASKING.access, { env: { HTTP_PROXY: text } });
          expectSentence(last, 'HTTP_PROXY is not the address of an http or https proxy');
          expect(last.code).toBe(2);
        }
        return last ?? expect.unreachable();
      },
    },
    {
      fault: 'nothing listens at the proxy',
      does: 'retries three times; names the proxy and the gateway',
      exit: 6,
      async attempt() {
        // Without its scheme, as curl takes it too.
        const ran = await ask('http://127.0.0.1:9', [...ASKING.access, '--insecure-http'], {
          env: { HTTP_PROXY: NOBODY },
        });
        return expectSentence(ran, `connection refused by the proxy ${NOBODY}, on the way to 127.0.0.1:9`);
      },
    },
    {
      fault: 'a host whose name contains the word proxy does not exist',
      does: 'the same as for any host name, without mentioning a proxy',
      exit: 6,
      async attempt() {
        noName('ENOTFOUND');
        return expectSentence(
          await ask('https://proxy.example.com', ONCE),
          'the host name proxy.example.com is not known',
        );
      },
    },
  ],
};
