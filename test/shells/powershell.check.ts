import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWith } from './programs.ts';
import { COMPLETIONS, newUser, type User } from './user.ts';

/** A folder in which tree-sitter-powershell and web-tree-sitter are installed, for machines without PowerShell. */
const GRAMMAR = process.env.GATECTL_CHECK_GRAMMAR;

/** As much of web-tree-sitter as is needed here. */
interface TreeSitter {
  readonly Parser: {
    init(): Promise<void>;
    new (): {
      setLanguage(language: unknown): void;
      parse(text: string): { rootNode: { hasError: boolean } };
    };
  };
  readonly Language: { load(path: string): Promise<unknown> };
}

test.runIf(GRAMMAR)('the script of powershell can be parsed', async () => {
  const { resolve } = createRequire(join(GRAMMAR ?? '', 'here.js'));
  const { Parser, Language }: TreeSitter = await import(resolve('web-tree-sitter'));
  await Parser.init();
  const parser = new Parser();
  parser.setLanguage(await Language.load(resolve('tree-sitter-powershell/tree-sitter-powershell.wasm')));
  const script = readFileSync(join(COMPLETIONS, 'gatectl.ps1'), 'utf8');
  expect(parser.parse(script).rootNode.hasError).toBe(false);
  expect(parser.parse(`${script}\n}`).rootNode.hasError).toBe(true);
});

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
