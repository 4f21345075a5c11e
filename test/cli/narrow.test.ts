import { describe, expect, test } from 'vitest';
import { run } from '../support/run.ts';

const narrow = (...args: string[]) => run(args, { columns: 40, env: { NO_COLOR: '1' } });
const wider = (text: string) => text.split('\n').filter(line => line.length > 40);

describe('on a terminal of 40 columns', () => {
  test('errors, advice, notes and warnings break between words', async () => {
    expect(
      (await narrow('products', 'a@example.com', '--base-url', 'https://gateway.example.com')).stderr,
    ).toBe(
      [
        'error: the domain is missing',
        '  type --domain DOMAIN, set',
        '    GATECTL_DOMAIN, or store it: gatectl',
        '    profile set domain DOMAIN',
        '',
      ].join('\n'),
    );
    const purge = ['cdn', 'purge', 'https://example.com/a', 'https://example.com/a#b', '--sandbox'];
    expect((await narrow(...purge)).stderr).toBe(
      [
        'note: skipped 1 repeated URL',
        'note: removed 1 fragment: fragments',
        '  never reach a cache',
        '',
      ].join('\n'),
    );
  });

  test('an error for programs stays on one line', async () => {
    const { stderr } = await narrow('products', '--email', 'a@example.com', '--json');
    expect(JSON.parse(stderr)).toMatchObject({ error: { exit: 2 } });
    expect(stderr.trimEnd()).not.toContain('\n');
  });

  test('help is printed below its flags, and breaks between words', async () => {
    const { stdout } = await narrow('access', '--help');
    expect(stdout).toContain('  --product <handles>\n      product handles, separated by');
    const [usage, ...prose] = stdout.slice(0, stdout.indexOf('\nExamples:')).split('\n');
    expect(usage).toBe('Usage: gatectl access [options] [email...]');
    expect(wider(prose.join('\n'))).toEqual([]);
  });
});

test('a terminal that reports 0 columns and rows is one of 80 columns, without a pager', async () => {
  const words = ['access', 'suspended@example.com', '--product', 'premium,sports,archive', '--sandbox'];
  const env = { NO_COLOR: '1', PAGER: 'less' };
  for (const args of [
    words,
    ['access', '--help'],
    ['access', 'nobody', '--product', 'premium', '--sandbox'],
  ]) {
    const wide = await run(args, { columns: 80, env });
    expect(await run(args, { columns: 0, rows: 0, env })).toEqual(wide);
    expect(wide.stdout + wide.stderr).toMatch(/ /);
  }
});
