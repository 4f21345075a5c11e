import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { isMail, readPaste, withDecodedMail } from '../../../src/apis/subscriptions/pasted-text.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { run } from '../../support/run.ts';

const MAIL =
  'From: Ann <active@example.com>\nTo: support@example.com\nSubject: help\n\nI cannot read an article.\n';
const LIST = 'active@example.com\nexpired@example.com\n';

async function readers(text: string, place: 'file' | 'stdin') {
  const file = join(temporaryFolder(), 'input.txt');
  writeFileSync(file, text);
  const { code, stdout } = await run(
    ['reader', place === 'file' ? `@${file}` : '-', '--product', 'premium', '--json', '--sandbox'],
    { stdin: Readable.from([Buffer.from(text)]) },
  );
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

test.each(['file', 'stdin'] as const)('reader takes the sender of a mail from a %s', async place => {
  expect((await readers(MAIL, place)).reader).toBe('active@example.com');
});

test.each(['file', 'stdin'] as const)('a list from a %s stays one', async place => {
  expect(await readers(LIST, place)).toMatchObject([
    { email: 'active@example.com' },
    { email: 'expired@example.com' },
  ]);
});

test.each([
  [MAIL, true],
  [MAIL.replaceAll('\n', '\r\n'), true],
  ['Received: from mx.example.com\n\tby mail.example.com\nFrom: a@example.com\n\nhi', true],
  [LIST, false],
  ['from,to\na@example.com,b@example.com\n', false],
  ['from: a@example.com\n', false],
  ['', false],
])('whether %j is a mail: %s', (text, expected) => {
  expect(isMail(text)).toBe(expected);
});

describe('a mail whose header says so is decoded', () => {
  const header = 'From: Ann <item@example.com>\nTo: support@example.com\nSubject: help\nMIME-Version: 1.0\n';
  const text = 'I paid for https://example.com/articles/long-read, grüße';
  const base64 = (words: string) => Buffer.from(words).toString('base64');
  const part = (type: string, encoding: string, body: string) =>
    `--b1\nContent-Type: ${type}\nContent-Transfer-Encoding: ${encoding}\n\n${body}\n`;
  const html = part(
    'text/html; charset=utf-8',
    'base64',
    base64('<a href="https://example.com/other">x</a>'),
  );
  const image = part('image/png', 'base64', base64('https://example.com/image'));
  const multipart = 'Content-Type: multipart/alternative;\n boundary="b1"\n\n';

  test.each([
    [
      'quoted-printable',
      `${header}Content-Transfer-Encoding: quoted-printable\n\nI paid for https://example.com/articles/long=\n-read, gr=C3=BC=C3=9Fe\n`,
    ],
    ['base64', `${header}Content-Transfer-Encoding: base64\n\n${base64(text)}\n`],
    [
      'the plain part',
      `${header}${multipart}${part('text/plain; charset=utf-8', 'base64', base64(text))}${html}${image}--b1--\n`,
    ],
    [
      'lines of Windows',
      `${header}Content-Transfer-Encoding: base64\n\n${base64(text)}\n`.replaceAll('\n', '\r\n'),
    ],
  ])('%s', async (_, mail) => {
    const read = await readers(mail, 'file');
    const items = read.decisions.flatMap(({ item }: { item?: string }) => item ?? []);
    expect(items).toEqual(['https://example.com/articles/long-read']);
    const { stderr } = await run(['reader', mail, '--reply', '--sandbox']);
    expect(stderr).toContain('the page https://example.com/articles/long-read');
  });

  test('and an address in it is found', async () => {
    const mail = 'Content-Transfer-Encoding: quoted-printable\n\nI am active=40example.com, since 2024=2E\n';
    expect(readPaste(await withDecodedMail(mail)).emails).toEqual(['active@example.com']);
    const latin =
      'Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\ngr=FC=DFe';
    expect(await withDecodedMail(latin)).toContain('grüße');
    expect(await withDecodedMail('Ann: a=40b')).toBe('Ann: a=40b');
  });
});

test.each([
  [
    'cut at the end of a line',
    'I read https://example.com/articles/long-\nread but it is locked.',
    'boughtAs',
  ],
  ['Markdown', '[https://example.com/articles/long-read](https://example.com/articles/long-read)', 'item'],
  ['mistyped', 'see https://example.com/articles/long-raed please', 'nearest'],
  ['cut without its rest', 'see https://example.com/articles/long-\n- please', 'nearest'],
  ['on a phone', 'see https://m.example.com/articles/long-read please', 'nearest'],
])('the reply does not deny a bought page that a text links to: %s', async (_, text, field) => {
  const { stdout } = await run(['reader', `item@example.com\n${text}`, '--json', '--sandbox']);
  const { decisions, reply } = JSON.parse(stdout);
  expect(decisions[0][field]).toBe('https://example.com/articles/long-read');
  expect(reply).toMatchObject({ about: 'allowed_item', product: 'https://example.com/articles/long-read' });
});
