import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { isMail } from '../../../src/apis/subscriptions/pasted-text.ts';
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
