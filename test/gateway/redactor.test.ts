import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Redactor } from '../../src/gateway/redactor.ts';

test('a secret is blotted out in plain, URL-encoded, JSON and base64 form', () => {
  const redactor = new Redactor();
  redactor.add('key+with/odd "chars"');
  const forms = [
    'key+with/odd "chars"',
    'key%2Bwith%2Fodd%20%22chars%22',
    'key%2Bwith%2Fodd+%22chars%22',
    'key+with/odd \\"chars\\"',
    Buffer.from('key+with/odd "chars"').toString('base64'),
  ];
  for (const form of forms) expect(redactor.redact(`before ${form} after`)).toBe('before *** after');
});

test('no text that holds a secret survives, whatever stands around it', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 8 }), fc.string(), fc.string(), (secret, before, after) => {
      const redactor = new Redactor();
      redactor.add(secret);
      return !redactor.redact(`${before}${secret}${after}`).includes(secret) || '***'.includes(secret);
    }),
  );
});

test('very short values are no secrets: they would blot out words', () => {
  const redactor = new Redactor();
  redactor.add('');
  redactor.add('the');
  expect(redactor.redact('the answer')).toBe('the answer');
});
