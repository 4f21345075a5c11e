import type { Socket } from 'node:net';
import { expect } from 'vitest';
import type { AskingCase, FaultCase, FaultGroup } from '../fault-case.ts';
import { inStillTime } from '../still-time.ts';
import { ASKING, type Asking, http, tryAnswer, tryBytes } from '../trial.ts';

const CHUNKED = 'transfer-encoding: chunked\r\n';

/** Writes `begin`, then `more` again and again, as fast as the other side reads. */
function flood(socket: Socket, begin: string, more: string): void {
  socket.write(http('', CHUNKED) + chunk(begin));
  const block = chunk(more.repeat(Math.ceil(16_384 / more.length)));
  const write = () => {
    while (!socket.destroyed && socket.write(block));
  };
  socket.on('drain', write);
  write();
}

function chunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

/** A response that never ends. */
function endless(
  told: Pick<AskingCase, 'fault' | 'does' | 'says' | 'with'>,
  begin: string,
  more: string,
  flags: readonly string[] = [],
): AskingCase {
  return {
    exit: 6,
    requests: 1,
    attempt: asking =>
      tryBytes([...ASKING[asking], '--retries', '0', ...flags], socket => flood(socket, begin, more)),
    ...told,
  };
}

/** A response of one document. */
function document(
  told: Pick<AskingCase, 'fault' | 'does' | 'says' | 'with'>,
  body: () => string,
): AskingCase {
  return {
    exit: 6,
    requests: 1,
    attempt: asking =>
      tryAnswer(ASKING[asking], () => ({
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: body(),
      })),
    ...told,
  };
}

const ROW = '{"id":1,"visits":2}';
const FEW: readonly Asking[] = ['access', 'token', 'purge'];
const ROWS: readonly Asking[] = ['query', 'report'];

/** Five rows of eight. */
function surplus(told: Pick<FaultCase, 'fault' | 'does' | 'exit'>, flags: readonly string[]): FaultCase {
  return {
    ...told,
    async attempt() {
      const rows = Array.from({ length: 8 }, (_, id) => `{"id":${id},"visits":2}`);
      const body = `{"rows":[${rows.join()}],"total_rows":8}`;
      const ran = await tryAnswer([...ASKING.query, '--limit', '5', '-o', 'csv', ...flags], () => ({
        status: 200,
        headers: { 'content-type': 'application/json' },
        body,
      }));
      expect(ran.stdout).toBe('id,visits\n0,2\n1,2\n2,2\n3,2\n4,2\n');
      expect(ran.stderr).toContain('warning: dropped 3 rows beyond the requested ones\n');
      return ran;
    },
  };
}

/** Rows without end where five were requested. */
function endlessRows(asking: Asking, row: string, stdout: string): FaultCase {
  return {
    fault: `endless rows where five were requested (${asking})`,
    does: 'writes five, closes the connection after a few more, and warns',
    exit: 0,
    async attempt() {
      const unlimited = ASKING[asking].filter(word => word !== '--limit' && word !== '1');
      const ran = await tryBytes([...unlimited, '--limit', '5', '-o', 'csv'], socket =>
        flood(socket, `{"total_rows":9,"rows":[${row}`, `,${row}`),
      );
      expect(ran.requests).toBe(1);
      expect(ran.stdout).toBe(stdout);
      expect(ran.stderr).toMatch(/^warning: dropped at least [\d,]+ rows beyond the requested ones$/m);
      return ran;
    },
  };
}

/** Something that arrives forever, but no row. */
const stalled = (fault: string, begin: string, more: string): AskingCase => ({
  fault,
  does: 'fails at its time limit and names --timeout',
  says: 'no row arrived within 0.2 s',
  exit: 6,
  requests: 1,
  with: ['query'],
  attempt: asking =>
    inStillTime(pass =>
      tryBytes([...ASKING[asking], '--timeout', '0.2', '--retries', '0'], socket => {
        socket.write(http('', CHUNKED) + chunk(begin));
        const timer = setInterval(() => socket.write(chunk(more)), 20);
        socket.on('close', () => clearInterval(timer));
        pass();
      }),
    ),
});

export const floods: FaultGroup = {
  title: 'Oversized and endless responses',
  cases: [
    document(
      {
        fault: 'a decision, a token or a confirmation of more than 20,000 values',
        does: 'rejects it before parsing',
        says: 'more than 20000 values',
        with: FEW,
      },
      () => `[${'0,'.repeat(20_000)}0]`,
    ),
    document(
      {
        fault: 'a listing of more than 400,000 values',
        does: 'rejects it before parsing',
        says: 'more than 400000 values',
        with: ['listing'],
      },
      () => `[${'{},'.repeat(400_000)}{}]`,
    ),
    document(
      {
        fault: 'a document nested more than 500 levels deep',
        does: 'rejects it before parsing',
        says: 'nested more than 500 levels deep',
        with: [...FEW, 'listing'],
      },
      () => '['.repeat(100_000),
    ),
    endless(
      {
        fault: 'an endless decision, token or confirmation',
        does: 'rejects more than 1 MiB',
        says: 'the response is larger than 1 MiB',
        with: FEW,
      },
      '{"a":"',
      'x',
    ),
    endless(
      {
        fault: 'an endless listing',
        does: 'rejects more than 16 MiB',
        says: 'the response is larger than 16 MiB',
        with: ['listing'],
      },
      '{"a":"',
      'x',
    ),
    surplus(
      {
        fault: 'a few more rows than requested',
        does: 'drops the excess rows and warns with their number',
        exit: 0,
      },
      [],
    ),
    surplus(
      {
        fault: 'the same with --strict, more rows than requested',
        does: 'drops the excess rows and exits 7',
        exit: 7,
      },
      ['--strict'],
    ),
    endlessRows('query', ROW, `id,visits\n${'1,2\n'.repeat(5)}`),
    endlessRows('report', '{"country":"US","visits":2}', `country,visits\n${'US,2\n'.repeat(5)}`),
    {
      ...endless(
        {
          fault: 'endless rows with --all',
          does: 'rejects a page of more rows than any page has; prints how to request larger pages',
          says: 'more than 100,000 rows received where 3 were requested',
          with: ['query'],
        },
        `{"rows":[${ROW}`,
        `,${ROW}`,
        ['--to', '2026-03-02', '--all', '--page-size', '3', '-o', 'csv'],
      ),
      // What went to a pipe is out.
      printsRows: true,
    },
    endless(
      {
        fault: 'endless white space between two rows',
        does: 'rejects more than 64 KiB of it',
        says: 'more than 65536 blanks between two rows',
        with: ['query'],
      },
      `{"rows":[`,
      ' ',
    ),
    endless(
      {
        fault: 'endless data before the rows',
        does: 'rejects more than 1 MiB outside of the rows',
        says: 'more than 1048576 bytes outside of the rows',
        with: ROWS,
      },
      '{"a":"',
      'x',
    ),
    endless(
      {
        fault: 'endless white space instead of a response with rows',
        does: 'rejects more than 1 MiB outside of the rows',
        says: 'more than 1048576 bytes outside of the rows',
        with: ROWS,
      },
      ' ',
      ' ',
    ),
    stalled(
      'no row, but a few kilobytes of white space within each time limit',
      '{"rows":[',
      ' '.repeat(200),
    ),
    stalled('no complete row, but a part of one within each time limit', '{"rows":[{"id":"', 'x'.repeat(200)),
  ],
};
