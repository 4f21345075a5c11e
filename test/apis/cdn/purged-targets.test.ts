import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PurgedTargets } from '../../../src/apis/cdn/purged-targets.ts';
import { temporaryFolder } from '../../support/folder.ts';

const STARTED = '2026-03-14T12:00:00.000Z';
const unchanged = (text: string) => text;

async function targetsOf(stored: PurgedTargets, id: string) {
  const targets = [];
  for await (const block of stored.of(id)) targets.push(...block);
  return targets;
}

test('the targets of the last 200 purges are stored', async () => {
  const folder = temporaryFolder();
  const stored = new PurgedTargets(folder);
  for (let count = 1; count <= 203; count += 1) await stored.add(STARTED, { keys: [`k${count}`] }, unchanged);
  expect(readdirSync(folder)).toHaveLength(200);
  expect(await targetsOf(stored, '20260314-203')).toEqual([{ kind: 'key', target: 'k203' }]);
  expect(await targetsOf(stored, '20260314-4')).toEqual([{ kind: 'key', target: 'k4' }]);
  expect(await targetsOf(stored, '20260314-3')).toEqual([]);
});

test('two purges at the same time get two ids', async () => {
  const stored = new PurgedTargets(temporaryFolder());
  const ids = await Promise.all([1, 2, 3].map(() => stored.add(STARTED, {}, unchanged)));
  expect(ids.sort()).toEqual(['20260314-1', '20260314-2', '20260314-3']);
});
