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
  { key: 'file', kind: 'text', whenPresent: true },
];

const TITLES: Readonly<Record<ItemResult['kind'], string>> = {
  request: 'Requests',
  report: 'Custom reports',
  segment: 'Segments',
};

/** Shows how far each item is from v2, and below it why those that are not simply ready are not. */
export async function answerBatch(
  settled: readonly ItemResult[],
  kinds: readonly ItemResult['kind'][],
  context: Context,
): Promise<void> {
  const count = (state: ItemResult['state']) => settled.filter(one => one.state === state).length;
  const data = {
    ready: count('ready'),
    ready_with_notes: count('ready with notes'),
    blocked: count('blocked'),
    items: settled.map(itemLine),
  };
  const parts = kinds.map(kind =>
    partOf(
      kind,
      settled.filter(one => one.kind === kind),
    ),
  );
  const rows = settled.map(one => ({ ...itemLine(one), because: becauseOf(one).join('; ') }));
  await context.out.printSections(data, [...parts, ...whyParts(settled)], rows);
}

function itemLine(one: ItemResult): JsonRecord {
  const { kind, id, name, state, migration, proven, file } = one;
  return {
    ...{ kind, id, name, state },
    queries: 'queries' in migration ? migration.queries.length : null,
    verified: proven?.outcome ?? null,
    file: file ?? null,
    because: becauseOf(one),
  };
}

function becauseOf({ because, proven }: ItemResult): readonly string[] {
  return [...because, ...(proven?.remarks ?? [])];
}

function partOf(kind: ItemResult['kind'], settled: readonly ItemResult[]): OutputSection {
  const ready = settled.filter(({ state }) => state !== 'blocked').length;
  const title = `${TITLES[kind]}: ${ready} of ${settled.length} ready for v2`;
  return { title, data: settled.map(itemLine), view: { columns: COLUMNS, empty: 'there are none' } };
}

/** What blocks stands before what is only worth knowing. */
function whyParts(settled: readonly ItemResult[]): OutputSection[] {
  const linesOf = (wanted: (one: ItemResult) => boolean) =>
    settled.filter(wanted).flatMap(one => becauseOf(one).map(why => ({ name: one.name, why })));
  const blocked = linesOf(({ state }) => state === 'blocked');
  const noted = linesOf(({ state }) => state !== 'blocked');
  const part = (title: string, data: readonly JsonRecord[]): OutputSection => ({
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
    ...(blocked.length > 0 ? [part('What blocks', blocked)] : []),
    ...(noted.length > 0 ? [part('What changes or is lost', noted)] : []),
  ];
}
