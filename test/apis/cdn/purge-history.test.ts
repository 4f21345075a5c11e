import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PurgeHistory } from '../../../src/apis/cdn/purge-history.ts';
import { temporaryFolder } from '../../support/folder.ts';

const RECORD = {
  startedAt: '2026-03-14T12:00:00.000Z',
  finishedAt: '2026-03-14T12:00:01.000Z',
  gateway: 'https://gateway.example.com',
  command: 'gatectl cdn purge --key k',
  what: 'key',
  requested: 1,
  cleared: 1,
  failed: 0,
  confirmed: true,
} as const;

const unchanged = (text: string) => text;

test('the last 200 purges are stored, with their targets', async () => {
  const folder = temporaryFolder();
  const history = new PurgeHistory(folder);
  for (let count = 0; count < 203; count += 1) await history.add(RECORD, { keys: [`k${count}`] }, unchanged);
  const records = await history.list();
  expect([records.length, records[0]?.id, records.at(-1)?.id]).toEqual([200, '20260314-203', '20260314-4']);
  expect(readdirSync(folder)).toHaveLength(400);
  const [first] = records;
  const targets = [];
  if (first !== undefined) for await (const block of history.targets(first)) targets.push(...block);
  expect(targets).toEqual([{ kind: 'key', target: 'k202' }]);
});

test('two purges at the same time get two ids', async () => {
  const history = new PurgeHistory(temporaryFolder());
  const ids = await Promise.all([1, 2, 3].map(() => history.add(RECORD, {}, unchanged)));
  expect(ids.sort()).toEqual(['20260314-1', '20260314-2', '20260314-3']);
});

test('a damaged record is an error that names its file', async () => {
  const folder = temporaryFolder();
  const history = new PurgeHistory(folder);
  await history.add(RECORD, {}, unchanged);
  writeFileSync(join(folder, '20260314-1.json'), '{');
  await expect(history.list()).rejects.toThrow('20260314-1.json is damaged');
});
