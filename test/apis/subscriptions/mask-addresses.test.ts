import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maskAddresses, namesAddress } from '../../../src/apis/subscriptions/mask-addresses.ts';

test('every field remains when two names have the same mask', () => {
  const data = {
    'anna@example.com': 1,
    'arthur@example.com': { mail: 'arthur@example.com' },
    'a***@example.com': 3,
    plan: 'monthly',
  };
  expect(maskAddresses(data)).toEqual({
    'a***@example.com': 1,
    'a***@example.com (2)': { mail: 'a***@example.com' },
    'a***@example.com (3)': 3,
    plan: 'monthly',
  });
});

const BASE64 = Buffer.from('carla@example.com').toString('base64');
const HEX = Buffer.from('carla@example.com').toString('hex');
test.each([
  [`https://example.com/a?u=${BASE64}&p=2`, 'https://example.com/a?u=***=&p=2'],
  [`https://example.com/u/${BASE64.replace(/=+$/, '')}/a`, 'https://example.com/u/***/a'],
  [`v1.${BASE64}.sig`, 'v1.***=.sig'],
  [`https%3A%2F%2Fexample.com%2Fa%3Fu%3D${BASE64}`, '***='],
  ['https://example.com/a?reader=carla%2540example.com&p=2', 'https://example.com/a?reader=***&p=2'],
  ['https://example.com/a?reader=carla%40example.com', 'https://example.com/a?reader=c***%40example.com'],
  ['https://example.com/a?c=carla=40example.com&p=2', 'https://example.com/a?c=c***=40example.com&p=2'],
  [`https://example.com/a?h=${HEX}&p=2`, 'https://example.com/a?h=***&p=2'],
  [`https://example.com/a?h=${HEX.toUpperCase()}`, 'https://example.com/a?h=***'],
  ['mail carla&#64;example.com', 'mail c***&#64;example.com'],
  ['https://example.com/a?w=640&v=401.25', 'https://example.com/a?w=640&v=401.25'],
  ['https://example.com/a?id=6163746976654065', 'https://example.com/a?id=6163746976654065'],
  [
    'https://example.com/articles/a-very-long-read?id=20261127',
    'https://example.com/articles/a-very-long-read?id=20261127',
  ],
])('%s is shown as %s', (text, shown) => {
  expect(maskAddresses(text)).toBe(shown);
});

test('no address that the parser of pastes understands remains, however it is encoded', () => {
  const encodings: ((text: string) => string)[] = [
    encodeURIComponent,
    text => encodeURIComponent(encodeURIComponent(text)),
    text => Buffer.from(text).toString('base64'),
    text => Buffer.from(text).toString('base64url'),
    text => encodeURIComponent(Buffer.from(text).toString('base64')),
    text => text.replaceAll('@', '%2540'),
    text => text.replaceAll('@', '=40'),
    text => Buffer.from(text).toString('hex'),
    text => [...Buffer.from(text)].map(byte => `=${byte.toString(16).toUpperCase()}`).join(''),
  ];
  const word = fc.string({ unit: fc.constantFrom(...'abcdefghijkl0123456789'), minLength: 6, maxLength: 12 });
  fc.assert(
    fc.property(fc.constantFrom(...encodings), word, word, (encode, name, host) => {
      const email = `${name}@${host}.example.com`;
      const text = `https://example.com/a/${encode(email)}?u=${encode(email)}&p=1 ${encode(email)}`;
      expect(namesAddress(text)).toBe(true);
      const shown = maskAddresses(text);
      for (const reading of [shown, decodeURIComponent(shown), Buffer.from(shown, 'base64').toString()])
        expect(reading).not.toContain(name);
    }),
  );
});
