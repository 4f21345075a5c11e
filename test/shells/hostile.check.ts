import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { describeWith } from './programs.ts';
import { Terminal } from './terminal.ts';
import { COMPLETIONS, newUser, type User } from './user.ts';

// Names that a server chose, completed with Tab and run with Enter: the program gets the name as it is, and nothing else runs.

/** Names that can be typed. Each would create the file PWNED, or become something else, where it is not quoted. */
const NAMES = [
  '$(touch PWNED)',
  'device`touch PWNED`',
  'a"$(touch PWNED)"b',
  "a';touch PWNED;'b",
  `a'"$(touch PWNED)"'b`,
  `";touch PWNED;"`,
  "';touch PWNED;'",
  'a;touch PWNED;b',
  'a|touch PWNED',
  'a&touch PWNED&b',
  'a>PWNED',
  '<(touch PWNED)',
  '(touch PWNED)',
  '\\$(touch PWNED)',
  '\\\\`touch PWNED`',
  '\\";touch PWNED;"',
  '\\',
  'a\\',
  'a\\b',
  "'",
  '"',
  `it's "a" test`,
  "$'touch PWNED'",
  '$HOME',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what a shell would expand.
  '${HOME}',
  '$((1+1))',
  '!!',
  '!touch',
  'a!b',
  'a!!',
  'a"!b',
  '!$',
  '^a^b',
  '~',
  '~root',
  'a:~root',
  'a=~root',
  '=ls',
  '-x',
  '--help',
  '#comment',
  '*',
  'q*',
  '?',
  '[a-z]*',
  '{a,b}',
  'a{1..3}',
  '%self',
  '@a',
  'a b',
  ' a',
  'a ',
  'a  b',
  'a,b',
  'a:b:c',
  'a=b',
  'Größe 日本',
  'a\u00a0b',
  'a\u3000b',
];

/** Names that are never offered. */
const NEVER = [
  'a\ntouch PWNED',
  'a\r\ntouch PWNED',
  'a\tb',
  'a\u001b[31mb',
  'a\u0003b',
  'a\u007fb',
  'a\u0085b',
  'a\u2028b',
  'a\u202eb',
];

/** Puts a gatectl on the path that completes, and for the rest writes its arguments to a file. */
function recordCalls({ env, folder }: User): void {
  const path = join(env.HOME ?? '', 'bin/gatectl');
  rmSync(path);
  const real = join(COMPLETIONS, '../bin/gatectl.js');
  const lines = [
    '#!/bin/sh',
    `[ "$1" = __complete ] && exec '${real}' "$@"`,
    `printf '%s\\0' "$@" >'${folder}/../called'`,
    "printf '\\nCALL''ED\\n'",
  ];
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o755 });
}

/** Types keys and Enter; returns the arguments that gatectl got. */
async function called(terminal: Terminal, keys: string, { folder }: User): Promise<string[]> {
  await terminal.enter(keys, /CALLED\r?\n/);
  return readFileSync(join(folder, '../called'), 'utf8').split('\0').slice(0, -1);
}

const SHOW = `show() { printf '\\nLI''NE<%s>EOL\\n' "$READLINE_LINE"; READLINE_LINE=; READLINE_POINT=0; }`;

interface Shell {
  readonly name: string;
  readonly command: string;
  readonly setup: string;
  /** What opens a quote, and the names that are not offered in it because they cannot be typed there. */
  readonly quotes: Readonly<Record<string, (name: string, isAttached: boolean) => boolean>>;
}

const none = () => false;
/** fish leaves a tilde at the beginning of a word alive. */
const isLeftOutOfFish = (name: string, isAttached: boolean) => name.startsWith('~') && !isAttached;
/** Readline drops a quote at the beginning of what it inserts after an open one. */
const isLeftOutOfDouble = (name: string) => name.startsWith('!') || name === '"';
const SHELLS: readonly Shell[] = [
  {
    name: 'bash',
    command: 'bash --norc --noprofile -i',
    setup: [
      "bind 'set bell-style none'",
      "bind 'set enable-bracketed-paste off'",
      SHOW,
      `bind -x '"\\C-t": show'`,
      `source ${join(COMPLETIONS, 'gatectl.bash')}`,
    ].join('; '),
    quotes: {
      '': none,
      "'": name => name.startsWith("'"),
      '"': isLeftOutOfDouble,
      "$'": none,
      '$"': isLeftOutOfDouble,
    },
  },
  {
    name: 'zsh',
    command: 'zsh -f -i',
    setup: [
      'unsetopt zle_bracketed_paste beep',
      `fpath=('${COMPLETIONS}' $fpath)`,
      'autoload -Uz compinit',
      'compinit -u -D',
      `show() { print -r -- $'\\n'"LI""NE<$BUFFER>EOL"; BUFFER=; }`,
      'zle -N show',
      "bindkey '^T' show",
      "bindkey '^I' complete-word",
    ].join('; '),
    quotes: { '': none, "'": none, '"': none, "$'": none },
  },
  {
    name: 'fish',
    command: 'fish --no-config -i',
    setup: [
      "function show; printf '\\nLI''NE<%s>EOL\\n' (commandline | string collect); commandline -r ''; end",
      'bind \\ct show',
      `source ${join(COMPLETIONS, 'gatectl.fish')}`,
    ].join('; '),
    quotes: { '': isLeftOutOfFish, "'": isLeftOutOfFish, '"': isLeftOutOfFish },
  },
];

for (const { name: shell, command, setup, quotes } of SHELLS) {
  describeWith([shell, 'script'], `names from a server in ${shell}`, () => {
    let user: User;
    beforeAll(async () => {
      user = await newUser();
      recordCalls(user);
    });
    afterAll(() => user.remove());

    test.each(Object.entries(quotes))(
      'after %s each is inserted as an argument that equals it, or not offered',
      async (quote, isLeftOut) => {
        const terminal = await Terminal.start(command, setup, { env: user.env, cwd: user.folder });
        onTestFinished(() => terminal.close());
        for (const [index, name] of NAMES.entries()) {
          await user.listings.writeNames('data-set', [{ name }], 0);
          const isAttached = index % 2 === 1;
          const line = `gatectl bda query --data-set${isAttached ? '=' : ' '}${quote}`;
          if (isLeftOut(name, isAttached)) {
            expect([name, (await terminal.type(`${line}\t`)).line]).toEqual([name, line]);
            continue;
          }
          const argument = isAttached ? [`--data-set=${name}`] : ['--data-set', name];
          expect(await called(terminal, `${line}\t`, user)).toEqual(['bda', 'query', ...argument]);
        }
        for (const name of NEVER) {
          await user.listings.writeNames('data-set', [{ name }], 0);
          const line = `gatectl bda query --data-set ${quote}`;
          expect([name, (await terminal.type(`${line}\t`)).line]).toEqual([name, line]);
        }
        expect(readdirSync(user.folder).sort()).toEqual(['query.json', 'urls.txt']);
      },
    );
  });
}
