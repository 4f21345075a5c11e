import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'vitest';
import type { AskingCase, FaultCase, FaultGroup } from '../fault-case.ts';
import { inStillTime } from '../still-time.ts';
import { ASKING, type Asking, EVERY_ASKING, goodAnswer, http, tryBytes } from '../trial.ts';

type Told = Pick<AskingCase, 'fault' | 'does' | 'says'> & Partial<AskingCase>;
type Deed = (socket: Socket, asking: Asking, index: number) => void;

function onTheWire(
  told: Told,
  deed: Deed,
  flags: readonly string[] = [],
  trial: typeof tryBytes = tryBytes,
): AskingCase {
  return {
    exit: 6,
    requests: 1,
    with: EVERY_ASKING,
    attempt: asking => trial([...ASKING[asking], ...flags], (socket, index) => deed(socket, asking, index)),
    ...told,
  };
}

const answerOf = (asking: Asking) => http(goodAnswer(asking));

/** A reset throws away what the other side, in this process too, has not read yet: it gets a few turns to do so. */
async function resetAfter(socket: Socket, part: string): Promise<void> {
  socket.write(part);
  for (let turn = 0; turn < 8; turn += 1) await nextTurn();
  socket.resetAndDestroy();
}

/** So much of an answer, and then an end of the connection. */
function stage(name: string, length: (answer: string) => number, reset: boolean): AskingCase {
  return onTheWire(
    {
      fault: `the connection ${reset ? 'is reset' : 'is closed'} ${name}`,
      does: 'retries three times; then reports that the connection was lost before the response was complete',
      says: 'the connection closed before the response was complete',
      requests: 4,
    },
    (socket, asking) => {
      const answer = answerOf(asking);
      const part = answer.slice(0, length(answer));
      if (reset) resetAfter(socket, part);
      else socket.end(part);
    },
  );
}

const STAGES: readonly (readonly [string, (answer: string) => number])[] = [
  ['before the response', () => 0],
  ['in the status line', () => 9],
  ['in the headers', () => 30],
  ['after the headers', answer => answer.indexOf('\r\n\r\n') + 4],
  ['in the body', answer => answer.length - 3],
];

export const brokenConnections: FaultGroup = {
  title: 'Lost connections',
  cases: [
    ...STAGES.map(([name, length]) => stage(name, length, true)),
    ...STAGES.map(([name, length]) => stage(name, length, false)),
    onTheWire(
      {
        fault: 'the connection is lost twice, then the response arrives',
        does: 'continues normally',
        exit: 0,
        says: '',
        requests: 3,
        with: EVERY_ASKING.filter(asking => asking !== 'token'),
      },
      (socket, asking, index) => {
        if (index < 2) socket.resetAndDestroy();
        else socket.end(answerOf(asking));
      },
    ),
    onTheWire(
      {
        fault: 'a chunked body without its end',
        does: 'the same as a connection that is closed in the body',
        says: 'the connection closed before the response was complete',
        requests: 4,
      },
      (socket, asking) => {
        const body = goodAnswer(asking);
        socket.end(http(`${body.length.toString(16)}\r\n${body}\r\n`, 'transfer-encoding: chunked\r\n'));
      },
    ),
    onTheWire(
      {
        fault: 'a body longer than announced',
        does: 'reads the announced length only',
        exit: 0,
        says: '',
      },
      (socket, asking) => socket.end(`${answerOf(asking)}{"success":true}HTTP/1.1 200 OK\r\n\r\n`),
    ),
    onTheWire(
      {
        fault: 'an announced length that is shorter than the response',
        does: 'rejects the truncated JSON',
        says: 'not valid JSON',
        with: ['access', 'token', 'purge', 'listing'],
      },
      (socket, asking) => socket.end(http(goodAnswer(asking), 'content-length: 10\r\n')),
    ),
  ],
};

const NOT_HTTP = {
  does: 'reports that the response is not valid HTTP',
  says: 'the response is not valid HTTP',
};
const notHttp = (fault: string, bytes: (asking: Asking) => string): AskingCase =>
  onTheWire({ fault, ...NOT_HTTP }, (socket, asking) => socket.end(bytes(asking)));

export const wrongHttp: FaultGroup = {
  title: 'Invalid HTTP',
  cases: [
    notHttp('another protocol', () => 'SSH-2.0-OpenSSH_9.2\r\n'),
    notHttp('an invalid status line', () => 'HTTP/1.1 two hundred OK\r\n\r\n'),
    notHttp('a status below 100', asking => http(goodAnswer(asking)).replace('200', '099')),
    notHttp('an invalid header line', () => 'HTTP/1.1 200 OK\r\nthis is no header\r\n\r\n'),
    notHttp('a length that is not a number', asking => http(goodAnswer(asking), 'content-length: -5\r\n')),
    notHttp('an invalid chunk size', () => http('zz\r\n{}\r\n0\r\n\r\n', 'transfer-encoding: chunked\r\n')),
    notHttp('headers of half a megabyte', asking =>
      http(goodAnswer(asking), `x-long: ${'x'.repeat(500_000)}\r\n`),
    ),
    notHttp('ten thousand headers', asking =>
      http(goodAnswer(asking), Array.from({ length: 10_000 }, (_, i) => `x-header-${i}: value\r\n`).join('')),
    ),
    ...[
      'content-length: 7\r\ncontent-length: 9\r\n',
      'content-length: 7\r\ntransfer-encoding: chunked\r\n',
    ].map((headers, index) =>
      onTheWire(
        {
          fault: ['two lengths', 'a length and chunks'][index] ?? '',
          does: 'rejects both; retries three times',
          says: 'the connection closed before the response was complete',
          requests: 4,
        },
        (socket, asking) => socket.end(http(goodAnswer(asking), headers)),
      ),
    ),
    onTheWire(
      {
        fault: 'a change of protocols (101) that was not requested',
        does: 'reports that the connection was lost; retries three times',
        says: 'the connection closed before the response was complete',
        requests: 4,
      },
      socket =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'),
    ),
    onTheWire(
      {
        fault: 'a thousand informational responses (103) before the final one',
        does: 'waits for the final one',
        exit: 0,
        says: '',
      },
      (socket, asking) =>
        socket.end(`${'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(1000)}${answerOf(asking)}`),
    ),
    onTheWire(
      {
        fault: 'an informational response (100 Continue) that was not requested',
        does: 'waits for the final one',
        exit: 0,
        says: '',
      },
      (socket, asking) => socket.end(`HTTP/1.1 100 Continue\r\n\r\n${answerOf(asking)}`),
    ),
  ],
};

const SOME: readonly Asking[] = ['access', 'query'];

/** Writes the same again and again until the other side goes. */
function again(socket: Socket, bytes: string, ms: number): void {
  const timer = setInterval(() => socket.write(bytes), ms);
  socket.on('close', () => clearInterval(timer));
}

/** Writes as fast as the other side reads. */
function flood(socket: Socket, bytes: string): void {
  const more = () => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on('drain', more);
  more();
}

/** Time begins to pass when a request is there and was dealt with. */
const inItsOwnTime: typeof tryBytes = (args, onRequest) =>
  inStillTime(pass =>
    tryBytes(args, (...request) => {
      onRequest(...request);
      pass();
    }),
  );

const slow = (fault: string, says: string, deed: Deed, given: Partial<Told> = {}): AskingCase =>
  onTheWire(
    { fault, does: 'fails at its time limit and names --timeout', says, with: SOME, ...given },
    deed,
    ['--timeout', '0.2', '--retries', '0'],
    inItsOwnTime,
  );

const SERVED = 4;

/** A server that accepts every connection and answers on four at a time. */
function servesFour(
  fault: string,
  args: readonly string[],
  answer: (request: string) => string,
  input = '',
): FaultCase {
  return {
    fault,
    does: 'after 5 s, requests it again on a working connection, and sends fewer requests at once',
    exit: 0,
    async attempt() {
      const served = new Set<Socket>();
      const onRequest = (socket: Socket, request: string) => {
        if (served.size < SERVED && !served.has(socket)) {
          served.add(socket);
          socket.on('close', () => served.delete(socket));
        }
        if (served.has(socket)) socket.write(http(answer(request)));
      };
      const ran = await inStillTime(pass =>
        tryBytes(
          [...args, '--concurrency', '16', '--verbose'],
          (socket, _, request) => {
            onRequest(socket, request);
            if (served.size === SERVED) pass();
          },
          { input },
        ),
      );
      expect(ran.stderr).toContain('no response within 5 s, while later requests got a response');
      expect(ran.stderr).not.toContain('within 30 s');
      // Four that hung, and perhaps a few that were sent before that was noticed.
      expect(ran.stderr.split('no response within 5 s').length - 1).toBeLessThanOrEqual(12);
      return { ...ran, stderr: ran.stderr.replaceAll(/^POST .*\n/gm, '') };
    },
  };
}

const PAGES = 40;

export const slowness: FaultGroup = {
  title: 'Slow servers',
  cases: [
    servesFour(
      'a purge whose fifth connection is accepted but gets no response',
      ['cdn', 'purge', '--file', '-', '--timeout', '30'],
      () => goodAnswer('purge'),
      Array.from({ length: 4000 }, (_, i) => `https://example.com/${i}`).join('\n'),
    ),
    servesFour(
      'an export whose fifth connection is accepted but gets no response',
      [...ASKING.query, '--to', '2026-03-10', '--all', '--page-size', '1', '-o', 'csv', '--timeout', '30'],
      request => {
        const { offset = 0 } = JSON.parse(request.slice(request.indexOf('{'))) as { offset?: number };
        return `{"rows":[{"id":${offset},"visits":2}],"total_rows":${PAGES}}`;
      },
    ),
    slow('no response at all', 'within 0.2 s', () => {}),
    slow('headers that arrive byte by byte', 'within 0.2 s', socket => {
      socket.write('HTTP/1.1 200 OK\r\n');
      again(socket, 'x-drop: 1\r\n', 20);
    }),
    slow('endless informational responses', 'within 0.2 s', socket =>
      again(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n', 5),
    ),
    slow(
      'a body that drips',
      'no complete response within 0.2 s',
      socket => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n{');
        again(socket, ' ', 20);
      },
      { with: ['access', 'token', 'purge', 'listing'] },
    ),
    slow(
      'rows that drip',
      'the response is too slow: less than 1024 bytes in 0.2 s',
      socket => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n{"rows":[');
        again(socket, ' ', 20);
      },
      { with: ['query'] },
    ),
    slow(
      'a body that stops',
      '',
      socket => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n{"rows":['),
      { with: ['access', 'query'] },
    ),
    onTheWire(
      {
        fault: 'an endless row',
        does: 'rejects a row of more than 4 MiB',
        says: 'a row of more than 4194304 bytes',
        with: ['query'],
      },
      socket => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n{"rows":[{"id":"');
        flood(socket, 'x'.repeat(65_536));
      },
      ['--retries', '0'],
    ),
  ],
};
