import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWith } from './programs.ts';
import { COMPLETIONS, newUser, summaryOf, type User } from './user.ts';

describeWith(['fish'], 'fish', () => {
  let user: User;
  beforeAll(async () => {
    user = await newUser();
  });
  afterAll(() => user.remove());

  /** What fish offers for a line, as `WORD<TAB>DESCRIPTION`. */
  async function offered(line: string): Promise<string[]> {
    const { stdout } = await execa(
      'fish',
      ['--no-config', '-c', `source ${join(COMPLETIONS, 'gatectl.fish')}; complete -C "$argv"`, '--', line],
      { extendEnv: false, env: user.env, cwd: user.folder },
    );
    return stdout.split('\n').filter(text => text !== '');
  }
  const words = async (line: string) => (await offered(line)).map(text => text.split('\t')[0]);

  test.each([
    ['commands', 'gatectl cdn p', ['ping', 'purge']],
    ['the first word', 'gatectl purc', ['purchases']],
    ['commands after global flags', 'gatectl --json -p news bda que', ['query']],
    ['flags', 'gatectl bda query --las', ['--last']],
    ['flags after a flag of several words', 'gatectl cdn purge --key a b --fil', ['--file']],
    ['flags after one that may stand alone', 'gatectl bda query --chart --las', ['--last']],
    ['choices', 'gatectl bda query --previous m', ['month']],
    ['choices after =', 'gatectl --output=nd', ['--output=ndjson']],
    ['files of a flag', 'gatectl cdn purge --file ur', ['urls.txt']],
    ['files after =', 'gatectl cdn purge --file=ur', ['--file=urls.txt']],
    ['a file argument', 'gatectl bda query qu', ['query.json']],
    ['no files elsewhere', 'gatectl cdn purge ur', []],
    ['no files for values of another kind', 'gatectl bda query --data-set qu', []],
    ['values of settings', 'gatectl profile set output nd', ['ndjson']],
    ['shells', 'gatectl completion po', ['powershell']],
    ['profiles', 'gatectl -p ', ['news', 'staging']],
    ['profiles as arguments', 'gatectl profile use st', ['staging']],
    ['settings', 'gatectl profile set time-z', ['time-zone']],
    ['the value of a setting is not a setting', 'gatectl profile set time-zone time-z', []],
    ['domains', 'gatectl cdn purge --domain ', ['example.com', 'example.org', 'staging.example.com']],
    ['data sets after =', 'gatectl bda query --data-set=pa', ['--data-set=pageview']],
    ['columns', 'gatectl bda query -d co', ['country']],
    ['columns after a comma', 'gatectl bda query -d country,d', ['country,device']],
    ['columns of a filter in quotes', "gatectl bda query --filter 'cou", ['country:', 'country=']],
    ['the direction of a sort', 'gatectl bda query --sort visits:d', ['visits:desc']],
    ['reports with blanks and quotes', 'gatectl bda report run T', ['Top "best" pages']],
    ['segments', 'gatectl bda report run --segment Mo', ['Mobile readers']],
    ['commands after help', 'gatectl help cdn pu', ['purge']],
    ['topics after help', 'gatectl help exi', ['exit-codes']],
    ['nothing for another profile', 'gatectl -p staging bda query -d co', []],
  ])('%s', async (_, line, expected) => {
    expect(await words(line)).toEqual(expected);
  });

  test('everything is offered with what it means', async () => {
    expect(await offered('gatectl cdn pi')).toEqual([`ping\t${await summaryOf('cdn ping')}`]);
    expect(await offered('gatectl bda query -d dev')).toEqual([
      "device\tThe reader's device: desktop, mobile or tablet (string)",
    ]);
    expect(await offered('gatectl cdn purge --dry')).toEqual([
      `--dry-run\t${await summaryOf('cdn purge', '--dry-run')}`,
    ]);
  });

  test('nothing was sent', () => expect(user.requests()).toBe(0));
});
