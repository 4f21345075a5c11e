import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  behindProxy,
  COMMANDS,
  fourUnits,
  ONE_ERROR,
  postgresEngine,
  redisEngine,
  type TestedEngine,
} from './fleets.ts';
import { program as postgres } from './servers/postgres.ts';
import { program as redis } from './servers/redis.ts';

const engines: TestedEngine[] = [];

beforeAll(async () => {
  if (redis.find() !== undefined) engines.push(await redisEngine());
  if (postgres.find() !== undefined) engines.push(await postgresEngine());
}, 180_000);

afterAll(async () => {
  for (const engine of engines) await engine.remove();
});

test('a server that no longer answers is one error, at any stage of each command', {
  timeout: 600_000,
}, async () => {
  const commands = engines.flatMap(engine =>
    Object.entries(COMMANDS).map(([command, args]) => ({ engine, command, args })),
  );
  const outcomes = commands.map(async ({ engine, command, args }) => {
    const many = await fourUnits(engine, command === 'retry');
    const stages = [0, 150, 1700].map(async bytes => {
      const url = await behindProxy(engine, proxy => proxy.silentAfter(bytes));
      return { command, bytes, ...(await many.run([...args, '--engine', url])) };
    });
    return await Promise.all(stages);
  });
  for (const { command, bytes, code, stderr } of (await Promise.all(outcomes)).flat()) {
    expect(code, `${command} ${bytes}: ${stderr}`).toBe(6);
    expect(stderr).toMatch(ONE_ERROR);
    expect(stderr).toContain('no response in time');
  }
});
