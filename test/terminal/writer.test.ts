import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { DataWriter } from '../../src/terminal/writer.ts';

/** A stdout that takes some bytes at once, and the rest by its stream. */
function stdout(takesAtOnce = Number.POSITIVE_INFINITY) {
  const printed: Buffer[] = [];
  const streamed: Buffer[] = [];
  let left = takesAtOnce;
  const stream = new Writable({
    write(chunk, _encoding, done) {
      streamed.push(chunk);
      done();
    },
  });
  return {
    stdout: stream,
    writeSync(chunk: string | Uint8Array) {
      const bytes = Buffer.from(chunk);
      const taken = Math.min(left, bytes.length);
      left -= taken;
      printed.push(bytes.subarray(0, taken));
      return bytes.subarray(taken);
    },
    get texts() {
      return { printed: Buffer.concat(printed).toString(), streamed: Buffer.concat(streamed).toString() };
    },
  };
}

test('short output needs no stream', async () => {
  const io = stdout();
  const writer = new DataWriter(io);
  await writer.write('one ');
  await writer.write(Buffer.from('two'));
  expect(io.texts).toEqual({ printed: 'one two', streamed: '' });
});

test('what stdout does not accept immediately is written by the stream, in order', async () => {
  const io = stdout(5);
  const writer = new DataWriter(io);
  await writer.write('abcdefgh');
  await writer.write('ijk');
  expect(io.texts).toEqual({ printed: 'abcde', streamed: 'fghijk' });
});

test('long output is streamed, so that gatectl can be stopped while nothing reads it', async () => {
  const io = stdout();
  const writer = new DataWriter(io);
  await writer.write('x'.repeat(20_000));
  await writer.write('y');
  expect(io.texts).toEqual({ printed: '', streamed: `${'x'.repeat(20_000)}y` });
});
