import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { describeWith } from './programs.ts';
import { Terminal } from './terminal.ts';
import { newUser, type User } from './user.ts';

async function completion(verb: 'install' | 'uninstall', shell: string, user: User): Promise<void> {
  await execa('gatectl', ['completion', verb], {
    extendEnv: false,
    env: { ...user.env, SHELL: `/usr/bin/${shell}` },
  });
}

async function installed(shell: string): Promise<User> {
  const user = await newUser();
  onTestFinished(() => user.remove());
  await completion('install', shell, user);
  return user;
}

async function typed(user: User, command: string, setup: string): Promise<string> {
  const terminal = await Terminal.start(command, setup, { env: user.env, cwd: user.folder });
  onTestFinished(() => terminal.close());
  return (await terminal.type('gatectl cdn pu\t')).line;
}

describeWith(['bash', 'script'], 'bash on a fresh home', () => {
  test('completes after gatectl completion install, and no longer after uninstall', async () => {
    const setup = [
      "bind 'set bell-style none'",
      "bind 'set enable-bracketed-paste off'",
      `show() { printf '\\nLI''NE<%s>EOL\\n' "$READLINE_LINE"; READLINE_LINE=; READLINE_POINT=0; }`,
      `bind -x '"\\C-t": show'`,
    ].join('; ');
    const user = await installed('bash');
    expect(await typed(user, 'bash -i', setup)).toBe('gatectl cdn purge ');
    await completion('uninstall', 'bash', user);
    expect(await typed(user, 'bash -i', setup)).toBe('gatectl cdn pu');
  });
});

describeWith(['zsh', 'script'], 'zsh on a fresh home', () => {
  test('completes after gatectl completion install, and no longer after uninstall', async () => {
    const setup = [
      'unsetopt zle_bracketed_paste beep',
      `show() { print -r -- $'\\n'"LI""NE<$BUFFER>EOL"; BUFFER=; }`,
      'zle -N show',
      "bindkey '^T' show",
      "bindkey '^I' complete-word",
    ].join('; ');
    const user = await installed('zsh');
    expect(await typed(user, 'zsh -i', setup)).toBe('gatectl cdn purge ');
    await completion('uninstall', 'zsh', user);
    expect(await typed(user, 'zsh -i', setup)).toBe('gatectl cdn pu');
  });
});

describeWith(['fish'], 'fish on a fresh home', () => {
  test('completes after gatectl completion install, and no longer after uninstall', async () => {
    const user = await installed('fish');
    const completed = async () => {
      const options = { extendEnv: false, env: user.env, cwd: user.folder };
      const { stdout } = await execa('fish', ['-c', 'complete -C "gatectl cdn pu"'], options);
      return stdout.split('\t')[0];
    };
    expect(await completed()).toBe('purge');
    await completion('uninstall', 'fish', user);
    expect(await completed()).not.toBe('purge');
  });
});
