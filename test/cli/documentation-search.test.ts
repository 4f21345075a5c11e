import { describe, expect, test } from 'vitest';
import { run } from '../support/run.ts';

/** What newcomers ask, and what answers it: any of these, on the first try. */
const QUESTIONS: readonly (readonly [question: string, ...answers: string[]])[] = [
  ['how do I clear the cache after a deploy', 'docs operator', 'docs purge-changes', 'help cdn purge'],
  ['a customer says the article is locked', 'docs support', 'help access', 'help reader'],
  ['export to excel', 'docs workbooks'],
  [
    'where is my password stored',
    'docs install#files',
    'help profile',
    'docs security',
    'help profile set-key',
    'help login',
  ],
  ['compare this week with last week', 'docs comparisons'],
  ['why did visits drop', 'docs why', 'help bda why'],
  ['get an alert when traffic drops', 'docs watch', 'help bda watch'],
  ['load page views into postgres every night', 'docs sync#postgresql', 'docs data-engineer', 'docs sync'],
  ['use it with claude', 'docs mcp', 'help skills install', 'help mcp install'],
  ['try it without an account', 'docs sandbox', 'help sandbox serve'],
  ['draw a graph', 'docs charts', 'docs analyst'],
  ['send a weekly report by email', 'docs reports', 'help bda report build'],
  ['who paid but has no access', 'help access audit', 'docs support'],
  ['what does exit code 7 mean', 'help exit-codes'],
  ['install on ubuntu', 'docs install'],
  ['tab completion', 'docs install#completion', 'help completion install'],
  ['stop interns from purging everything', 'docs governed-writes', 'help policy'],
  ['mock server for tests', 'docs sandbox', 'help sandbox serve'],
  ['rate limit 429', 'docs faults', 'docs sync'],
  ['how are dates written', 'help dates'],
];

const INTENTS: readonly (readonly [text: string, ...commands: string[]])[] = [
  ['purge what a deploy changed', 'gatectl cdn purge'],
  ['can this reader read the article', 'gatectl access'],
  ['compare billing with access', 'gatectl access audit'],
  ['everything about one subscriber', 'gatectl reader'],
  ['most read pages of last week', 'gatectl bda top'],
  ['why did revenue fall', 'gatectl bda why'],
  ['alert when visits are unusual', 'gatectl bda watch'],
  ['export page views to csv', 'gatectl bda query'],
  ['load analytics into clickhouse every night', 'gatectl bda sync run'],
  ['convert a v1 report to v2', 'gatectl bda migrate-query'],
  ['store the api key', 'gatectl login', 'gatectl profile set-key'],
  ['is the gateway reachable', 'gatectl doctor'],
  ['what did we purge yesterday', 'gatectl cdn history'],
  ['fake gateway for tests', 'gatectl sandbox serve'],
  ['send a raw request', 'gatectl api'],
];

async function first(args: readonly string[]): Promise<Record<string, string>> {
  const { code, stdout, stderr } = await run([...args, '--json']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout)[0] ?? {};
}

describe('gatectl docs search answers a newcomer with its first match', () => {
  test.each(QUESTIONS)('%s', async (question, ...answers) => {
    const { open = '' } = await first(['docs', 'search', ...question.split(' ')]);
    expect(
      answers.filter(answer => open.startsWith(`gatectl ${answer}`)),
      open,
    ).not.toEqual([]);
  });

  test('there are twenty questions', () => {
    expect(QUESTIONS.length).toBe(20);
  });
});

describe('gatectl schema --search finds the command that does it', () => {
  test.each(INTENTS)('%s', async (text, ...commands) => {
    expect(commands).toContain((await first(['schema', '--search', text])).name);
  });
});
