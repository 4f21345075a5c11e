import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { parseAddress } from '../../../src/sync/destinations/clickhouse/address.ts';
import { Server } from '../../../src/sync/destinations/clickhouse/server.ts';
import { wireServer } from '../../support/wire-server.ts';

/** A server of a version, and the parameters of all requests that it received. */
async function serverOf(version: string) {
  const wire = await wireServer(() => ({ body: `{"version":"${version}"}\n` }));
  onTestFinished(() => wire.close());
  const address = parseAddress(wire.baseUrl.replace('http:', 'clickhouse:'), {});
  const server = new Server(address, address, { sleep: async () => {} });
  onTestFinished(() => server.close());
  const parameters = () =>
    wire.received.map(({ target }) => new URL(target, 'http://127.0.0.1').searchParams);
  return { server, parameters };
}

test.each([
  ['18.16.1', null],
  ['21.9.4.35', null],
  ['21.11.3.6', '0'],
  ['26.7.2.1', '0'],
])(
  'an insert into version %s is not delayed, and has no setting that it lacks',
  async (version, expected) => {
    const { server, parameters } = await serverOf(version);
    await server.insertValues('INSERT INTO a (b) VALUES (1)');
    await server.insert('INSERT INTO a (b) FORMAT TabSeparated', Readable.from(['1\n']));
    expect(parameters().map(each => each.get('async_insert'))).toEqual([null, expected, expected]);
  },
);

test('a query changes no setting, which a user who may only read may not', async () => {
  const { server, parameters } = await serverOf('26.7.2.1');
  await server.version();
  const names = parameters().flatMap(each => [...each.keys()]);
  expect(names.filter(name => !['query_id', 'database'].includes(name))).toEqual(['wait_end_of_query']);
});

test('a statement that takes no FORMAT gets none', async () => {
  const wire = await wireServer(() => ({ body: '1\n' }));
  onTestFinished(() => wire.close());
  const address = parseAddress(wire.baseUrl.replace('http:', 'clickhouse:'), {});
  const server = new Server(address, address, { sleep: async () => {} });
  onTestFinished(() => server.close());
  expect(await server.answer('CHECK GRANT SELECT ON a.*')).toBe('1');
  expect(wire.received.map(({ body }) => body)).toEqual(['CHECK GRANT SELECT ON a.*']);
});
