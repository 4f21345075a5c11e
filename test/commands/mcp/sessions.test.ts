import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { PROMPTS } from '../../../src/commands/mcp/prompts.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { NOON, run } from '../../support/run.ts';
import { session } from './session.ts';

const FOLDER = fileURLToPath(new URL('sessions/', import.meta.url));
const PAGE = fileURLToPath(new URL('../../../docs/mcp.md', import.meta.url));

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
  const { call, request } = await session(['--sandbox', '--tz', 'UTC', '--allow', 'cdn-purge'], {
    now: NOON,
  });
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

interface RecordedCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** What the server asked the user, who accepted. */
  readonly question?: string;
  readonly isError?: true;
  readonly result?: unknown;
}

/** How an assistant did a task with the tools. Written by hand: task, before, answer, and the tools with their arguments. */
interface Recording {
  readonly task: string;
  /** Command lines of others on the same machine, before the session. */
  readonly before?: readonly { readonly args: readonly string[]; readonly input?: unknown }[];
  readonly calls: readonly RecordedCall[];
  readonly answer: string;
  /** JSON has about four characters per token. */
  readonly tokens?: { readonly tools: number; readonly calls: number };
}

/** A member that differs between runs or machines, and its value in a recording. */
const VARYING: Readonly<Record<string, unknown>> = { plan: 'PLAN', user: 'USER', host: 'HOST', pid: 0 };
const ROWS_FILE = /[^" ]*gatectl-mcp-[^" ]*\.csv/g;
const NUMBER = /\d{4}-\d\d-\d\d|\d[\d,]*(?:\.\d+)?/g;

const recordings = readdirSync(FOLDER).sort();
const recorded = (name: string): Recording => JSON.parse(readFileSync(FOLDER + name, 'utf8'));
const tokens = (values: readonly unknown[]): number =>
  Math.round(values.reduce<number>((sum, value) => sum + JSON.stringify(value).length, 0) / 4);
/** The numbers and dates of a text, without thousands separators. */
const numbers = (text: string): string[] =>
  [...text.matchAll(NUMBER)].map(([number]) => number.replace(/,$/, '').replaceAll(/,(?=\d{3})/g, ''));

function normalised(text: string): unknown {
  return JSON.parse(text, (key, value) =>
    key in VARYING ? VARYING[key] : typeof value === 'string' ? value.replace(ROWS_FILE, 'rows.csv') : value,
  );
}

/** The recording with what the tools return now. */
async function replayed({ task, before, calls, answer }: Recording): Promise<Recording> {
  const homedir = temporaryFolder();
  for (const { args, input } of before ?? []) {
    const options = { homedir, now: NOON, ...(input !== undefined && { input: JSON.stringify(input) }) };
    const { code, stderr } = await run([...args, '--sandbox', '--tz', 'UTC'], options);
    expect(code, stderr).toBe(0);
  }
  let question: string | undefined;
  const { call, request } = await session(['--sandbox', '--tz', 'UTC', '--allow', 'cdn-purge'], {
    homedir,
    now: NOON,
    onQuestion(message) {
      question = message;
      return { action: 'accept', content: { confirm: true } };
    },
  });
  const { result: tools } = await request('tools/list');
  const done: RecordedCall[] = [];
  const folders = new Set<string>();
  let plan: unknown;
  for (const { tool, arguments: given } of calls) {
    question = undefined;
    const { data, isError, text } = await call(tool, given.plan === 'PLAN' ? { ...given, plan } : given);
    if (tool === 'purge_plan') plan = data.plan;
    if (data.file !== undefined) folders.add(dirname(data.file));
    done.push({
      tool,
      arguments: given,
      ...(question !== undefined && { question }),
      ...(isError && { isError }),
      result: normalised(text),
    });
  }
  for (const folder of folders) rmSync(folder, { recursive: true });
  const exchanged = done.flatMap(each => [{ name: each.tool, arguments: each.arguments }, each.result]);
  return {
    task,
    ...(before !== undefined && { before }),
    calls: done,
    answer,
    tokens: { tools: tokens([tools]), calls: tokens(exchanged) },
  };
}

describe('a task of the staff', () => {
  test.each(recordings)('%s: the tools return what is recorded', async name => {
    const text = `${JSON.stringify(await replayed(recorded(name)), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot(`sessions/${name}`);
  });

  test.each(recordings)('%s: each number of the answer is in a result', name => {
    const { answer, calls } = recorded(name);
    const known = new Set(calls.flatMap(({ result }) => numbers(JSON.stringify(result))));
    expect(answer.length).toBeGreaterThan(50);
    expect(numbers(answer).filter(number => !known.has(number))).toEqual([]);
  });

  test('costs the calls and tokens that docs/mcp.md shows', () => {
    const rows = [...readFileSync(PAGE, 'utf8').matchAll(/^\| (\d+)\. .* \| +(\d+) \| +(\d+) \|$/gm)];
    expect(rows.map(([, ...figures]) => figures.map(Number))).toEqual(
      recordings.map(name => {
        const { calls, tokens } = recorded(name);
        return [Number.parseInt(name, 10), calls.length, tokens?.calls];
      }),
    );
  });
});
