import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWith } from './programs.ts';
import { COMPLETIONS, newUser, type User } from './user.ts';

describeWith(['pwsh'], 'powershell', () => {
  let user: User;
  beforeAll(async () => {
    user = await newUser();
  });
  afterAll(() => user.remove());

  test.each([
    ['commands', 'gatectl cdn p', ['ping', 'purge']],
    ['commands after global flags', 'gatectl --json -p news bda que', ['query']],
    ['flags', 'gatectl bda query --las', ['--last']],
    ['choices', 'gatectl bda query --previous m', ['month']],
    ['choices after =', 'gatectl --output=nd', ['--output=ndjson']],
    ['shells', 'gatectl completion po', ['powershell']],
    ['profiles', 'gatectl -p ', ['news', 'staging']],
    ['columns', 'gatectl bda query -d co', ['country']],
    ['topics after help', 'gatectl help exi', ['exit-codes']],
  ])('%s', async (_, line, expected) => {
    const script = `
      . '${join(COMPLETIONS, 'gatectl.ps1')}'
      $line = $env:GATECTL_CHECK_LINE
      (TabExpansion2 -inputScript $line -cursorColumn $line.Length).CompletionMatches.CompletionText`;
    const { stdout } = await execa('pwsh', ['-NoProfile', '-NonInteractive', '-Command', script], {
      extendEnv: false,
      env: { ...user.env, GATECTL_CHECK_LINE: line },
      cwd: user.folder,
    });
    expect(stdout.split(/\r?\n/).filter(text => text !== '')).toEqual(expected);
  });

  test('nothing was sent', () => expect(user.requests()).toBe(0));
});
