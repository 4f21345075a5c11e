import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGzip, gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import type { InProcess } from '../../support/run.ts';
import { positions } from '../../support/runs.ts';
import type { AskingCase, FaultCase, FaultGroup } from '../fault-case.ts';
import { inStillTime } from '../still-time.ts';
import {
  ASKING,
  type Asking,
  EVERY_ASKING,
  goodAnswer,
  http,
  type Tried,
  tryAnswer,
  tryBytes,
} from '../trial.ts';

type Told = Pick<AskingCase, 'fault' | 'does' | 'says'> & Partial<AskingCase>;

const HINT = 'request uncompressed responses with --no-compression, or store it: gatectl profile set';
const AGAIN = 'retries three times; then fails with a hint to disable compression';
const ONCE = 'fails with a hint to disable compression';

/** The same response to every request, with a Content-Encoding. */
function encoded(
  told: Told,
  encoding: string | undefined,
  body: (asking: Asking) => Uint8Array,
  flags: readonly string[] = [],
): AskingCase {
  const hints = told.exit === 0 || flags.includes('--no-compression') ? 0 : 1;
  return {
    exit: 6,
    requests: 1,
    with: EVERY_ASKING,
    ...told,
    async attempt(asking) {
      const headers: Record<string, string> = encoding === undefined ? {} : { 'content-encoding': encoding };
      const ran = await tryAnswer([...ASKING[asking], ...flags], () => ({ headers, body: body(asking) }));
      expect(ran.stderr.split(HINT).length - 1).toBe(hints);
      return ran;
    },
  };
}

const plain = (asking: Asking) => Buffer.from(goodAnswer(asking));
const gzip = (asking: Asking) => gzipSync(plain(asking));

function damaged(asking: Asking): Buffer {
  const bytes = gzip(asking);
  // The last eight bytes are the checksum and the length.
  bytes.writeUInt32LE((bytes.readUInt32LE(bytes.length - 8) ^ 1) >>> 0, bytes.length - 8);
  return bytes;
}

/** So many bytes of `x` between a beginning and an end, in gzip: a thousandth of that on the wire. */
async function bomb(start: string, megabytes: number, end: string): Promise<Buffer> {
  const compressor = createGzip({ level: 1 });
  const piece = Buffer.alloc(1024 * 1024, 'x');
  const parts: Buffer[] = [];
  compressor.on('data', part => parts.push(part));
  compressor.write(start);
  for (let at = 0; at < megabytes; at += 1)
    await new Promise<void>(resolve => compressor.write(piece, () => resolve()));
  compressor.end(end);
  await new Promise(resolve => compressor.once('end', resolve));
  return Buffer.concat(parts);
}

/** A response under a Content-Length that is too large, on a connection that stays open. */
function tooLong(
  told: Told,
  body: (asking: Asking) => Uint8Array,
  encoding = 'content-encoding: gzip\r\n',
): AskingCase {
  return {
    exit: 6,
    requests: 1,
    with: EVERY_ASKING,
    ...told,
    attempt: asking =>
      inStillTime(pass =>
        tryBytes(ASKING[asking], socket => {
          const bytes = body(asking);
          const headers = `${encoding}content-length: ${bytes.length + 1000}\r\n`;
          socket.write(Buffer.concat([Buffer.from(http('', headers)), bytes]));
          pass();
        }),
      ),
  };
}

const ROWS = Array.from({ length: 7 }, (_, i) => `{"id":${i},"visits":${i + 1}0}`);
const WHOLE = `id,visits\n${ROWS.map((_, i) => `${i},${i + 1}0\n`).join('')}`;
const EXPORT = [...ASKING.query, '--to', '2026-03-10', '--all', '--page-size', '3'];

function page(body: string): { offset: number; bytes: Buffer } {
  const { limit, offset = 0 } = JSON.parse(body || '{}') as { limit: number; offset?: number };
  const rows = ROWS.slice(offset, offset + limit).join(',');
  return { offset, bytes: gzipSync(`{"rows":[${rows}],"total_rows":${ROWS.length}}`) };
}

/** Tries an export whose second page, in gzip, is spoilt in each of these ways in turn: once, or each time. */
function spoilt(
  times: number,
  told: Pick<FaultCase, 'fault' | 'does' | 'exit'>,
  ways: readonly ((bytes: Buffer) => Uint8Array)[],
): FaultCase {
  return {
    ...told,
    async attempt() {
      let last: InProcess | undefined;
      for (const spoil of ways) {
        const folder = temporaryFolder();
        const out = join(folder, 'rows.csv');
        let left = times;
        const args = [...EXPORT, '--out', out, '--quiet', ...(times === 1 ? [] : ['--retries', '1'])];
        last = await tryAnswer(args, request => {
          const { offset, bytes } = page(request.body);
          const isSpoilt = offset === 3 && left-- > 0;
          return { headers: { 'content-encoding': 'gzip' }, body: isSpoilt ? spoil(bytes) : bytes };
        });
        expect(last.code, last.stderr).toBe(told.exit);
        if (told.exit === 0) expect(readFileSync(out, 'utf8')).toBe(WHOLE);
        else {
          expect(readdirSync(folder).sort()).toEqual(['rows.csv.part', 'rows.csv.part.json']);
          expect(WHOLE.startsWith(readFileSync(`${out}.part`, 'utf8'))).toBe(true);
          expect(last.stderr).toContain('3 rows in 1 page are kept');
          expect(last.stderr).toContain(HINT);
        }
      }
      return last ?? expect.unreachable();
    },
  };
}

const SECOND = page('{"limit":3,"offset":3}').bytes;
const cutAt = (length: number) => (bytes: Buffer) => bytes.subarray(0, length);
const EACH_CUT = positions(SECOND.length - 1).map(length => cutAt(length + 1));
const flipped = (at: number) => (bytes: Buffer) =>
  bytes.map((byte, index) => (index === at ? byte ^ 0x55 : byte));

export const compressed: FaultGroup = {
  title: 'Compressed responses',
  cases: [
    ...['gzip', 'x-gzip', 'GZIP', 'identity, gzip'].map(name =>
      encoded({ fault: `\`Content-Encoding: ${name}\``, does: 'decodes it', says: '', exit: 0 }, name, gzip),
    ),
    encoded({ fault: 'gzip of two members', does: 'decodes both', says: '', exit: 0 }, 'gzip', asking =>
      Buffer.concat([plain(asking).subarray(0, 9), plain(asking).subarray(9)].map(part => gzipSync(part))),
    ),
    encoded(
      {
        fault: 'truncated gzip',
        does: AGAIN,
        says: 'the compressed response is cut (gzip)',
        requests: 4,
      },
      'gzip',
      asking => gzip(asking).subarray(0, -9),
    ),
    encoded(
      {
        fault: 'gzip truncated within its checksum',
        does: AGAIN,
        says: 'the compressed response is cut (gzip)',
        requests: 4,
      },
      'gzip',
      asking => gzip(asking).subarray(0, -1),
    ),
    encoded(
      {
        fault: 'gzip whose checksum does not match',
        does: AGAIN,
        says: 'the compressed response is damaged (gzip)',
        requests: 4,
      },
      'gzip',
      damaged,
    ),
    encoded(
      {
        fault: 'a response marked as gzip that is not compressed: a proxy decoded it',
        does: AGAIN,
        says: 'the compressed response is damaged (gzip)',
        requests: 4,
      },
      'gzip',
      plain,
    ),
    encoded(
      {
        fault: 'gzip within gzip that the header does not mention',
        does: AGAIN,
        says: 'the response is compressed more than once',
        requests: 4,
      },
      'gzip',
      asking => gzipSync(gzip(asking)),
    ),
    encoded(
      {
        fault: 'gzip without its header: a proxy dropped it',
        does: ONCE,
        says: 'the response is compressed, and its Content-Encoding header is missing',
        with: EVERY_ASKING.filter(asking => asking !== 'query' && asking !== 'report'),
      },
      undefined,
      gzip,
    ),
    encoded(
      {
        fault: 'the same for rows',
        does: AGAIN,
        says: 'the response is compressed, and its Content-Encoding header is missing',
        requests: 4,
        with: ['query', 'report'],
      },
      undefined,
      gzip,
    ),
    ...['gzip, gzip', 'br, gzip'].map(name =>
      encoded(
        {
          fault: `\`Content-Encoding: ${name}\``,
          does: ONCE,
          says: `the response is compressed more than once (${name})`,
        },
        name,
        gzip,
      ),
    ),
    ...['br', 'deflate', 'compress', 'something'].map(name =>
      encoded(
        {
          fault: `an encoding that was not offered (${name})`,
          does: ONCE,
          says: `the response is compressed (${name}), which was not requested`,
        },
        name,
        gzip,
      ),
    ),
    encoded(
      {
        fault: 'gzip despite --no-compression',
        does: 'reports it; decodes nothing',
        says: 'the response is compressed (gzip), which was not requested',
      },
      'gzip',
      gzip,
      ['--no-compression'],
    ),
    tooLong(
      {
        fault: 'the length of the data before compression, on a connection that stays open',
        does: 'accepts the complete data',
        says: '',
        exit: 0,
      },
      asking => gzip(asking),
    ),
    tooLong(
      {
        fault: 'the same without compression',
        does: 'accepts the complete JSON',
        says: '',
        exit: 0,
      },
      plain,
      '',
    ),
    tooLong(
      {
        fault: 'a length that is too large, and the checksum of gzip is missing',
        does: AGAIN,
        says: 'the compressed response is cut (gzip)',
        requests: 4,
        with: ['listing', 'query', 'report', 'access'],
      },
      asking => gzip(asking).subarray(0, -8),
    ),
    {
      fault: 'a document that inflates to more than 16 MiB',
      does: 'stops at that size, regardless of the size on the wire',
      exit: 6,
      async attempt() {
        const body = await bomb('{"domains":["', 17, '"]}');
        expect(body.length).toBeLessThan(4 * 1024 * 1024);
        const ran = await tryAnswer(ASKING.listing, () => ({
          headers: { 'content-encoding': 'gzip' },
          body,
        }));
        expect(ran.stderr).toContain('the response is larger than 16 MiB');
        expect(ran.requests).toBe(1);
        return ran;
      },
    },
    {
      fault: 'a row that inflates to more than 4 MB',
      does: 'stops at that size',
      exit: 6,
      async attempt() {
        const body = await bomb('{"rows":[{"id":"', 64, '"}],"total_rows":1}');
        const ran = await tryAnswer([...EXPORT, '--retries', '0'], () => ({
          headers: { 'content-encoding': 'gzip' },
          body,
        }));
        expect(ran.stderr).toContain('a row of more than 4194304 bytes');
        return ran;
      },
    },
    spoilt(
      1,
      {
        fault: 'a compressed page of an export is truncated, at any byte',
        does: 'requests that page again; the file is the same as without the fault',
        exit: 0,
      },
      EACH_CUT,
    ),
    spoilt(
      1,
      {
        fault: 'a compressed page of an export is damaged',
        does: 'requests that page again; the file is the same as without the fault',
        exit: 0,
      },
      [flipped(0), flipped(12), flipped(SECOND.length - 8), flipped(SECOND.length - 1)],
    ),
    spoilt(
      Number.POSITIVE_INFINITY,
      {
        fault: 'a compressed page of an export is truncated or damaged each time',
        does: 'keeps the complete pages; prints how to resume and how to disable compression',
        exit: 6,
      },
      [cutAt(SECOND.length - 4), flipped(12)],
    ),
    {
      fault: 'a compressed page of rows for stdout is truncated once',
      does: 'requests it again and skips the rows that were written',
      exit: 0,
      async attempt(): Promise<Tried> {
        const ran = await tryAnswer([...EXPORT, '--csv'], (request, index) => {
          const { bytes } = page(request.body);
          const body = index === 1 ? bytes.subarray(0, -5) : bytes;
          return { headers: { 'content-encoding': 'gzip' }, body };
        });
        expect(ran.stdout).toBe(WHOLE);
        return ran;
      },
    },
  ],
};
