import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  newRunPath,
  partPath,
  RunWriter,
  StoredRun,
} from '../../../src/apis/subscriptions/audit/stored-run.ts';
import { readerHash } from '../../../src/apis/subscriptions/reader-hash.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { positions } from '../../support/runs.ts';

const HEAD = { startedAt: '2026-03-14T12:00:00.000Z', domain: 'example.com' };
const hash = readerHash(Buffer.alloc(32), ['scope']);
const READERS = Array.from({ length: 40 }, (_, i) => ({
  hash: hash(`r${i}@example.com`, 'premium'),
  outcome:
    i % 3 === 0
      ? ({ decision: 'allowed', reasonCode: 'allowed' } as const)
      : ({ decision: 'denied', reasonCode: i % 3 === 1 ? 'no_entitlement' : undefined } as const),
}));

async function written() {
  const path = newRunPath(temporaryFolder(), HEAD.startedAt, 7);
  const writer = await RunWriter.open(path, HEAD, { resumed: undefined, uid: undefined });
  for (const { hash, outcome } of READERS) await writer.add(hash, outcome);
  return { path, writer };
}

test('a complete run reads as it was written', async () => {
  const { path, writer } = await written();
  await writer.finish('2026-03-14T12:05:00.000Z');
  const run = await StoredRun.read(path);
  expect(run).toMatchObject({ head: HEAD, finishedAt: '2026-03-14T12:05:00.000Z', size: READERS.length });
  for (const { hash, outcome } of READERS) expect(run?.outcomeOf(hash)).toEqual(outcome);
  expect(run?.outcomeOf(hash('other@example.com', 'premium'))).toBeUndefined();
  expect(run?.outcomeOf(hash('r0@example.com', 'sports'))).toBeUndefined();
});

test('a run that was cut at any byte has no wrong result, and continues after its last complete line', async () => {
  const { path, writer } = await written();
  await writer.closeUnfinished();
  const bytes = readFileSync(partPath(path));
  for (const length of positions(bytes.length)) {
    writeFileSync(partPath(path), bytes.subarray(0, length));
    const run = await StoredRun.read(partPath(path));
    for (const { hash, outcome } of READERS) {
      const found = run?.outcomeOf(hash);
      if (found !== undefined) expect(found).toEqual(outcome);
    }
    if (run === undefined) continue;
    const resumed = await RunWriter.open(path, HEAD, { resumed: run, uid: undefined });
    for (const { hash, outcome } of READERS)
      if (run.outcomeOf(hash) === undefined) await resumed.add(hash, outcome);
    await resumed.closeUnfinished();
    expect((await StoredRun.read(partPath(path)))?.size).toBe(READERS.length);
  }
});

test('a damaged line ends the results, and another file is not a run', async () => {
  const { path, writer } = await written();
  await writer.finish('2026-03-14T12:05:00.000Z');
  const lines = readFileSync(path, 'utf8').split('\n');
  lines[5] = 'damaged';
  writeFileSync(path, lines.join('\n'));
  expect(await StoredRun.read(path)).toMatchObject({ size: 4, finishedAt: undefined });
  const other = join(temporaryFolder(), 'other.audit');
  for (const text of ['', '{}\n', 'x\n', '\0', '{"audit":2,"startedAt":"","domain":""}\n']) {
    writeFileSync(other, text);
    expect(await StoredRun.read(other)).toBeUndefined();
  }
});

test('a reason code that may repeat an address is not stored', async () => {
  const path = newRunPath(temporaryFolder(), HEAD.startedAt, 7);
  const writer = await RunWriter.open(path, HEAD, { resumed: undefined, uid: undefined });
  await writer.add(hash('a@example.com', 'p'), { decision: 'denied', reasonCode: 'a@example.com' });
  await writer.finish(HEAD.startedAt);
  expect(readFileSync(path, 'utf8')).not.toContain('@');
});
