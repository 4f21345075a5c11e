import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
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

/** Whether texts can be parsed as PowerShell. */
async function powershellParser(): Promise<(text: string) => boolean> {
  const { resolve } = createRequire(join(GRAMMAR ?? '', 'here.js'));
  const { Parser, Language }: TreeSitter = await import(resolve('web-tree-sitter'));
  await Parser.init();
  const parser = new Parser();
  parser.setLanguage(await Language.load(resolve('tree-sitter-powershell/tree-sitter-powershell.wasm')));
  return text => !parser.parse(text).rootNode.hasError;
}

test.runIf(GRAMMAR)('the script of powershell can be parsed', async () => {
  const isParsed = await powershellParser();
  const script = readFileSync(join(COMPLETIONS, 'gatectl.ps1'), 'utf8');
  expect(isParsed(script)).toBe(true);
  expect(isParsed(`${script}\n}`)).toBe(false);
});

test.runIf(GRAMMAR)(
  'what is installed for powershell on a fresh home can be parsed, and is removed again',
  async () => {
    const isParsed = await powershellParser();
    const user = await newUser();
    onTestFinished(() => user.remove());
    // A folder whose name would end a text in quotes.
    const home = join(user.folder, "it's");
    const completion = async (verb: string) => {
      const args = ['completion', verb, '--shell', 'powershell', '--json'];
      const { stdout } = await execa('gatectl', args, { extendEnv: false, env: { ...user.env, HOME: home } });
      return (JSON.parse(stdout) as { path: string }[]).map(({ path }) => path);
    };
    const files = await completion('install');
    expect(files).toHaveLength(2);
    for (const file of files) expect(isParsed(readFileSync(file, 'utf8')), file).toBe(true);
    await completion('uninstall');
    expect(files.filter(file => existsSync(file))).toEqual([]);
  },
);

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
