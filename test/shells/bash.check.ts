import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWith } from './programs.ts';
import { Terminal } from './terminal.ts';
import { COMPLETIONS, newUser, summaryOf, type User } from './user.ts';

const SETUP = [
  "bind 'set bell-style none'",
  "bind 'set page-completions off'",
  "bind 'set completion-query-items 0'",
  "bind 'set enable-bracketed-paste off'",
  `show() { printf '\\nLI''NE<%s>EOL\\n' "$READLINE_LINE"; READLINE_LINE=; READLINE_POINT=0; }`,
  `bind -x '"\\C-t": show'`,
  `source ${join(COMPLETIONS, 'gatectl.bash')}`,
].join('; ');

describeWith(['bash', 'script'], 'bash', () => {
  let user: User;
  let shell: Terminal;
  beforeAll(async () => {
    user = await newUser();
    shell = await Terminal.start('bash --norc --noprofile -i', SETUP, { env: user.env, cwd: user.folder });
  });
  afterAll(async () => {
    await shell.close();
    await user.remove();
  });

  test.each([
    ['commands', 'gatectl cdn pu', 'gatectl cdn purge '],
    ['the first word', 'gatectl purc', 'gatectl purchases '],
    ['commands after global flags', 'gatectl --json -p news bda que', 'gatectl --json -p news bda query '],
    ['flags', 'gatectl bda query --las', 'gatectl bda query --last '],
    [
      'flags after a flag of several words',
      'gatectl cdn purge --key a b --fil',
      'gatectl cdn purge --key a b --file ',
    ],
    [
      'flags after one that may stand alone',
      'gatectl bda query --chart --las',
      'gatectl bda query --chart --last ',
    ],
    ['choices', 'gatectl bda query --previous m', 'gatectl bda query --previous month '],
    ['choices after =', 'gatectl --output=nd', 'gatectl --output=ndjson '],
    ['files of a flag', 'gatectl cdn purge --file ur', 'gatectl cdn purge --file urls.txt '],
    ['files after =', 'gatectl cdn purge --file=ur', 'gatectl cdn purge --file=urls.txt '],
    ['a file argument', 'gatectl bda query qu', 'gatectl bda query query.json '],
    ['no files elsewhere', 'gatectl cdn purge ur', 'gatectl cdn purge ur'],
    ['values of settings', 'gatectl profile set output nd', 'gatectl profile set output ndjson '],
    ['shells', 'gatectl completion po', 'gatectl completion powershell '],
    ['profiles', 'gatectl -p ne', 'gatectl -p news '],
    ['profiles as arguments', 'gatectl profile use st', 'gatectl profile use staging '],
    ['settings', 'gatectl profile set time-z', 'gatectl profile set time-zone '],
    [
      'domains of listings',
      'gatectl cdn purge --domain example.o',
      'gatectl cdn purge --domain example.org ',
    ],
    ['data sets after =', 'gatectl bda query --data-set=pa', 'gatectl bda query --data-set=pageview '],
    ['data sets in quotes', "gatectl bda query --data-set 'pa", "gatectl bda query --data-set 'pageview' "],
    ['columns', 'gatectl bda query -d co', 'gatectl bda query -d country '],
    ['columns after a comma', 'gatectl bda query -d country,d', 'gatectl bda query -d country,device '],
    [
      'columns of a filter in quotes',
      "gatectl bda query --filter 'cou",
      "gatectl bda query --filter 'country",
    ],
    ['the direction of a sort', 'gatectl bda query --sort visits:d', 'gatectl bda query --sort visits:desc '],
    [
      'reports with blanks and quotes',
      'gatectl bda report run T',
      'gatectl bda report run Top\\ \\"best\\"\\ pages ',
    ],
    [
      'segments in quotes',
      'gatectl bda report run --segment "Mo',
      'gatectl bda report run --segment "Mobile readers" ',
    ],
    ['commands after help', 'gatectl help cdn pu', 'gatectl help cdn purge '],
    ['topics after help', 'gatectl help exi', 'gatectl help exit-codes '],
    [
      'nothing for another profile',
      'gatectl -p staging bda query -d co',
      'gatectl -p staging bda query -d co',
    ],
  ])('%s', async (_, typed, line) => {
    expect((await shell.type(`${typed}\t`)).line).toBe(line);
  });

  test('several commands are shown with what they do', async () => {
    const { line, screen } = await shell.type('gatectl cdn p\t\t');
    expect(line).toBe('gatectl cdn p');
    expect(screen).toContain(`ping   (${await summaryOf('cdn ping')})`);
    expect(screen).toContain(`purge  (${await summaryOf('cdn purge')})`);
  });

  test('several names with blanks are completed as far as they agree', async () => {
    expect((await shell.type('gatectl bda report run Top\\ \t')).line).toBe(
      'gatectl bda report run Top\\ \\"best\\"\\ pages ',
    );
    const { line, screen } = await shell.type('gatectl bda report run S\t\t\t');
    expect(line).toBe('gatectl bda report run Site\\ ');
    expect(screen).toMatch(/^Site\\ days +Site\\ pages/m);
  });

  test('a flag that was given is not offered again, unless it may be', async () => {
    const { screen } = await shell.type('gatectl bda query --all --dimension a --\t\t');
    expect(screen).not.toMatch(/^--all /m);
    expect(screen).toMatch(/^--dimension /m);
  });

  test('words that COMP_WORDBREAKS does not split are replaced completely', async () => {
    await shell.type("saved=$COMP_WORDBREAKS COMP_WORDBREAKS=' '\n");
    expect((await shell.type('gatectl bda query --sort visits:d\t')).line).toBe(
      'gatectl bda query --sort visits:desc ',
    );
    expect((await shell.type('gatectl --output=nd\t')).line).toBe('gatectl --output=ndjson ');
    await shell.type('COMP_WORDBREAKS=$saved\n');
  });

  test('nothing was sent', () => expect(user.requests()).toBe(0));
});
