import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { run } from '../support/run.ts';

/** What newcomers ask, and what answers it: any of these, on the first try. The site is asked the same (npm run check:site). */
const QUESTIONS: readonly (readonly [question: string, ...answers: string[]])[] = JSON.parse(
  readFileSync(new URL('../support/newcomer-questions.json', import.meta.url), 'utf8'),
);

const INTENTS: readonly (readonly [text: string, ...commands: string[]])[] = [
  ['purge what a deploy changed', 'gatectl cdn purge'],
  ['can this reader read the article', 'gatectl access', 'gatectl reader'],
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
