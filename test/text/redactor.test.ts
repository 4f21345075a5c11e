import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Redactor } from '../../src/text/redactor.ts';

test('a secret is redacted in plain, URL-encoded, JSON and base64 form', () => {
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

test('a secret is redacted in any letter case', () => {
  const redactor = new Redactor();
  redactor.add('Jörg.Reader@example.com');
  const forms = [
    'JÖRG.READER@EXAMPLE.COM',
    'j%c3%b6rg.reader@Example.com',
    Buffer.from('jörg.reader@example.com').toString('base64'),
  ];
  for (const form of forms) expect(redactor.redact(`İ ${form} after`)).toBe('İ *** after');
});

test('a secret is redacted however JSON escapes it', () => {
  const redactor = new Redactor();
  redactor.add('sk+AbCd"Ef/1234é');
  for (const form of ['sk\\u002bAbCd\\"Ef\\/1234\\u00e9', 'sk+AbCd\\"Ef\\/1234é', 'sk\\u002BAbCd\\"Ef/1234é'])
    expect(redactor.redact(`{"k":"${form}"}`)).toBe('{"k":"***"}');
  expect(redactor.redact('{"k":"a\\/b"}')).toBe('{"k":"a\\/b"}');
});

test('redacts alike, however many secrets there are', () => {
  const redactor = new Redactor();
  redactor.add('the-key-of-news');
  const texts = ['a the-key-of-news b', 'THE-KEY-OF-NEWS', 'nothing'];
  const alone = texts.map(text => redactor.redact(text));
  for (let count = 0; count < 50; count += 1) redactor.add(`reader-${count}@example.com`);
  expect(texts.map(text => redactor.redact(text))).toEqual(alone);
  for (let count = 0; count < 50; count += 1) redactor.remove(`reader-${count}@example.com`);
  expect(texts.map(text => redactor.redact(text))).toEqual(alone);
});

test('no text with a secret survives, whatever surrounds it', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 8 }), fc.string(), fc.string(), (secret, before, after) => {
      const redactor = new Redactor();
      redactor.add(secret);
      return !redactor.redact(`${before}${secret}${after}`).includes(secret) || '***'.includes(secret);
    }),
  );
});

test('a secret amid other text is redacted in its base64, wherever it starts', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 12 }), fc.string(), fc.string(), (secret, before, after) => {
      const redactor = new Redactor();
      redactor.add(secret);
      const told = Buffer.from(`${before}${secret}${after}`).toString('base64');
      const bytes = Buffer.from(secret);
      const start = Buffer.byteLength(before);
      // The characters that stand for bytes of the secret alone.
      const core = told.slice(Math.ceil((start * 8) / 6), Math.floor(((start + bytes.length) * 8) / 6));
      expect(redactor.redact(told)).toContain('***');
      expect(redactor.redact(told)).not.toContain(core);
    }),
  );
});

test('of several secrets that start alike the longest is taken', () => {
  const redactor = new Redactor();
  for (const secret of ['reader-1', 'reader-12', 'reader-123']) redactor.add(secret);
  expect(redactor.redact('reader-1 reader-12, reader-1234')).toBe('*** ***, ***4');
});

test('a short secret is redacted where it is a word, and not within one', () => {
  const redactor = new Redactor();
  redactor.add('open');
  const text = 'developerKey=open&x; "open" is not open for reading, /open/opened, reopen';
  expect(redactor.redact(text)).toBe('developerKey=***&x; "***" is not *** for reading, /***/opened, reopen');
});

test('very short values are not redacted: they would replace words', () => {
  const redactor = new Redactor();
  redactor.add('');
  redactor.add('the');
  expect(redactor.redact('the answer')).toBe('the answer');
});

test('a secret that is removed shows again, and one that was added twice stays hidden', () => {
  const redactor = new Redactor();
  redactor.add('reader.one@example.com');
  redactor.add('reader.two@example.com');
  redactor.add('reader.two@example.com');
  redactor.remove('reader.one@example.com');
  redactor.remove('reader.two@example.com');
  expect(redactor.redact('reader.one@example.com reader.two%40example.com')).toBe(
    'reader.one@example.com ***',
  );
});
