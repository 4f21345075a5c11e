import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder } from '../../../support/folder.ts';
import { run } from '../../../support/run.ts';
import { wireServer } from '../../../support/wire-server.ts';

const read = (path: string) => parse(readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8'));

/** Runs `cdn purge` with a summary, in GitHub Actions or elsewhere. */
async function purge(args: readonly string[], { error = '', env = {}, folder = temporaryFolder() } = {}) {
  const server = await wireServer(() => ({ body: JSON.stringify({ Success: error === '', Error: error }) }));
  onTestFinished(() => server.close());
  const path = join(folder, 'summary.md');
  if (existsSync(folder)) writeFileSync(path, 'before\n');
  const ran = await run(['cdn', 'purge', ...args, '--summary', path], {
    env: {
      GATECTL_BASE_URL: server.baseUrl,
      GATECTL_API_KEY: 'some-key',
      GATECTL_DOMAIN: 'example.com',
      GATECTL_CONFIG_DIR: temporaryFolder(),
      ...env,
    },
  });
  return { ...ran, summary: existsSync(path) ? readFileSync(path, 'utf8') : '' };
}

const GITHUB = { env: { GITHUB_ACTIONS: 'true' } };
const URLS = ['https://example.com/a', 'https://example.com/b'];

describe('cdn purge --summary', () => {
  test('appends the outcome as Markdown', async () => {
    const ran = await purge(URLS);
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(ran.summary).toBe(`before
### purged 2 URLs on example.com

| requested | cleared | failed |
| ---: | ---: | ---: |
| 2 | 2 | 0 |

`);
  });

  test('in GitHub Actions, one annotation names domain and count', async () => {
    expect((await purge(URLS, GITHUB)).stderr).toBe('::notice title=gatectl::purged 2 URLs on example.com\n');
    expect((await purge(['--all', '--yes'], GITHUB)).stderr).toBe(
      '::notice title=gatectl::purged everything on example.com\n',
    );
  });

  test('a failure is an error annotation', async () => {
    const ran = await purge(URLS, { ...GITHUB, error: 'no' });
    expect(ran.code).toBe(5);
    expect(ran.stderr).toContain('::error title=gatectl::purged 0 of 2 URLs on example.com\n');
  });

  test('so is a command line that sends nothing, once and on one line', async () => {
    const ran = await purge(['--changed', 'no\n100%'], GITHUB);
    expect(ran.code).toBe(9);
    expect(ran.stderr.match(/^::error.*$/gm)).toEqual(['::error title=gatectl::no such file: /no\\n100%25']);
    expect(ran.summary).toContain('### Purge failed\n');
  });

  test('a summary that cannot be written is an error before anything is sent', async () => {
    const ran = await purge(URLS, { folder: '/nowhere' });
    expect([ran.code, ran.stdout]).toEqual([9, '']);
    expect(ran.stderr).toContain('/nowhere');
  });
});

describe('the GitHub Action', () => {
  const { inputs, runs } = read('ci/github/action.yml');
  const script: string = runs.steps.find(({ name }: { name: string }) => name === 'Purge').run;

  /** The words with which the action calls gatectl. */
  function wordsOf(env: Readonly<Record<string, string>>): string[] {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin/gatectl'), '#!/bin/sh\nprintf "%s\\n" "$@"\n');
    chmodSync(join(folder, 'bin/gatectl'), 0o755);
    const output = execFileSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
      encoding: 'utf8',
      env: {
        PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
        DOMAIN: 'example.com',
        CHANGED: '',
        MAP: '',
        OPTIONS: '',
        GITHUB_RUN_NUMBER: '7',
        GITHUB_SHA: 'abc',
        GITHUB_STEP_SUMMARY: '/tmp/a b',
        ...env,
      },
    });
    return output.trimEnd().split('\n');
  }
  const ALWAYS = 'cdn purge --domain example.com --deploy 7 --or-all --yes --summary'.split(' ');

  test('purges the changes of a folder, with the number of the run', () => {
    expect(wordsOf({ CHANGED: 'my dist', MAP: 'map.yaml', OPTIONS: '--verify\n--max-impact 5%\n' })).toEqual([
      ...ALWAYS,
      '/tmp/a b',
      '--changed',
      'my dist',
      '--map',
      'map.yaml',
      '--verify',
      '--max-impact',
      '5%',
    ]);
  });

  test('without a folder, purges the changes of the commit', () => {
    expect(wordsOf({}).slice(-2)).toEqual(['--git', 'abc']);
  });

  test('runs nothing that an input contains', () => {
    expect(wordsOf({ CHANGED: '$(echo x)', OPTIONS: '$(echo y) `echo z`; *' }).slice(-7)).toEqual([
      '--changed',
      '$(echo x)',
      '$(echo',
      'y)',
      '`echo',
      'z`;',
      '*',
    ]);
    for (const { run: text = '' } of runs.steps) expect(text).not.toContain('${{');
  });

  test('installs without scripts, keeps the state after a failure too, and uses all inputs', () => {
    const text = JSON.stringify(runs.steps);
    for (const name of Object.keys(inputs)) expect(text).toContain(`inputs.${name} `);
    expect(text).toContain('npm install --global --ignore-scripts');
    const save = runs.steps.find(({ uses = '' }) => uses.startsWith('actions/cache/save'));
    expect(save.if).toBe('always()');
  });
});

test('the GitLab template fetches all commits, deploys one by one and keeps state and machine after a failure', () => {
  const job = read('ci/gitlab/purge.yml')['.gatectl-purge'];
  expect(job.variables.GIT_DEPTH).toBe('0');
  expect(job.cache).toMatchObject({
    when: 'always',
    paths: ['.gatectl-state/gatectl/confirmed', '.gatectl-state/gatectl/machine'],
  });
  expect(job.resource_group).toBe('gatectl-$GATECTL_DOMAIN');
  expect(job.script).toEqual([
    'gatectl cdn purge $GATECTL_PURGE --or-all --yes --summary gatectl-summary.md',
  ]);
});
