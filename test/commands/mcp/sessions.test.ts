import { expect, test } from 'vitest';
import { PROMPTS } from '../../../src/commands/mcp/prompts.ts';
import { NOON } from '../../support/run.ts';
import { session } from './session.ts';

/** A session per prompt: what the user fills in, and the calls that the prompt leads to. */
const SESSIONS: Readonly<
  Record<
    string,
    { readonly given: Record<string, string>; readonly calls: readonly (readonly [string, object])[] }
  >
> = {
  support: {
    given: { email: 'suspended@example.com', product: 'premium' },
    calls: [['reader', { email: 'suspended@example.com', product: ['premium'] }]],
  },
  operator: {
    given: { targets: 'https://example.com/news https://example.com/sport' },
    calls: [
      ['purge_plan', { urls: ['https://example.com/news', 'https://example.com/sport'] }],
      ['purge_apply', { plan: 'PLAN' }],
    ],
  },
  analyst: {
    given: { metric: 'visits' },
    calls: [
      ['columns', { data_set: 'pageview', search: 'visits' }],
      ['why', { data_set: 'pageview', metric: 'visits', dimension: ['device'], last: '7d' }],
    ],
  },
  'data-engineer': {
    given: { request: 'visits by country, last week' },
    calls: [
      ['columns', {}],
      ['query', { data_set: 'pageview', dimension: ['country'], metric: ['visits'], last: '7d', limit: 3 }],
    ],
  },
  developer: {
    given: { request: '{"StartDate":"2026-03-01","EndDate":"2026-03-07","MaxItems":10}' },
    calls: [
      [
        'migrate',
        { report: 'Countries', request: '{"StartDate":"2026-03-01","EndDate":"2026-03-07","MaxItems":10}' },
      ],
    ],
  },
};

const fence = '```';
const MAX_SHOWN = 700;

test('a recorded session per prompt is in docs/mcp-sessions.md', async () => {
  const { call, request } = await session(['--sandbox', '--allow', 'cdn-purge'], { now: NOON });
  const pages = [
    '# Recorded sessions of gatectl mcp',
    'What an assistant calls for each prompt, and what it receives, on the embedded gateway. Long results are cut here.',
  ];
  for (const { name, title } of PROMPTS) {
    const { given, calls } = SESSIONS[name] ?? { given: {}, calls: [] };
    const { result } = await request('prompts/get', { name, arguments: given });
    const { messages } = result as { messages: { content: { text: string } }[] };
    pages.push(`## ${name}: ${title}`, `> ${messages[0]?.content.text}`);
    let plan = '';
    for (const [tool, values] of calls) {
      const { text, isError, data } = await call(
        tool,
        JSON.parse(JSON.stringify(values).replace('PLAN', plan)),
      );
      expect(isError, text).toBe(false);
      plan = data.plan ?? plan;
      const stable = text
        .replace(/"plan":"[^"]+"/, '"plan":"PLAN"')
        .replace(/"file":"[^"]+"/, '"file":"rows.csv"')
        .replaceAll(/[^" ]*gatectl-mcp-[^" ]*\.csv/g, 'rows.csv');
      const shown = stable.length <= MAX_SHOWN ? stable : `${stable.slice(0, MAX_SHOWN)}…`;
      pages.push(`\`${tool}\` ${JSON.stringify(values)}`, `${fence}json\n${shown}\n${fence}`);
    }
  }
  await expect(`${pages.join('\n\n')}\n`).toMatchFileSnapshot('../../../docs/mcp-sessions.md');
});
