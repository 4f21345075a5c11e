import type { JsonRecord } from '../../../json/index.ts';
import type { Column } from '../../../output/view.ts';
import type { Context, OutputSection } from '../../framework/context.ts';
import type { ItemResult } from './batch.ts';

const COLUMNS: readonly Column[] = [
  { key: 'id', kind: 'text', align: 'right', whenPresent: true },
  { key: 'name', kind: 'text' },
  { key: 'state' },
  { key: 'queries', kind: 'number', whenPresent: true },
  { key: 'verified', whenPresent: true },
  { key: 'verified_days', whenPresent: true },
  { key: 'file', kind: 'text', whenPresent: true },
];

const TITLES: Readonly<Record<ItemResult['kind'], string>> = {
  request: 'Requests',
  report: 'Custom reports',
  segment: 'Segments',
};

/** Prints the state of each item, then the reasons for those that are not ready. */
export async function printBatch(
  results: readonly ItemResult[],
  kinds: readonly ItemResult['kind'][],
  context: Context,
): Promise<void> {
  const count = (state: ReturnType<typeof stateOf>) => results.filter(one => stateOf(one) === state).length;
  const isVerified = results.some(({ verified }) => verified !== undefined);
  const data = {
    ready: count('ready'),
    ready_with_notes: count('ready with notes'),
    blocked: count('blocked'),
    ...(isVerified && { different: count('different'), failed: count('failed') }),
    items: results.map(itemRow),
  };
  const sections = kinds.map(kind =>
    itemsSection(
      kind,
      results.filter(one => one.kind === kind),
    ),
  );
  const rows = results.map(one => ({ ...itemRow(one), reasons: reasonsOf(one).join('; ') }));
  await context.out.printSections(data, [...sections, ...reasonSections(results)], rows);
}

function itemRow(one: ItemResult): JsonRecord {
  const { kind, id, name, migration, verified, file } = one;
  return {
    ...{ kind, id, name, state: stateOf(one) },
    queries: 'queries' in migration ? migration.queries.length : null,
    verified: verified?.outcome ?? null,
    verified_days: verified?.days ?? null,
    file: file ?? null,
    reasons: reasonsOf(one),
  };
}

function reasonsOf({ reasons, verified }: ItemResult): readonly string[] {
  return [...reasons, ...(verified?.notes ?? [])];
}

function itemsSection(kind: ItemResult['kind'], results: readonly ItemResult[]): OutputSection {
  const isVerified = results.some(({ verified }) => verified !== undefined);
  const ready = results.filter(one => READY.has(stateOf(one))).length;
  const proven = results.filter(({ verified }) => verified?.outcome === 'parity').length;
  const title = [
    `${TITLES[kind]}: ${ready} of ${results.length} ready for v2`,
    ...(isVerified ? [`${proven} verified`] : []),
    ...(ready < results.length ? [`${results.length - ready} left on v1`] : []),
  ].join(', ');
  return { title, data: results.map(itemRow), view: { columns: COLUMNS, empty: 'none' } };
}

const READY: ReadonlySet<string> = new Set<ItemResult['state']>(['ready', 'ready with notes']);

/** What a comparison without parity found. */
const COMPARED = {
  different: 'v1 and v2 differ',
  unverified: 'it is unknown whether v1 and v2 agree',
  failed: 'the comparison failed',
};

/** The state of an item: that of its conversion, unless the comparison with v1 found it different or failed. */
function stateOf({ state, verified }: ItemResult): ItemResult['state'] | 'different' | 'failed' {
  return verified?.outcome === 'different' || verified?.outcome === 'failed' ? verified.outcome : state;
}

/** Reasons of blocked items first, then what the comparison with v1 found, then what changes. */
function reasonSections(results: readonly ItemResult[]): OutputSection[] {
  const reasonsWhere = (filter: (one: ItemResult) => boolean) =>
    results.filter(filter).flatMap(one => one.reasons.map(why => ({ name: one.name, why })));
  const blocked = reasonsWhere(({ state }) => state === 'blocked');
  const noted = reasonsWhere(({ state }) => state !== 'blocked');
  const compared = results.flatMap(({ name, verified }) => {
    if (verified === undefined) return [];
    const { outcome, days, notes } = verified;
    if (outcome === 'parity') return notes.map(why => ({ name, why }));
    return [{ name, why: [`${COMPARED[outcome]} on ${days}`, ...notes].join('; ') }];
  });
  const section = (title: string, data: readonly JsonRecord[]): OutputSection => ({
    title,
    data,
    view: {
      columns: [
        { key: 'name', kind: 'text' },
        { key: 'why', kind: 'text' },
      ],
    },
  });
  return [
    ...(blocked.length > 0 ? [section('Blocked by', blocked)] : []),
    ...(compared.length > 0 ? [section('Compared with v1', compared)] : []),
    ...(noted.length > 0 ? [section('Changed or lost', noted)] : []),
  ];
}
