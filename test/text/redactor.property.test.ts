import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quotedPrintable } from '../../src/text/mail.ts';
import { Redactor } from '../../src/text/redactor.ts';
import { shortened } from '../../src/text/shortened.ts';
import { runs } from '../support/runs.ts';

/** A way to repeat a text, and what each part of the result stands for, where parts of it may be missing. */
interface Coding {
  readonly name: string;
  readonly write: (text: string) => string;
  readonly read: (text: string) => string;
}

const hexCode = (character: string) => character.charCodeAt(0).toString(16).padStart(4, '0');
const percent = (text: string) =>
  text.replaceAll(/%([\da-f]{2})/gi, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));

function base64Parts(text: string, charset: BufferEncoding): string {
  const parts = [...text.matchAll(/[\w+/-]+/g)].flatMap(([part]) =>
    [0, 1, 2, 3].flatMap(offset => {
      const bytes = Buffer.from(part.slice(offset), 'base64');
      return [bytes.toString(charset), bytes.subarray(1).toString(charset)];
    }),
  );
  return parts.join('\n');
}

const CODINGS: readonly Coding[] = [
  { name: 'as it is', write: text => text, read: text => text },
  { name: 'upper case', write: text => text.toUpperCase(), read: text => text },
  { name: 'URL', write: encodeURIComponent, read: percent },
  {
    name: 'every character in the URL',
    write: text => Buffer.from(text).toString('hex').replaceAll(/../g, '%$&'),
    read: percent,
  },
  {
    name: 'URL twice',
    write: text => encodeURIComponent(encodeURIComponent(text)),
    read: text => percent(percent(text)),
  },
  {
    name: 'JSON',
    write: text => JSON.stringify(text).replaceAll('/', '\\/'),
    read: text => text.replaceAll(/\\(.)/g, '$1'),
  },
  {
    name: 'JSON with escapes only',
    write: text => text.replaceAll(/./gs, character => `\\u${hexCode(character)}`),
    read: text =>
      text.replaceAll(/\\u(....)/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16))),
  },
  {
    name: 'HTML',
    write: text => text.replaceAll(/[^\w ]/g, character => `&#${character.charCodeAt(0)};`),
    read: text => text.replaceAll(/&#(\d+);/g, (_, digits) => String.fromCharCode(digits)),
  },
  {
    name: 'HTML by names',
    write: text => text.replaceAll('&', '&amp;').replaceAll('@', '&commat;').replaceAll('+', '&plus;'),
    read: text => text.replaceAll('&commat;', '@').replaceAll('&plus;', '+').replaceAll('&amp;', '&'),
  },
  {
    name: 'quoted-printable',
    write: quotedPrintable,
    read: text => percent(text.replaceAll('=\n', '').replaceAll('=', '%')),
  },
  {
    name: 'folded',
    write: text => (text.match(/.{1,11}/gs) ?? []).join('\r\n  '),
    read: text => text.replaceAll(/\r\n\s*/g, ''),
  },
  { name: 'hexadecimal', write: text => Buffer.from(text).toString('hex'), read: readHex },
  {
    name: 'base64',
    write: text => Buffer.from(text).toString('base64'),
    read: text => base64Parts(text, 'latin1'),
  },
  {
    name: 'base64 of a URL, in lines',
    write: text =>
      (
        Buffer.from(text)
          .toString('base64url')
          .match(/.{1,19}/g) ?? []
      ).join('\n'),
    read: text => base64Parts(text.replaceAll('\n', ''), 'latin1'),
  },
  {
    name: 'UTF-16 in base64',
    write: text => Buffer.from(text, 'utf16le').toString('base64'),
    read: text => base64Parts(text, 'utf16le'),
  },
  {
    name: 'big-endian UTF-16 in base64',
    write: text => Buffer.from(text, 'utf16le').swap16().toString('base64'),
    read: text => base64Parts(text, 'utf16le'),
  },
];

function readHex(text: string): string {
  const parts = [...text.matchAll(/[\da-f]{2,}/gi)].flatMap(([part]) =>
    [0, 1].map(offset => Buffer.from(part.slice(offset), 'hex').toString('latin1')),
  );
  return parts.join('\n');
}

const charactersOf = (characters: string, minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...characters), minLength, maxLength });
const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const key = charactersOf(`${ALPHANUMERIC}+/=_-.~!$%&*`, 12, 40);
const email = fc
  .tuple(charactersOf(`${ALPHANUMERIC}._+-`, 4, 20), charactersOf(ALPHANUMERIC, 5, 12))
  .map(([name, host]) => `${name}@${host}.example.com`);
const token = fc
  .array(charactersOf(`${ALPHANUMERIC}_-`, 8, 40), { minLength: 3, maxLength: 3 })
  .map(parts => parts.join('.'));
const context = fc.string({
  unit: fc.constantFrom(...`${ALPHANUMERIC} .,:;'"<>{}()[]=&?/\\%\n`),
  maxLength: 60,
});

/** Pieces of eight characters of a secret that a text contains, in any letter case. */
function piecesIn(text: string, secret: string): string[] {
  const folded = text.toLowerCase();
  const pieces = Array.from({ length: secret.length - 7 }, (_, at) => secret.slice(at, at + 8).toLowerCase());
  return pieces.filter(piece => folded.includes(piece));
}

const secrets = fc.oneof(key, email, token);

test.each(CODINGS)('no piece of a secret survives: $name', ({ write, read }) => {
  fc.assert(
    fc.property(secrets, context, context, (secret, before, after) => {
      const redactor = new Redactor();
      redactor.add(secret);
      const text = write(`${before}${secret}${after}`);
      // Otherwise the context has one.
      fc.pre(piecesIn(`${read(write(before))}\n${read(write(after))}`, secret).length === 0);
      expect(piecesIn(read(redactor.redact(text)), secret)).toEqual([]);
    }),
    { numRuns: runs(400) },
  );
});

test('no piece of a secret survives one coding within another', () => {
  const escapes = CODINGS.slice(2, 11);
  fc.assert(
    fc.property(
      secrets,
      context,
      fc.constantFrom(...escapes),
      fc.constantFrom(...CODINGS.slice(2)),
      (secret, around, inner, outer) => {
        const redactor = new Redactor();
        redactor.add(secret);
        // An escape within base64 is a form of its own; a fold, or text that is escaped character by character, is not.
        fc.pre(escapes.includes(outer) || ['URL', 'HTML by names'].includes(inner.name));
        fc.pre(
          escapes.includes(outer) ||
            inner.write(secret) === encodeURIComponent(secret) ||
            inner.write(secret) === secret,
        );
        const text = outer.write(`${around} ${inner.write(secret)} ${around}`);
        fc.pre(piecesIn(inner.read(outer.read(outer.write(around))), secret).length === 0);
        expect(piecesIn(inner.read(outer.read(redactor.redact(text))), secret)).toEqual([]);
      },
    ),
    { numRuns: runs(2000) },
  );
});

test('no piece of a secret survives a cut, made before or after it is redacted', () => {
  fc.assert(
    fc.property(
      secrets,
      context,
      context,
      fc.constantFrom(...CODINGS.slice(0, 3)),
      fc.nat(120),
      (secret, before, after, { write, read }, at) => {
        const redactor = new Redactor();
        redactor.add(secret);
        fc.pre(piecesIn(`${before}\n${after}`, secret).length === 0);
        const text = `${write(before)}${write(secret)}${write(after)}`;
        for (const shown of [
          shortened(redactor.redact(text), at),
          redactor.redact(`rejected: ${shortened(text, at)} (403)`),
        ])
          expect(piecesIn(read(shown), secret)).toEqual([]);
      },
    ),
    { numRuns: runs(2000) },
  );
});

test('text without a secret does not change', () => {
  fc.assert(
    fc.property(secrets, fc.string({ unit: 'binary', maxLength: 200 }), (secret, text) => {
      const redactor = new Redactor();
      redactor.add(secret);
      fc.pre(!text.includes(secret.slice(0, 4)));
      expect(redactor.redact(text)).toBe(text);
    }),
    { numRuns: runs(1000) },
  );
});

test('a secret at the border of two windows is redacted', () => {
  const redactor = new Redactor();
  redactor.add('a secret of some length');
  const around = 'x'.repeat(1024 * 1024 - 10);
  expect(redactor.redact(`${around}a secret of some length${around}`)).toBe(`${around}***${around}`);
});
