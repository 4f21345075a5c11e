import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { describeWith } from './programs.ts';
import { Terminal } from './terminal.ts';
import { newUser, type User } from './user.ts';

async function installed(shell: string): Promise<User> {
  const user = await newUser();
  onTestFinished(() => user.remove());
  await execa('gatectl', ['completion', 'install'], {
    extendEnv: false,
    env: { ...user.env, SHELL: `/usr/bin/${shell}` },
  });
  return user;
}

async function typed(user: User, command: string, setup: string): Promise<string> {
  const terminal = await Terminal.start(command, setup, { env: user.env, cwd: user.folder });
  onTestFinished(() => terminal.close());
  return (await terminal.type('gatectl cdn pu\t')).line;
}

describeWith(['bash', 'script'], 'bash on a fresh home', () => {
  test('completes after gatectl completion install', async () => {
    const setup = [
      "bind 'set bell-style none'",
      "bind 'set enable-bracketed-paste off'",
      `show() { printf '\\nLI''NE<%s>EOL\\n' "$READLINE_LINE"; READLINE_LINE=; READLINE_POINT=0; }`,
      `bind -x '"\\C-t": show'`,
    ].join('; ');
    expect(await typed(await installed('bash'), 'bash -i', setup)).toBe('gatectl cdn purge ');
  });
});

describeWith(['zsh', 'script'], 'zsh on a fresh home', () => {
  test('completes after gatectl completion install', async () => {
    const setup = [
      'unsetopt zle_bracketed_paste beep',
      `show() { print -r -- $'\\n'"LI""NE<$BUFFER>EOL"; BUFFER=; }`,
      'zle -N show',
      "bindkey '^T' show",
      "bindkey '^I' complete-word",
    ].join('; ');
    expect(await typed(await installed('zsh'), 'zsh -i', setup)).toBe('gatectl cdn purge ');
  });
});

describeWith(['fish'], 'fish on a fresh home', () => {
  test('completes after gatectl completion install', async () => {
    const user = await installed('fish');
    const { stdout } = await execa('fish', ['-c', 'complete -C "gatectl cdn pu"'], {
      extendEnv: false,
      env: user.env,
      cwd: user.folder,
    });
    expect(stdout.split('\t')[0]).toBe('purge');
  });
});
