import { expect, test } from 'vitest';
import { GroupCommit } from '../../../src/sync/destinations/duckdb/group-commit.ts';
import { DuckDbSession } from '../../../src/sync/destinations/duckdb/session.ts';

test('partitions that wait for each other are stored together, and one that fails leaves the others', async () => {
  const session = await DuckDbSession.open(':memory:', 'memory', { config: { threads: '1' } });
  try {
    await session.run('CREATE TABLE t (n INTEGER)');
    const ended: string[] = [];
    let turn: Promise<unknown> = Promise.resolve();
    const groups = new GroupCommit<DuckDbSession>(async work => {
      const mine = turn.then(() => session.transaction(() => work(session)));
      turn = mine.then(
        () => ended.push('committed'),
        () => ended.push('rolled back'),
      );
      await mine;
    });
    const insert = (value: string) =>
      groups.run(async each => {
        await each.run(`INSERT INTO t VALUES (${value})`);
        return value;
      });
    expect(await Promise.all([insert('1'), insert('2'), insert('3')])).toEqual(['1', '2', '3']);
    expect(ended).toEqual(['committed']);

    const settled = await Promise.allSettled([insert('4'), insert("'x'"), insert('5')]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(ended).toEqual(['committed', 'rolled back', 'committed', 'rolled back', 'committed']);
    expect(await session.rows('SELECT n FROM t ORDER BY n')).toEqual([1, 2, 3, 4, 5].map(n => ({ n })));
  } finally {
    session.close();
  }
});

test('partitions fail with the reason why no transaction began', async () => {
  const groups = new GroupCommit<undefined>(async () => {
    throw new Error('the disk is full');
  });
  const work = async () => 1;
  const settled = await Promise.allSettled([groups.run(work), groups.run(work)]);
  expect(settled.map(each => each.status === 'rejected' && String(each.reason))).toEqual([
    'Error: the disk is full',
    'Error: the disk is full',
  ]);
});
