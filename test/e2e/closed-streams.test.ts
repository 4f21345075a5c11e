import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emptyHome } from '../support/gatectl.ts';

const BIN = fileURLToPath(new URL('../../bin/gatectl.js', import.meta.url));
const NOT_OPEN = 'error: cannot write to stdout: it is not open for writing';

let home: Awaited<ReturnType<typeof emptyHome>>;
beforeAll(async () => {
  home = await emptyHome();
});
afterAll(() => home.remove());

/** A command line with a redirection, as a shell takes it. */
async function inShell(args: readonly string[], redirection: string) {
  const line = ['-c', `exec "$0" "$@" ${redirection}`, process.execPath, BIN, ...args];
  const { exitCode, stdout, stderr } = await execa('sh', line, {
    reject: false,
    extendEnv: false,
    env: { ...home.env, GATECTL_SANDBOX_CLOCK: '2026-03-14T12:00:00Z' },
    input: '',
  });
  return { exitCode, stdout, stderr };
}

const PRODUCTS = ['products', '--email', 'active@example.com', '--sandbox'];
const ROWS = ['bda', 'query', '--data-set', 'pageview', '-d', 'report_day', '-m', 'pageviews', '--sandbox'];

describe.runIf(process.platform !== 'win32')('with a standard stream that is closed', () => {
  test.each([
    ['a short answer', ['--version']],
    ['a table', PRODUCTS],
    ['a long text', ['schema']],
    ['a stream of rows', [...ROWS, '--last', '7d', '--all', '-o', 'csv', '--quiet']],
  ])('%s to a stdout that is open only for reading exits 9', async (_, args) => {
    expect(await inShell(args, '1< /dev/null')).toEqual({ exitCode: 9, stdout: '', stderr: NOT_OPEN });
  });

  // Node puts /dev/null in the place of a standard stream that is closed when it starts, open for reading and writing: just what
  // other programs pass on purpose to discard output.
  test('output to a closed stdout is discarded, as by >/dev/null', async () => {
    expect(await inShell(PRODUCTS, '>&-')).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  });

  test('a closed stderr changes neither the output nor the exit code', async () => {
    const rows = [...ROWS, '--last', '7d', '-o', 'csv'];
    const open = await inShell([...rows, '--quiet'], '');
    for (const closed of ['2>&-', '2< /dev/null']) {
      expect(await inShell([...rows, '--verbose'], closed)).toEqual(open);
      expect(await inShell(['products', '--sandbox'], closed)).toEqual({
        exitCode: 2,
        stdout: '',
        stderr: '',
      });
    }
  });

  test.each(['<&-', '0> /dev/null'])('%s does not affect a command that reads no input', async closed => {
    expect(await inShell([...PRODUCTS, '-o', 'csv'], closed)).toEqual({
      exitCode: 0,
      stdout: 'product\npremium\nsports',
      stderr: '',
    });
  });

  test('a list from a stdin that is open only for writing cannot be read, and nothing is sent', async () => {
    expect(await inShell(['cdn', 'purge', '--file', '-', '--sandbox'], '0> /dev/null')).toEqual({
      exitCode: 9,
      stdout: '',
      stderr: 'error: standard input is not open for reading',
    });
  });
});
