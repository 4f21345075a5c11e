import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ListingCache } from '../src/apis/bda/listing-cache.ts';
import { readState } from '../src/apis/cdn/changes/confirmed-state.ts';
import { PurgeJournal } from '../src/apis/cdn/journal.ts';
import { StoredRun } from '../src/apis/subscriptions/audit/stored-run.ts';
import { VerifiedJournal } from '../src/commands/bda/migrate-query/verified-journal.ts';
import { aliasesIn, readConfig } from '../src/config/config-file.ts';
import { readTrusted } from '../src/config/trust.ts';
import { readCheckpoint } from '../src/export/checkpoint.ts';
import { readLog } from '../src/files/chained-log.ts';
import { readLockEntry } from '../src/files/lock-entry.ts';
import { EntryFolder } from '../src/operations/listen/entry-folder.ts';
import { EventQueue } from '../src/operations/listen/event-queue.ts';
import type { Machine } from '../src/operations/machine.ts';
import { withMemory } from '../src/operations/watch/state-file.ts';
import { readPlan } from '../src/operations/writes/plan.ts';
import { readRecording } from '../src/sandbox/recording/recording.ts';
import { typeOf } from '../src/sync/column-types.ts';
import { parseQuarantined } from '../src/sync/contracts/quarantine.ts';
import { readVersions } from '../src/sync/destinations/lake/history.ts';
import { parseLedger } from '../src/sync/destinations/lake/ledger-file.ts';
import { parseMarker, parseSchema } from '../src/sync/destinations/lake/own-files.ts';
import { laterVersionError, unitOfJob, unitsOfGroup } from '../src/sync/engine/unit-job.ts';
import { unitOfRecord } from '../src/sync/unit-record.ts';
import { temporaryFolder } from './support/folder.ts';
import { lockMachine } from './support/lock-machine.ts';
import { tableOf } from './sync/tables.ts';

// Files that are never written again: each format that was ever stored stays here, and every later version opens it.

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FIXTURES = join(ROOT, 'test/fixtures/stored-formats');

/** A copy, because what is opened may be locked or changed. */
function copy(name: string): string {
  const path = join(temporaryFolder(), name);
  cpSync(join(FIXTURES, name), path, { recursive: true });
  return path;
}
const textOf = (name: string) => readFileSync(join(FIXTURES, name), 'utf8');
const AT = '2026-03-14T12:00:00Z';
const clock = { now: () => Date.parse(AT) };
const context = { kindOf: () => undefined };

/** By the file of src/ that stores it: what is stored, the fixture, and what opening it must give. */
const FORMATS: Readonly<
  Record<string, readonly (readonly [what: string, fixture: string, open: () => unknown, found: unknown])[]>
> = {
  'src/apis/cdn/journal.ts': [
    [
      'an interrupted purge',
      'purges',
      async () => {
        const [found] = await PurgeJournal.unfinished(copy('purges'));
        if (found === undefined || !('journal' in found)) return found;
        const left: string[] = [];
        for await (const block of found.journal.remaining()) left.push(...block.map(({ url }) => url));
        return { left, startedAt: found.head.startedAt };
      },
      { left: ['https://example.com/2'], startedAt: AT },
    ],
  ],
  'src/export/checkpoint.ts': [
    [
      'an unfinished export',
      'checkpoint.json',
      () => readCheckpoint(copy('checkpoint.json')),
      { subject: { query: 'visits by country' }, progress: { rows: 5, bytes: 100 } },
    ],
  ],
  'src/files/lock-entry.ts': [
    [
      'a lock',
      'lock',
      () => readLockEntry(copy('lock')),
      {
        id: 'a1b2c3d4e5f6',
        holder: { identity: { pid: 200, boot: 'boot-1' }, shown: { host: 'desk.example.com' } },
      },
    ],
  ],
  'src/files/chained-log.ts': [
    [
      'the log of writes',
      'log',
      async () => {
        const lines: unknown[] = [];
        for await (const { entry, fault } of readLog(copy('log'))) lines.push([entry?.event, fault]);
        return lines;
      },
      [
        ['intended', undefined],
        ['done', undefined],
      ],
    ],
  ],
  'src/apis/cdn/changes/confirmed-state.ts': [
    [
      'what a purge of changes confirmed',
      'confirmed-state',
      () => readState(copy('confirmed-state')),
      {
        commit: 'abc',
        urls: new Map([['https://example.com/', 'h1']]),
        unconfirmed: { urls: ['https://example.com/a'], keys: ['sport'] },
      },
    ],
  ],
  'src/operations/writes/plan.ts': [
    [
      'a plan',
      'plan.json',
      () => readPlan(copy('plan.json')),
      { by: { user: 'alex' }, write: { kind: 'purge', targets: ['https://example.com/'] } },
    ],
  ],
  'src/operations/watch/state-file.ts': [
    [
      'what a watch remembers',
      'watch.json',
      async () => {
        const file = { path: copy('watch.json'), isDefault: false, query: { data_set: 'pageview' } };
        return await withMemory(
          file,
          lockMachine as Machine,
          async memory => [...memory],
          () => {},
        );
      },
      [
        [JSON.stringify(['visits', 'example.com']), { seenTo: '2026-03-13' }],
        [
          JSON.stringify(['visits', 'example.org']),
          { seenTo: '2026-03-13', open: { since: '2026-03-12', last: '2026-03-13' } },
        ],
        [
          JSON.stringify(['revenue', 'example.org']),
          { seenTo: '2026-03-13', open: { since: '2026-03-12', last: '2026-03-13', value: 12.5 } },
        ],
      ],
    ],
  ],
  'src/apis/subscriptions/audit/stored-run.ts': [
    [
      'an audit of readers',
      '2026-03-14.audit',
      async () => {
        const run = await StoredRun.read(copy('2026-03-14.audit'));
        return { head: run?.head, finishedAt: run?.finishedAt, outcome: run?.outcomeOf('A'.repeat(22)) };
      },
      {
        head: { startedAt: AT, domain: 'example.com' },
        finishedAt: '2026-03-14T12:01:00Z',
        outcome: { decision: 'allowed' },
      },
    ],
  ],
  'src/apis/bda/listing-cache.ts': [
    [
      'listings for completion',
      'listings',
      () =>
        new ListingCache(copy('listings'), {
          baseUrl: 'https://gateway.example.com',
          profile: undefined,
        }).readColumns(),
      [{ name: 'visits', type: 'integer', role: 'metric' }],
    ],
  ],
  'src/config/config-file.ts': [
    [
      'the configuration',
      'config',
      async () => {
        const file = await readConfig(join(copy('config'), 'config.json'));
        return [...aliasesIn(file?.json ?? {}, undefined)];
      },
      [['top', 'bda query -d page_url']],
    ],
  ],
  'src/config/trust.ts': [
    [
      'the files that are trusted',
      'config',
      () =>
        readTrusted({
          platform: process.platform,
          env: { GATECTL_CONFIG_DIR: copy('config') },
          homedir: '/',
        } as never),
      [{ path: '/srv/news/gatectl.sync.yaml', targets: ['s3://lake'] }],
    ],
  ],
  'src/sync/destinations/lake/ledger-file.ts': [
    [
      'the ledger of a lake: of an earlier version too, without name and time, and with marks that say less',
      'ledger.ndjson',
      () => {
        const { entries, replacing } = parseLedger(textOf('ledger.ndjson'), 'ledger.ndjson');
        return {
          entries: [...entries.values()].map(({ partition, domain }) => [partition, domain]),
          replacing: [...replacing.values()].map(({ partition, query }) => [partition, query]),
        };
      },
      {
        entries: [
          ['2026-01', 'site-7.example.com'],
          ['2026-02', undefined],
        ],
        replacing: [
          ['2026-03', undefined],
          ['2026-04', 'q1'],
        ],
      },
    ],
    [
      'the ledger of a lake with values of days',
      'ledger-day-values.ndjson',
      () => {
        const [entry] = parseLedger(textOf('ledger-day-values.ndjson'), 'ledger').entries.values();
        return entry?.dayValues;
      },
      { metrics: ['bounce_rate'], days: { '2026-01-01': ['0.25'], '2026-01-02': [null] } },
    ],
  ],
  'src/sync/destinations/lake/lake.ts': [
    ['the marker of a lake', 'lake.json', () => parseMarker(textOf('lake.json'), 'lake.json'), 1],
    [
      'superseded versions of a partition',
      'history.ndjson',
      () => readVersions(textOf('history.ndjson')),
      [{ partition: '2026-01', path: 'pages/_history/x.parquet' }],
    ],
  ],
  'src/sync/contracts/quarantine.ts': [
    [
      'a quarantined partition',
      'quarantined.json',
      () => parseQuarantined(textOf('quarantined.json'), 'quarantined.json'),
      { partition: '2026-03', domainId: 7, rows: 13, triedAt: '2026-03-14T12:00:00.000Z' },
    ],
    [
      'a quarantined partition that was tried again',
      'quarantined-again.json',
      () => parseQuarantined(textOf('quarantined-again.json'), 'quarantined-again.json'),
      { quarantinedAt: '2026-03-14T12:00:00.000Z', triedAt: '2026-03-15T12:00:00.000Z' },
    ],
  ],
  'src/sync/destinations/lake/own-files.ts': [
    [
      'the column types of a table',
      'schema.json',
      () => parseSchema(textOf('schema.json'), 'schema.json'),
      { version: 1, columns: [{ name: 'visits', kind: 'number' }], partition: 'month' },
    ],
    [
      'the pinned type of a column',
      'schema-pinned.json',
      () =>
        parseSchema(textOf('schema-pinned.json'), 'schema-pinned.json').columns.map(column => typeOf(column)),
      [{ kind: 'decimal', precision: 9, scale: 4 }],
    ],
  ],
  'src/sync/unit-record.ts': [
    [
      'planned units',
      'units.ndjson',
      () => unitOfRecord(JSON.parse(textOf('units.ndjson'))).unit,
      { domain: { id: 7 }, days: { from: '2026-02-01', to: '2026-02-28' } },
    ],
  ],
  'src/sync/engine/unit-job.ts': [
    [
      'a unit in a queue',
      'queue-unit.json',
      () => {
        const job = JSON.parse(textOf('queue-unit.json'));
        return [laterVersionError(job), unitOfJob(job, tableOf(), context.kindOf).days];
      },
      [undefined, { from: '2026-02-01', to: '2026-02-28' }],
    ],
    [
      'a group of units in a queue',
      'queue-group.json',
      () => {
        const { id, data } = JSON.parse(textOf('queue-group.json'));
        return unitsOfGroup(id, data, 'account').map(each => each.data);
      },
      [JSON.parse(textOf('queue-unit.json'))],
    ],
  ],
  'src/operations/listen/event-queue.ts': [
    [
      'accepted events',
      'events',
      async () => {
        const damaged: string[] = [];
        const options = { ...clock, rememberMs: 1000, onDamage: (place: string) => void damaged.push(place) };
        const queue = await EventQueue.open(copy('events'), options);
        const { events } = await queue.next(10);
        await queue.close();
        return { damaged, ids: events.map(({ event }) => event.id) };
      },
      { damaged: [], ids: ['e1'] },
    ],
  ],
  'src/operations/listen/entry-folder.ts': [
    [
      'what an entry was',
      'entries',
      () => new EntryFolder(copy('entries'), path => expect.unreachable(path)).read('abcdefghij'),
      [{ type: 'article', paths: ['/a'], slugs: ['a'] }],
    ],
  ],
  'src/commands/bda/migrate-query/verified-journal.ts': [
    [
      'what an unfinished migration verified',
      'verified.ndjson',
      async () => {
        const path = copy('verified.ndjson');
        return (await VerifiedJournal.open(join(path, '..'))).find({ query: 1 });
      },
      { outcome: 'parity', days: '2026-03-07..2026-03-13' },
    ],
  ],
  'src/sandbox/recording/exchange.ts': [
    [
      'recorded responses',
      'recording',
      () => readRecording(copy('recording')),
      { brand: 'gateway', exchanges: [{ request: { path: '/v1/domains' }, response: { status: 200 } }] },
    ],
  ],
};

const OPENED = Object.entries(FORMATS).flatMap(([source, all]) =>
  all.map(([what, fixture, open, found]) => ({ source, what, fixture, open, found })),
);

test.each(OPENED)('$what can be opened: $fixture of $source', async ({ open, found }) => {
  const opened = await open();
  if (typeof found === 'object' && found !== null) expect(opened).toMatchObject(found);
  else expect(opened).toEqual(found);
});

test('each fixture is opened', () => {
  const opened = new Set(OPENED.map(({ fixture }) => fixture));
  expect(readdirSync(FIXTURES).filter(name => !opened.has(name))).toEqual([]);
});

/** What is stored elsewhere, or is no format of gatectl's own. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'src/export/xlsx/workbook-parts.ts': 'the numbers of formats of cells',
  'src/objects/object-locks.ts': 'objects that live for a minute',
  'src/sync/destinations/duckdb/own-tables.ts': 'tables: test/sync/duckdb.test.ts',
  'src/sync/destinations/postgres/own-tables.ts': 'tables: test/warehouses/postgres.test.ts',
};

test('each format with a version, and each JSON that gatectl reads back, has a fixture', () => {
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .map(name => `src/${name}`)
    .filter(name => name.endsWith('.ts'));
  const stores =
    /json\/stored\.ts'|^(?:export )?const (?:\w+_)?(?:VERSION|FORMAT) = (?:\d{1,2}|'gatectl .*');/m;
  const found = sources.filter(name => stores.test(readFileSync(join(ROOT, name), 'utf8')));
  expect(found.length).toBeGreaterThan(15);
  expect(found.filter(name => FORMATS[name] === undefined && ELSEWHERE[name] === undefined)).toEqual([]);
  const all = [...Object.keys(FORMATS), ...Object.keys(ELSEWHERE)];
  expect(all.filter(name => !sources.includes(name))).toEqual([]);
});
