import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Row } from '../../../support/independent/facts.ts';
import { independentGateway } from '../../../support/independent/gateway.ts';
import { type DrawnRequest, drawRequests } from '../../../support/independent/requests.ts';
import { type AnswerV1, answerV1, Rejected, rounded } from '../../../support/independent/v1.ts';
import { NOON, run } from '../../../support/run.ts';
import { runs } from '../../../support/runs.ts';
import type { WireServer } from '../../../support/wire-server.ts';

const TODAY = new Date(NOON).toISOString().slice(0, 10);
const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_126);

let server: WireServer;
beforeAll(async () => {
  server = await independentGateway({ today: TODAY });
});
afterAll(() => server.close());

/** What v1 returns; undefined where it rejects the request. */
function ofV1({ request, reportId }: DrawnRequest): AnswerV1 | undefined {
  try {
    return answerV1(request, TODAY, reportId);
  } catch (error) {
    if (error instanceof Rejected) return undefined;
    throw error;
  }
}

/** What the migrated request returns. */
async function migrated({ request, reportId }: DrawnRequest) {
  const report = reportId === undefined ? [] : ['--custom-report', String(reportId)];
  return await run(['bda', 'migrate-query', '-', ...report, '--run', '-o', 'json'], {
    input: JSON.stringify(request),
    now: NOON,
    env: { GATECTL_BASE_URL: server.baseUrl, GATECTL_API_KEY: 'key-for-migration-0001', TZ: 'UTC' },
  });
}

/** The values of each row, from left to right. */
function cells(rows: readonly Row[], { decimals }: Pick<AnswerV1, 'decimals'>): unknown[][] {
  return rows.map(row => {
    const { Segment: _, query: __, ...rest } = rounded(row, decimals);
    return Object.values(rest);
  });
}

/** The segment of each row where v1 names one: by the label of the query, which may begin with the chart. */
function segments(rows: readonly Row[], v1: readonly Row[]): unknown[] {
  return rows.map(({ query }, at) => {
    if (v1[at]?.Segment === undefined || query === undefined) return undefined;
    return String(query).split(' / ').at(-1);
  });
}

/** What is wrong with a migration; undefined if nothing is. */
async function problemOf(drawn: DrawnRequest): Promise<string | undefined> {
  const v1 = ofV1(drawn);
  const { code, stdout, stderr } = await migrated(drawn);
  if (code === 2) return drawn.isPlain && v1 !== undefined ? `refused: ${stderr}` : undefined;
  if (code !== 0) return `exit code ${code}: ${stderr}`;
  if (v1 === undefined) return 'accepted, though v1 rejects it';
  const rows: Row[] = JSON.parse(stdout);
  const [now, before] = [cells(rows, v1), cells(v1.rows, v1)];
  const named = segments(rows, v1.rows).every(
    (name, at) => name === undefined || name === v1.rows[at]?.Segment,
  );
  return named && JSON.stringify(now) === JSON.stringify(before)
    ? undefined
    : `${rows.length} rows, v1 has ${before.length}: ${JSON.stringify(now.slice(0, 3))} instead of ${JSON.stringify(before.slice(0, 3))}`;
}

test('a request that the migration accepts returns the rows of v1, and what v1 rejects is refused', async () => {
  const drawn = drawRequests(runs(300), SEED);
  const wrong: string[] = [];
  for (const each of drawn) {
    const problem = await problemOf(each);
    if (problem !== undefined) wrong.push(`${problem}: ${JSON.stringify(each)}`);
  }
  expect(wrong, `PROPERTY_SEED=${SEED}`).toEqual([]);
  // Otherwise little has been compared.
  const answers = drawn.map(ofV1);
  expect(answers.filter(answer => (answer?.rows.length ?? 0) > 0).length).toBeGreaterThan(drawn.length / 5);
  expect(answers.filter(answer => answer === undefined).length).toBeGreaterThan(drawn.length / 10);
});
