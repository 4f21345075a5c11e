import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Scenario, simulate } from './simulation.ts';

/** 10,000 sites of 10 accounts with 10 units each, submitted in groups of up to 100, on 100 workers, at 83 % of a hard limit of 24 requests a second. */
const CALM: Scenario = {
  accounts: 10,
  domains: 10_000,
  unitsOfDomain: 10,
  workers: 100,
  concurrency: 4,
  rate: 20,
  hardLimit: 24,
  latencyAt: () => 500,
  failures: 0,
  lostEachMinute: 0,
};
/** From the second to the seventh minute, the gateway is ten times as slow. */
const slow = (ms: number) => (ms > 120_000 && ms < 420_000 ? 5000 : 500);

const SCENARIOS: readonly [string, Scenario][] = [
  ['no fault', CALM],
  ['2 % of the requests fail', { ...CALM, failures: 0.02 }],
  ['10 workers a minute are lost', { ...CALM, lostEachMinute: 10 }],
  ['the gateway is ten times as slow for five minutes', { ...CALM, latencyAt: slow }],
  ['all of these', { ...CALM, failures: 0.02, lostEachMinute: 10, latencyAt: slow }],
  ['the rate is set above the hard limit', { ...CALM, hardLimit: 16 }],
  ['one account, one worker', { ...CALM, accounts: 1, domains: 1000, workers: 1, concurrency: 16 }],
];

const RESULTS = await Promise.all(
  SCENARIOS.map(async ([name, scenario]) => ({ name, ...(await simulate(scenario)) })),
);

test('docs/fleet.md has the figures of the simulation', () => {
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  const minutes = (seconds: number) => (seconds / 60).toFixed(1);
  const table = RESULTS.map(
    ({ name, seconds, boundSeconds, fairness, waste, refused, requests }) =>
      `| ${name} | ${minutes(seconds)} | ${percent(boundSeconds / seconds)} | ${percent(fairness)} | ${percent(waste)} | ${refused} of ${requests} |`,
  ).join('\n');
  expect(readFileSync(new URL('../../../docs/fleet.md', import.meta.url), 'utf8')).toContain(table);
});

test('every unit is done, with any of these faults, within a third of the least possible time in addition', () => {
  for (const { name, seconds, boundSeconds } of RESULTS.slice(0, 5))
    expect([name, seconds / boundSeconds < 1.34]).toEqual([name, true]);
});

test('no account waits for another one: all end within a tenth of the time', () => {
  for (const { name, fairness } of RESULTS) expect([name, fairness > 0.9]).toEqual([name, true]);
});

test('at 85 % of a hard limit none is refused; above it the rate goes down until none is', () => {
  const refused = Object.fromEntries(
    RESULTS.map(({ name, refused, requests }) => [name, refused / requests]),
  );
  expect(refused['no fault']).toBe(0);
  for (const share of Object.values(refused)) expect(share).toBeLessThan(0.001);
});
