import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KnownRows } from '../../../src/export/transcode/known-rows.ts';
import { Row } from '../../../src/export/transcode/row.ts';
import { runs } from '../../support/runs.ts';
import { valueText } from './answers.ts';

const FIRST = Buffer.from('[');
const LAST = Buffer.from(']');

const known = knowing('[1]');

/** Knows the rows that are like one. */
function knowing(text: string): KnownRows {
  const row = new Row();
  const bytes = Buffer.from(text);
  row.split(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0, bytes.length);
  const rows = new KnownRows();
  rows.learn(row, { fieldOf: Int32Array.of(0), missing: [], extra: [] });
  return rows;
}

/** Where the value ends that the bytes begin with, in a row of one; -1 when there is none. */
function endOf(bytes: Uint8Array): number {
  const row = new Row();
  let found = false;
  known.eachText(Buffer.concat([FIRST, bytes, LAST]), ({ byteLength }) => {
    found = known.read(0, row) !== undefined;
    return byteLength;
  });
  return found ? (row.valueTo[0] as number) - FIRST.length : -1;
}

/** The value that the bytes are, as an independent reader sees it; undefined when they are none. */
function valueIn(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text === text.trim() ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

test('a value ends where it ends', () => {
  fc.assert(
    fc.property(valueText, value => {
      const bytes = Buffer.from(value);
      expect(endOf(bytes)).toBe(bytes.length);
    }),
    { numRuns: runs(2000) },
  );
});

test('accepted text is a value, with any byte changed, inserted or omitted', () => {
  const pieces = [0, 0x1f, 0x20, 0x7f, 0x80, 0x8f, 0xa0, 0xbf, 0xc2, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xff];
  const put = fc.oneof(
    fc.constantFrom(...Buffer.from('"\\0159+-.eEunbxA'), ...pieces),
    fc.constant(undefined),
  );
  fc.assert(
    fc.property(valueText, fc.nat(), fc.constantFrom(0, 1), put, (value, position, removed, byte) => {
      const original = Buffer.from(value);
      const at = position % (original.length + 1);
      const bytes = Buffer.concat([
        original.subarray(0, at),
        Buffer.from(byte === undefined ? [] : [byte]),
        original.subarray(at + removed),
      ]);
      const end = endOf(bytes);
      const isWhole = valueIn(bytes) !== undefined;
      if (isWhole) expect(end).toBe(bytes.length);
      else if (end !== -1) expect(valueIn(bytes.subarray(0, end))).toBeDefined();
    }),
    { numRuns: runs(20_000) },
  );
});

test.each([
  '01',
  '-01',
  '00.5',
  '-',
  '.5',
  '+1',
  '1.',
  '1.e5',
  '1e',
  '1e+',
  'NaN',
  'nulL',
  'trux',
  'falsy',
  '"\\x"',
  '"\\u12g4"',
  '"a\nb"',
  '"no end',
  '[1,]',
  '[1',
  '{"a"}',
  '{"a":[}]',
  ']',
])('%s is not a value', text => {
  expect(endOf(Buffer.from(text))).toBe(-1);
});

test('a value that is nested very deep is left to others', () => {
  expect(endOf(Buffer.from(`${'['.repeat(32)}${']'.repeat(32)}`))).toBe(64);
  expect(endOf(Buffer.from(`${'['.repeat(33)}${']'.repeat(33)}`))).toBe(-1);
});

test.each([
  ['a lone continuation byte', [0x80]],
  ['an overlong slash', [0xc0, 0xaf]],
  ['an overlong three-byte form', [0xe0, 0x9f, 0xbf]],
  ['an encoded surrogate', [0xed, 0xa0, 0x80]],
  ['an overlong four-byte form', [0xf0, 0x8f, 0xbf, 0xbf]],
  ['a code point above U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
  ['a sequence that ends too soon', [0xe6, 0xbc, 0x41]],
])('a string with %s is not a value', (_, sequence) => {
  expect(endOf(Buffer.from([0x22, 0x61, ...sequence, 0x22]))).toBe(-1);
});

test('nothing is read beyond the end of the text, whatever the memory contained', () => {
  fc.assert(
    fc.property(valueText, value => {
      const text = Buffer.from(`[${value}]`);
      const read = (size: number) => {
        let layout: unknown;
        known.eachText(text.subarray(0, size), ({ byteLength }) => {
          layout = known.read(0, new Row());
          return byteLength;
        });
        return layout !== undefined;
      };
      for (let size = 1; size < text.length; size++) {
        expect(read(text.length)).toBe(true);
        expect(read(size)).toBe(false);
      }
    }),
    { numRuns: runs(300) },
  );
});
