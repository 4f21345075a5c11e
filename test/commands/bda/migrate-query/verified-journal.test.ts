import { appendFileSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { VerifiedJournal } from '../../../../src/commands/bda/migrate-query/verified-journal.ts';
import { temporaryFolder } from '../../../support/folder.ts';

const FOUND = { outcome: 'parity', days: '2026-03-07..2026-03-13', notes: [] } as const;

test('a line that a kill cut loses itself only, wherever it was cut', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'verified.ndjson');
  await (await VerifiedJournal.open(folder)).add('first', FOUND);
  const whole = readFileSync(path).length;
  await (await VerifiedJournal.open(folder)).add('second', FOUND);
  const second = readFileSync(path).subarray(whole);
  for (let cut = 0; cut < second.length; cut += 1) {
    truncateSync(path, whole);
    appendFileSync(path, second.subarray(0, cut));
    await (await VerifiedJournal.open(folder)).add('third', FOUND);
    const journal = await VerifiedJournal.open(folder);
    const known = ['first', 'second', 'third'].map(item => journal.find(item) !== undefined);
    expect(known, `cut at ${cut}`).toEqual([true, false, true]);
  }
});

test.each([
  ['an outcome that there is not', { ...FOUND, outcome: 'fine' }],
  ['notes that are no list', { ...FOUND, notes: 'none' }],
  ['no days', { outcome: 'parity', notes: [] }],
  ['nothing', null],
])('a record with %s is no result', async (_, result) => {
  const folder = temporaryFolder();
  await (await VerifiedJournal.open(folder)).add('item', result as typeof FOUND);
  expect((await VerifiedJournal.open(folder)).find('item')).toBe(undefined);
});
