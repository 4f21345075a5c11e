import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type * as Files from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { FolderStore } from '../../src/sync/destinations/lake/folder-store.ts';
import { Lake } from '../../src/sync/destinations/lake/lake.ts';
import { parseLedger } from '../../src/sync/destinations/lake/ledger-file.ts';
import type { LedgerEntry } from '../../src/sync/ledger.ts';
import type { Unit } from '../../src/sync/plan.ts';
import { unitsLeft } from '../../src/sync/unit-guard.ts';
import { temporaryFolder } from '../support/folder.ts';
import { tableOf } from '../sync/tables.ts';
import { type Actor, currentActor, ENDED, gate, historiesOf, Stage } from './stage.ts';

/** Processes whose next line the disk has no room for, and those that write another partition, which is one step. */
const onFullDisk = new WeakSet<Actor>();
const elsewhere = new WeakSet<Actor>();

vi.mock('node:fs/promises', async importOriginal => {
  const real = await importOriginal<typeof Files>();
  return {
    ...real,
    async open(path: string, flags: string, mode?: number) {
      const actor = currentActor();
      const isLine = path.endsWith('.ndjson') && flags.startsWith('a');
      if (actor !== undefined && isLine && !elsewhere.has(actor)) {
        await gate('line');
        if (onFullDisk.delete(actor)) {
          appendFileSync(path, '{"partition":"2026-0');
          throw Object.assign(new Error('ENOSPC: write'), { code: 'ENOSPC' });
        }
      }
      if (path.endsWith('month=2026-03')) await gate('flush');
      return await real.open(path, flags, mode);
    },
    async rename(from: string, to: string) {
      if (to.endsWith('month=2026-03/data.parquet')) await gate('put');
      await real.rename(from, to);
    },
  };
});

const TABLE = tableOf();
const DOMAIN = { id: 7, name: 'site-7.example.com' };
const KEY = '2026-03';
const NOTHING = 0;

/** A content as the model has it, and what it is made of. */
function partsOf(content: number) {
  const code = content - 1;
  return { query: Math.floor(code / 8) % 4, days: Math.floor(code / 32) };
}
const contentOf = (query: number, days: number, version: number) => 1 + version + 8 * query + 32 * days;
const textOf = (content: number) => `rows of content ${content}`;
const timeOf = (clock: number) => new Date(clock * 1000).toISOString();
const daysOf = (days: number) => ({ from: '2026-03-01', to: `2026-03-1${days}` });

function entryOf(content: number, fetchedAt: string, partition = KEY): LedgerEntry {
  const { query, days } = partsOf(content);
  return {
    ...{ partition, ...daysOf(days), query: `query ${query}`, schema: 0, rows: 1 },
    ...{ metrics: [], sums: [], days: {}, bytes: textOf(content).length, fetchedAt },
    sha256: createHash('sha256').update(textOf(content)).digest('hex'),
    ...{ state: 'final', revisions: 0 },
  };
}

test.each(historiesOf('ledger'))('the ledger does what its model does: history $title', async ({ steps }) => {
  const folder = temporaryFolder();
  const stage = new Stage();
  const ledgerPath = join(folder, '_gatectl/ledger/pages/7.ndjson');
  const filePath = join(folder, 'pages/domain_id=7/month=2026-03/data.parquet');
  const put = (content: number) => {
    mkdirSync(dirname(filePath), { recursive: true });
    if (content === NOTHING) rmSync(filePath, { force: true });
    else writeFileSync(filePath, textOf(content));
  };
  const readLedger = () => {
    const text = existsSync(ledgerPath) ? readFileSync(ledgerPath, 'utf8') : '';
    return parseLedger(text, ledgerPath);
  };
  /** The content that the ledger on the disk says. */
  const said = () => {
    const { entries } = readLedger();
    const hash = entries.get(KEY)?.sha256;
    const all = Array.from({ length: 128 }, (_, content) => content);
    return all.find(content => hash === entryOf(content, '').sha256) ?? NOTHING;
  };
  let clock = 0;
  let version = 0;
  const plans = new Map<string, { query: number; days: number; found: number; plannedAt: string }>();

  const worker = (who: string) => async () => {
    const plan = plans.get(who);
    if (plan === undefined) throw new Error(`no plan ${who}`);
    const { query, days, found, plannedAt } = plan;
    const range = daysOf(days);
    const other = found === 0 || found === query ? {} : { replaces: [`query ${found}`] };
    const partitions = [{ key: KEY, days: range, reason: 'new' as const, rows: undefined, ...other }];
    const unit: Unit = {
      table: TABLE,
      domain: DOMAIN,
      partitions,
      days: range,
      rows: undefined,
      requests: 1,
    };
    await gate('begin');
    const lake = new Lake(new FolderStore('lake', folder, stage.machine(who)), [TABLE]);
    const ledger = await lake.ledger('pages', DOMAIN.id);
    const left = await unitsLeft(unit, { query: `query ${query}`, plannedAt }, ledger, lake).catch(error => {
      expect(error.code).toBe('superseded_unit');
    });
    if (left === undefined) return await gate('superseded');
    if (left.length === 0) return await gate('written');
    await gate('fetch');
    clock += 1;
    const content = contentOf(query, days, version);
    const entry = entryOf(content, timeOf(clock));
    const path = join(folder, `staged-${who}`);
    writeFileSync(path, textOf(content));
    const file = { table: TABLE, domain: DOMAIN, path, columns: [], longestRow: 0, entry };
    try {
      await lake.replace(file, ledger.get(KEY));
    } catch (error) {
      expect(error).toMatchObject({ code: 'disk_full' });
      await gate('other');
      elsewhere.add(currentActor() as Actor);
      await lake.replace({ ...file, path: undefined, entry: entryOf(content, '', '2026-04') }, undefined);
      return;
    }
    await gate('end');
  };

  const [first, ...others] = steps;
  const found = first?.values[0] ?? NOTHING;
  put(found);
  if (found !== NOTHING) {
    clock = 1;
    mkdirSync(dirname(ledgerPath), { recursive: true });
    writeFileSync(ledgerPath, `${JSON.stringify(entryOf(found, timeOf(clock)))}\n`);
  }
  const running = new Map<string, Actor>();
  for (const { who, what, values, text } of others) {
    const [value = 0, days = 0] = values;
    if (what === 'plan') {
      clock += 1;
      const known = said();
      const query = known === NOTHING ? 0 : partsOf(known).query;
      plans.set(who, { query: value, days, found: query, plannedAt: timeOf(clock) });
      continue;
    }
    if (who === 'power') {
      for (const actor of running.values()) await actor.kill();
      running.clear();
      put(Number(what));
      continue;
    }
    if (what === 'begin') {
      expect(said(), text).toBe(value);
      // What the ledger says is there.
      if (value !== NOTHING) expect(readFileSync(filePath, 'utf8'), text).toBe(textOf(value));
      running.set(who, stage.start(who, worker(who)));
    }
    const actor = running.get(who);
    if (what === 'ends') {
      await actor?.kill();
      running.delete(who);
      continue;
    }
    if (actor === undefined) return expect.unreachable(text);
    expect(await actor.next(), text).toBe(what === 'full' ? 'line' : what);
    if (what === 'fetch') version = value;
    if (what === 'full') onFullDisk.add(actor);
    const next = await actor.go();
    if (what === 'line') expect([text, readLedger().replacing.has(KEY)]).toEqual([text, value === 1]);
    if (['superseded', 'written', 'end', 'other'].includes(what)) {
      expect([text, next, actor.error]).toEqual([text, ENDED, undefined]);
      running.delete(who);
    }
  }
});
