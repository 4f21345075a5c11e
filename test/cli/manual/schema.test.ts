import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/exit-codes.ts';
import { run } from '../../support/run.ts';

async function schema(...args: string[]) {
  const { code, stdout, stderr } = await run(['schema', ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

describe('gatectl schema', () => {
  test('describes a command: arguments, flags, output and examples', async () => {
    const described = await schema('cdn', 'purge');
    expect(described).toMatchObject({
      name: 'gatectl cdn purge',
      summary: 'purge URLs, surrogate keys or a whole domain from the cache',
      arguments: [{ name: 'url', required: false, variadic: true }],
      output: { shape: 'object' },
    });
    const flag = (name: string) => described.flags.find((flag: { name: string }) => flag.name === name);
    expect(flag('--concurrency')).toEqual({
      name: '--concurrency',
      summary: 'maximum requests in flight (default: adapts to the server, up to 64)',
      type: 'integer',
      value: 'n',
      min: 1,
      max: 64,
      repeatable: false,
      group: 'Run',
    });
    expect(flag('--dry-run')).toMatchObject({ type: 'boolean', default: false });
    expect(flag('--key')).toMatchObject({ type: 'string', repeatable: true, variadic: true });
    expect(flag('--file')).toMatchObject({ completes: 'file' });
    expect(described.output.fields.map(({ name }: { name: string }) => name)).toEqual([
      'domain',
      'requested',
      'cleared',
      'failed',
      'requests',
      'failures',
      'scope',
      'reasons',
      'impact',
      'warm',
      'verification',
      'method',
      'path',
      'body',
      'kind',
      'target',
      'purged_again',
      'changes',
    ]);
  });

  test('describes everything: the tree, exit codes, variables and settings', async () => {
    const all = await schema();
    expect(all.name).toBe('gatectl');
    expect(all.exitCodes.map(({ code }: { code: number }) => code)).toEqual(Object.values(EXIT));
    expect(all.environment.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining([
        'GATECTL_API_KEY',
        'GATECTL_PROFILE',
        'GATECTL_OUTPUT',
        'HTTP_PROXY',
        'NO_COLOR',
      ]),
    );
    const [bda] = all.commands.filter(({ name }: { name: string }) => name === 'gatectl bda');
    expect(bda.commands.map(({ name }: { name: string }) => name)).toContain('gatectl bda query');
    const output = all.globalFlags.find(({ name }: { name: string }) => name === '--output');
    expect(output).toMatchObject({ short: '-o', choices: expect.arrayContaining(['json', 'csv']) });
    const flag = (name: string) => all.globalFlags.find((flag: { name: string }) => flag.name === name);
    expect(flag('--timeout')).toMatchObject({ type: 'number', default: 30 });
    expect(flag('--retries')).toMatchObject({ type: 'integer', default: 3, min: 0, max: 100 });
    expect(flag('--csv-dialect')).toMatchObject({ default: 'rfc4180' });
    expect(flag('--profile').default).toBeUndefined();
    expect(all.settings.find(({ name }: { name: string }) => name === 'timeout')).toMatchObject({
      type: 'number',
      default: 30,
    });
  });

  test('distinguishes suggested words from the only accepted ones', async () => {
    const { flags } = await schema('bda', 'query');
    const flag = (name: string) => flags.find((flag: { name: string }) => flag.name === name);
    expect(flag('--last')).toMatchObject({ suggestions: ['7d', '4w', '3m', '1y'] });
    expect(flag('--last').choices).toBeUndefined();
    expect(flag('--chart')).toMatchObject({ type: 'string', value: 'file', valueOptional: true });
    expect(flag('--previous').choices).toEqual(['week', 'month', 'quarter', 'year']);
  });

  test('is JSON unless a flag selects another format, and --jq filters it', async () => {
    expect((await run(['schema', 'cdn', 'ping', '--jq', '.name'])).stdout).toBe('gatectl cdn ping\n');
    expect((await run(['schema', 'cdn', 'ping', '-o', 'table'])).stdout).toMatch(/^name +gatectl cdn ping\n/);
    const { stdout } = await run(['schema', 'cdn', 'ping'], { env: { GATECTL_OUTPUT: 'csv' } });
    expect(JSON.parse(stdout).name).toBe('gatectl cdn ping');
  });

  test('rejects an unknown command', async () => {
    expect(await run(['schema', 'cdn', 'pnig'])).toEqual({
      code: 2,
      stdout: '',
      stderr: "error: unknown command 'cdn pnig'\n  did you mean cdn ping?\n",
    });
  });
});

describe('the outputs that the schema documents', () => {
  const asked: [string, string[]][] = [
    ['access', ['access', '--product', 'premium', '--email', 'active@example.com']],
    ['purchases', ['purchases', '--email', 'active@example.com']],
    ['reader', ['reader', '--email', 'active@example.com']],
    ['token', ['token', '--email', 'active@example.com']],
    ['cdn ping', ['cdn', 'ping']],
    ['cdn purge', ['cdn', 'purge', 'https://example.com/']],
    ['profile show', ['profile', 'show']],
    ['bda report list', ['bda', 'report', 'list']],
  ];
  test.each(asked)('gatectl %s: no field is missing, none is new', async (command, args) => {
    const { output } = await schema(...command.split(' '));
    const { stdout } = await run([...args, '--sandbox', '--json']);
    const printed = JSON.parse(stdout);
    const rows = output.shape === 'list' ? printed : [printed];
    expect(Array.isArray(printed)).toBe(output.shape === 'list');
    const seen = new Set(rows.flatMap((row: object) => Object.keys(row)));
    const documented: { name: string; type: string }[] = output.fields;
    expect([...seen].filter(name => !documented.some(field => field.name === name))).toEqual([]);
    const certain = documented.filter(({ type }) => !type.endsWith('?'));
    expect(certain.filter(({ name }) => !seen.has(name))).toEqual([]);
  });
});

test('the exit codes of the page about scripts are those of the schema', async () => {
  const { exitCodes } = await schema();
  const page = readFileSync(new URL('../../../docs/scripts.md', import.meta.url), 'utf8');
  const listed = [...page.matchAll(/^\| (\d+(?:, \d+)?) \|/gm)].flatMap(([, codes = '']) =>
    codes.split(', '),
  );
  expect(listed).toEqual(exitCodes.map(({ code }: { code: number }) => String(code)));
});
