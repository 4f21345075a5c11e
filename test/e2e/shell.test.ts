import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emptyHome, gatectl } from '../support/gatectl.ts';

const committed = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

let home: Awaited<ReturnType<typeof emptyHome>>;
beforeAll(async () => {
  home = await emptyHome();
});
afterAll(() => home.remove());

describe('gatectl in a shell', () => {
  test.each([
    ['bash', 'completions/gatectl.bash'],
    ['fish', 'completions/gatectl.fish'],
  ])('the built gatectl prints the script of %s that is shipped', async (shell, path) => {
    const { stdout, stderr } = await gatectl(['completion', shell]);
    expect({ stdout, stderr }).toEqual({ stdout: committed(path), stderr: '' });
  });

  test('what a profile holds is there at the next Tab', async () => {
    const flags = ['--base-url', 'https://gateway.example.com', '--domain', 'news.example.com'];
    await gatectl(['profile', 'add', 'news', ...flags], { env: home.env });
    expect((await gatectl(['__complete', 'fish', '.', '-p'], { env: home.env })).stdout).toBe(
      'values\t\nnews\thttps://gateway.example.com, in use\n',
    );
    expect(
      (await gatectl(['__complete', 'fish', '.', 'cdn', 'purge', '--domain'], { env: home.env })).stdout,
    ).toBe('values\t\nnews.example.com\tprofile news\n');
  });

  test('the schema of the built gatectl has every command and topic', async () => {
    const { stdout } = await gatectl(['schema', '--jq', '[.. | .examples? // empty | .[].command] | length']);
    expect(Number(stdout)).toBeGreaterThan(40);
    expect((await gatectl(['help', 'dates'])).stdout).toContain('--include-today');
  });
});
