import { DATA_REQUEST } from '../../../src/documents/bda-v1.ts';
import type { Shape } from '../../../src/documents/declaration.ts';

/** A request as a user might write it. */
export interface DrawnRequest {
  readonly request: unknown;
  /** The saved report that it runs. */
  readonly reportId: number | undefined;
  /** Whether it is one that v1 documents, with nothing changed. */
  readonly isPlain: boolean;
}

type Random = (below: number) => number;
type Path = readonly (string | number)[];

const column = (Data: string, Type: string) => ({ Data, Type });
const DIMENSIONS = ['report_day', 'report_week', 'report_month', 'country', 'device', 'page_url'];
const METRICS = ['visits', 'pageviews', 'bounce_rate', 'revenue'];

/** Values that v1 documents, for members that a request may omit. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  StartItem: [0, 1, 3, 40],
  Platform: ['Service', 'SERVICE', 'Orig', 'ORIG', 'ALL'],
  DomainId: [5, 6],
  DateGrouping: ['DAILY', 'WEEKLY', 'MONTHLY'],
  SegmentIds: [[], [1], [2], [201], [202], [2, 201], [201, 202, 1]],
  UrlParams: ['include', 'exclude'],
  UrlFragments: ['include', 'exclude'],
  RevenueDecimalPlaces: [0, 1, 2, 3, 6],
};

const NONSENSE: readonly unknown[] = [
  ...[
    null,
    '',
    ' ',
    0,
    -1,
    1.5,
    '10',
    'abc',
    true,
    false,
    [],
    {},
    [[]],
    [null],
    [{}],
    '0',
    1e21,
    9_007_199_254_740_992,
  ],
  ...[
    'desc',
    'Desc',
    'EXCLUDE',
    'include',
    'Include',
    'daily',
    'LESS',
    'report_day',
    'visits',
    'number',
    '2026-02-30',
    'service',
    12,
  ],
];

const UNKNOWN = [
  'Exclude',
  'SegmentOperator',
  'Negate',
  'Aggregation',
  'Then',
  'MaxItem',
  'order',
  'FilterValue',
  'Data',
  'DomainID',
];

/** The requests of a seed: half of them documented ones, the others with one to three places of nonsense. */
export function drawRequests(count: number, seed: number): DrawnRequest[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, () => {
    const { request, reportId } = drawPlain(random);
    if (random(2) === 0) return { request, reportId, isPlain: true };
    const spoilt = JSON.parse(JSON.stringify(request));
    for (let left = 1 + random(3); left > 0; left -= 1) spoil(spoilt, random);
    return { request: spoilt, reportId, isPlain: false };
  });
}

function drawPlain(random: Random): { request: Record<string, unknown>; reportId: number | undefined } {
  const pick = <Item>(items: readonly Item[]) => items[random(items.length)] as Item;
  const request: Record<string, unknown> = { MaxItems: pick([1, 3, 10, 1000]) };
  for (const [name, values] of Object.entries(VALUES)) if (random(3) === 0) request[name] = pick(values);
  const reportId = random(4) === 0 ? pick([901, 902, 903]) : undefined;
  if (reportId !== 901 || random(2) === 0) {
    request.StartDate = pick(['2026-02-02', '2026-02-10', '2026-02-26']);
    request.EndDate = pick(['2026-02-26', '2026-03-02']);
  }
  if (reportId !== undefined) return { request, reportId };
  const dimensions = DIMENSIONS.filter(() => random(4) === 0);
  const metrics = METRICS.filter(() => random(2) === 0);
  if (metrics.length === 0) metrics.push('visits');
  request.DimensionColumns = dimensions.map(name => column(name, 'string'));
  request.MetricColumns = metrics.map(name => column(name, 'number'));
  if (random(2) === 0)
    request.Order = {
      ColumnNumber: random(dimensions.length + metrics.length),
      Direction: pick(['ASC', 'DESC']),
    };
  if (random(3) === 0)
    request.Filters = Array.from({ length: 1 + random(2) }, () => ({
      Type: 'INCLUDE',
      FilterKey: pick(METRICS),
      OperationId: pick(['GREATER', 'GREATER_OR_EQUAL']),
      FilterValue: pick(['0', '4', '0.5', '20']),
    }));
  return { request, reportId: undefined };
}

/** Changes one declared place: nonsense instead of a value, a member too few or too many, or an item twice. */
function spoil(document: Record<string, unknown>, random: Random): void {
  const places = placesIn(document, DATA_REQUEST);
  const path = places[random(places.length)] ?? [];
  const parent = path
    .slice(0, -1)
    .reduce(
      (value, part) => value[part] as Record<string | number, unknown>,
      document as Record<string | number, unknown>,
    );
  const last = path.at(-1) as string | number;
  const value = parent[last];
  const kind = random(6);
  if (kind === 0 && !Array.isArray(parent)) delete parent[last];
  else if (kind === 1 && !Array.isArray(parent)) parent[UNKNOWN[random(UNKNOWN.length)] ?? ''] = value ?? 1;
  else if (kind === 2 && Array.isArray(value) && value.length > 0) value.push(value[0]);
  else if (kind === 3 && typeof value === 'string')
    parent[last] = random(2) === 0 ? value.toLowerCase() : ` ${value}`;
  else if (kind === 4 && typeof value === 'number') parent[last] = String(value);
  else parent[last] = NONSENSE[random(NONSENSE.length)];
}

/** The declared places of a document, absent members included. */
function placesIn(value: unknown, shape: Shape, path: Path = []): Path[] {
  const own = path.length === 0 ? [] : [path];
  if (shape.kind === 'list')
    return [
      ...own,
      ...(Array.isArray(value)
        ? value.flatMap((item, index) => placesIn(item, shape.of, [...path, index]))
        : []),
    ];
  if (shape.kind !== 'record' || typeof value !== 'object' || value === null)
    return path.length === 0 ? [] : own;
  const members = Object.entries(shape.members).flatMap(([name, of]) =>
    placesIn((value as Record<string, unknown>)[name], of, [...path, name]),
  );
  return [...own, ...members];
}

function randomFrom(seed: number): Random {
  let state = (seed % 2_147_483_646) + 1;
  return below => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}
