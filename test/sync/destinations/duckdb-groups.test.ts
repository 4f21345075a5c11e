import { expect, test } from 'vitest';
import { GroupCommit } from '../../../src/sync/destinations/duckdb/group-commit.ts';
import { DuckDbSession } from '../../../src/sync/destinations/duckdb/session.ts';

test('partitions that wait for each other are stored together, and one that fails leaves the others', async () => {
  const session = await DuckDbSession.open(':memory:', 'memory', { config: { threads: '1' } });
  try {
    await session.run('CREATE TABLE t (n INTEGER)');
    const ended: string[] = [];
    let turn: Promise<unknown> = Promise.resolve();
    const groups = new GroupCommit(
      async (work: (own: DuckDbSession) => Promise<void>) => {
        const mine = turn.then(() => session.transaction(() => work(session)));
        turn = mine.then(
          () => ended.push('committed'),
          () => ended.push('rolled back'),
        );
        await mine;
      },
      async (own, values: readonly string[]) => {
        for (const value of values) await own.run(`INSERT INTO t VALUES (${value})`);
        return values;
      },
    );
    const insert = (value: string) => groups.store(value);
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
  const groups = new GroupCommit(
    async () => {
      throw new Error('the disk is full');
    },
    async (_, items: readonly number[]) => items,
  );
  const settled = await Promise.allSettled([groups.store(1), groups.store(2)]);
  expect(settled.map(each => each.status === 'rejected' && String(each.reason))).toEqual([
    'Error: the disk is full',
    'Error: the disk is full',
  ]);
});
