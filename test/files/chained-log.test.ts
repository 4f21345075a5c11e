import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ChainedLog, type LogLine, readLog } from '../../src/files/chained-log.ts';
import { temporaryFolder } from '../support/folder.ts';
import { lockMachine } from '../support/lock-machine.ts';
import { runs } from '../support/runs.ts';
import { someTime } from '../support/wait.ts';

/** Writers wait for each other. */
const MACHINE = { ...lockMachine, sleep: someTime };
const DAY = Date.UTC(2026, 10, 27);

/** A log of so many entries, those of each month in a file of its own. */
async function logOf(count: number, months = 1): Promise<{ folder: string; files: string[] }> {
  const folder = join(temporaryFolder(), 'log');
  for (let month = 0; month < months; month += 1) {
    const now = () => DAY + month * 31 * 86_400_000;
    const log = new ChainedLog(folder, { ...MACHINE, now });
    for (let at = 0; at < count / months; at += 1) await log.append({ what: `entry ${month} ${at}`, at });
    await log.close();
  }
  const files = readdirSync(folder).sort();
  return { folder, files: files.map(name => join(folder, name)) };
}

async function linesOf(folder: string): Promise<LogLine[]> {
  const lines: LogLine[] = [];
  for await (const line of readLog(folder)) lines.push(line);
  return lines;
}

const faultsOf = async (folder: string) => (await linesOf(folder)).flatMap(({ fault }) => fault ?? []);

test('entries of several writers at once are in one chain, across months', async () => {
  const { folder } = await logOf(4, 2);
  const later = { ...MACHINE, now: () => DAY + 62 * 86_400_000 };
  const writers = [1, 2, 3].map(() => new ChainedLog(folder, later));
  await Promise.all(
    writers.flatMap((log, by) => Array.from({ length: 20 }, (_, at) => log.append({ by, at }))),
  );
  const lines = await linesOf(folder);
  expect(lines.map(({ entry }) => entry?.seq)).toEqual(Array.from({ length: 64 }, (_, at) => at + 1));
  expect(await faultsOf(folder)).toEqual([]);
  // Each writer's entries are in the order in which they were appended.
  for (const by of [0, 1, 2])
    expect(lines.flatMap(({ entry }) => (entry?.by === by ? [entry.at] : []))).toEqual(
      Array.from({ length: 20 }, (_, at) => at),
    );
});

test('a line that a kill has cut is no fault, and the next entry is whole', async () => {
  const { folder, files } = await logOf(3);
  appendFileSync(files[0] as string, '{"seq":4,"wh');
  expect(await faultsOf(folder)).toEqual([]);
  await new ChainedLog(folder, { ...MACHINE, now: () => DAY }).append({ what: 'after' });
  const lines = await linesOf(folder);
  expect(lines.map(({ entry }) => entry?.seq)).toEqual([1, 2, 3, undefined, 4]);
  expect(await faultsOf(folder)).toEqual([]);
});

test.each(['', '{"seq":4,"wh'])('zeros that a power failure leaves after %j are no fault', async begun => {
  const { folder, files } = await logOf(3);
  appendFileSync(files[0] as string, `${begun}${'\0'.repeat(500)}`);
  expect(await faultsOf(folder)).toEqual([]);
  await new ChainedLog(folder, { ...MACHINE, now: () => DAY }).append({ what: 'after' });
  expect(await faultsOf(folder)).toEqual([]);
  expect((await linesOf(folder)).at(-1)?.entry?.seq).toBe(4);
});

test('a line that is no beginning of the next entry is a fault', async () => {
  for (const text of ['garbage', '{"seq":9,"wh', '{"seq":3,"what":"entry', '{}']) {
    const { folder, files } = await logOf(3);
    appendFileSync(files[0] as string, `${text}\n`);
    expect(await faultsOf(folder)).toEqual(['changed']);
  }
});

test('an entry that was changed, removed, doubled or moved is found, but for the last ones cut off', async () => {
  const { folder, files } = await logOf(12, 2);
  const whole = files.map(file => readFileSync(file, 'utf8'));
  const lines = whole.join('').split('\n').slice(0, -1);
  const at = fc.nat(lines.length - 1);
  const damaged = fc.oneof(
    at.map(index => lines.with(index, (lines[index] ?? '').replace(/"at":\d/, '"at":9'))),
    at.map(index => lines.toSpliced(index, 1)),
    at.map(index => lines.toSpliced(index, 0, lines[index] ?? '')),
    fc
      .tuple(at, at)
      .filter(([one, other]) => one !== other)
      .map(([one, other]) => lines.with(one, lines[other] ?? '').with(other, lines[one] ?? '')),
    at.map(index => lines.with(index, (lines[index] ?? '').slice(0, -9))),
  );
  await fc.assert(
    fc.asyncProperty(damaged, async changed => {
      const isCut = changed.every((line, index) => line === lines[index]);
      const isCutLine =
        changed.length === lines.length &&
        changed.slice(0, -1).every((line, index) => line === lines[index]) &&
        !changed.at(-1)?.endsWith('}');
      writeFileSync(files[0] as string, changed.map(line => `${line}\n`).join(''));
      writeFileSync(files[1] as string, '');
      expect((await faultsOf(folder)).length > 0).toBe(!isCut && !isCutLine);
    }),
    { numRuns: runs(200) },
  );
});

test('the same JSON in another spelling is a change, and what is not UTF-8 too', async () => {
  for (const change of [
    (text: string) => text.replace('"at":1', '"at":9,"at":1'),
    (text: string) => text.replace('"what"', '"\\u0077hat"'),
    (text: string) => text.replace('"at":1', '"at": 1'),
    (text: string) => text.replaceAll('\n', '\r\n'),
    (text: string) => text.replace('entry', 'entr\u00ff'),
  ]) {
    const { folder, files } = await logOf(3);
    const [file = ''] = files;
    writeFileSync(file, change(readFileSync(file, 'utf8')), 'latin1');
    expect(await faultsOf(folder)).toContain('changed');
  }
});

test('a file in place of the folder, or of one above it, is an error', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  for (const folder of [file, join(file, 'log')])
    await expect(linesOf(folder)).rejects.toMatchObject({ name: 'FileError' });
  expect(await linesOf(join(temporaryFolder(), 'none'))).toEqual([]);
});
