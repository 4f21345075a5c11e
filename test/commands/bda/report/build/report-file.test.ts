import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../support/folder.ts';
import { run } from '../../../../support/run.ts';
import { build, WEEKLY, withSections } from './report.ts';

interface Planned {
  readonly days: string;
  readonly compared: string;
  readonly query: { readonly limit: number };
}

const QUERY = '- query: {dimension: country, metric: visits}';

describe('a file that does not exist', () => {
  test.each([
    [['weekly.yaml', 'weekly.html'], 'weekly', 'did you mean weekly.yaml?'],
    [['monthly.yaml', 'rows.csv'], 'weekly', 'YAML files in its folder: monthly.yaml'],
    [['rows.csv'], 'weekly', 'to write one, type gatectl bda report init -m visits weekly.yaml'],
  ])('beside %j gives a hint for %s that can be typed', async (files, name, hint) => {
    const folder = temporaryFolder();
    for (const file of files) writeFileSync(join(folder, file), '');
    const path = join(folder, name);
    const { code, stderr } = await run(['bda', 'report', 'build', path, '--sandbox']);
    expect({ code, stderr: stderr.replaceAll(join(folder, '/'), '') }).toEqual({
      code: 9,
      stderr: `error: no such file: ${name}\n  ${hint}\n`,
    });
  });

  test.each([
    ['bda', 'watch'],
    ['bda', 'sync', 'run'],
    ['cdn', 'purge', '--domain', 'example.com', '--event', '/dev/null', '--map'],
    ['bda', 'query'],
  ])('gives the hint in gatectl %s %s too', async (...words) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'weekly.yaml'), '');
    const { stderr } = await run([...words, join(folder, 'weekly'), '--sandbox']);
    expect(stderr).toContain(`\n  did you mean ${join(folder, 'weekly.yaml')}?\n`);
  });
});

describe('a report file', () => {
  test.each<[string, string, string[]]>([
    ['that is empty', '', ['error: weekly.yaml:1:1: the report has no title', '  add title: TEXT']],
    [
      'that is not YAML',
      'title: [x\nsections: 1\n',
      [
        'error: weekly.yaml:2:1: not valid YAML: flow sequence in block collection must be sufficiently indented and end with a ]',
      ],
    ],
    [
      'with an unknown key',
      'titel: x\n',
      ['error: weekly.yaml:1:1: unknown setting "titel"', '  did you mean title?'],
    ],
    [
      'without sections',
      'title: x\n',
      [
        'error: weekly.yaml:1:1: the report has no sections',
        '  add sections: a list in which each item has text, query or why',
      ],
    ],
    [
      'with an unknown key of a query',
      withSections('- query:', '    metric: visits', '    dimensions: country'),
      ['error: weekly.yaml:6:7: unknown setting "dimensions"', '  did you mean dimension?'],
    ],
    [
      'with two kinds in one section',
      withSections('- text: x', '  why: {metric: visits}'),
      ['error: weekly.yaml:4:5: a section cannot have text and why', '  split it into two sections'],
    ],
    [
      'with a chart of a text',
      withSections('- text: x', '  chart: true'),
      ['error: weekly.yaml:5:12: a text has no chart', '  charts and tables belong to query and why'],
    ],
    [
      'with a value that its flag does not have',
      withSections('- query: {dimension: country, metric: visits, compare: prevous}'),
      [
        "error: weekly.yaml:4:58: cannot compare with 'prevous': not a period",
        '  pass previous or year, a period such as 2026-09 or 2026-Q3, or days as 2026-09-01..2026-09-14',
      ],
    ],
    [
      'with a word where a flag is on or off',
      withSections('- query: {metric: visits, include-today: maybe}'),
      ['error: weekly.yaml:4:44: include-today must be true or false'],
    ],
    [
      'with an unknown parameter',
      withSections(`- text: \${mnth}`).replace('title: T', 'title: T\nparameters: {month: 2026-02}'),
      ['error: weekly.yaml:5:11: there is no parameter "mnth"', `  did you mean \${month}?`],
    ],
    [
      'with a parameter that has no value',
      withSections(QUERY).replace('title: T', 'title: T\nparameters:\n  month:'),
      ['error: weekly.yaml:3:3: the parameter month has no value', '  pass --set month=VALUE'],
    ],
    [
      'with blind copies',
      withSections(QUERY).replace('title: T', 'title: T\nmail: {to: a@example.com, bcc: b@example.com}'),
      [
        'error: weekly.yaml:2:32: bcc would be readable in the file',
        '  name the recipient when you send it: sendmail -t ADDRESS',
      ],
    ],
    [
      'with a metric that is misspelled',
      withSections('- title: Visits', '  query: {dimension: country, metric: visist}'),
      [
        'error: weekly.yaml:4:5 (Visits): there is no column visist',
        '  did you mean visits? gatectl bda columns lists all',
      ],
    ],
    [
      'without days',
      `title: x\nsections:\n  - why: {metric: visits, data-set: pageview}\n`,
      [
        'error: weekly.yaml:3:5: the days are missing',
        '  pass last: 7d, previous: month, or from: DAY, to: DAY',
      ],
    ],
    [
      'that shows nothing',
      withSections(QUERY, '  table: false'),
      ['error: weekly.yaml:4:5: the section shows nothing', '  set chart: true, or omit table: false'],
    ],
  ])('%s is rejected with line and column before a figure is requested', async (_, text, lines) => {
    const { code, stdout, stderr, requests } = await build(text, [], { name: 'weekly.html' });
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: `${lines.join('\n')}\n` });
    expect(requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  test.each<[string[], string[]]>([
    [
      ['--set', 'sit=x'],
      ['error: --set sit: the report has no parameter of this name', '  did you mean --set site=VALUE?'],
    ],
    [
      ['--set', 'site'],
      ["error: invalid --set 'site'", '  type --set NAME=VALUE, such as --set month=2026-10'],
    ],
    [
      ['--set', 'site=a', '--set', 'site=b'],
      ['error: --set site occurs twice', '  pass one value'],
    ],
    [
      ['--set', 'site=a\nBcc: x@example.com'],
      ['error: the parameter site contains a control character or a line break'],
    ],
  ])('%j is rejected', async (args, lines) => {
    const { code, stderr } = await build(WEEKLY, args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: `${lines.join('\n')}\n` });
  });

  test.each<[string, string[]]>([
    [
      'weekly.txt',
      ['error: cannot detect the format of weekly.txt', '  use .html, .xlsx, .eml or .md, or pass --format'],
    ],
    [
      'weekly.htm',
      [
        'error: cannot detect the format of weekly.htm',
        '  did you mean .html? The formats are .html, .xlsx, .eml and .md',
      ],
    ],
  ])('cannot become %s', async (name, lines) => {
    const { code, stderr, requests } = await build(WEEKLY, [], { name });
    expect({ code, stderr, requests }).toEqual({ code: 2, stderr: `${lines.join('\n')}\n`, requests: [] });
  });

  test('inserts parameters into texts, where two dollar signs stand for one', async () => {
    const text = withSections(`- text: \${a}-\${b}-$\${a}-$5`).replace(
      'title: T',
      'title: T\nparameters: {a: 1, b: 2026-02}',
    );
    const { stdout } = await build(text, ['--set', `a=\${b}`]);
    expect(stdout).toBe(`# T\n\n\${b}-2026-02-\${a}-$5\n`);
  });

  test('gives its defaults to the sections, except other days and keys that they do not have', async () => {
    const text = withSections(
      '- query: {dimension: country, metric: visits}',
      '- query: {dimension: country, metric: visits, month: 2026-02}',
    ).replace('defaults: {', 'defaults: {limit: 5, compare: previous, depth: 2, ');
    const { stdout, code } = await build(text, ['--dry-run', '-o', 'json']);
    expect(code).toBe(0);
    expect(
      JSON.parse(stdout).map(({ days, compared, query }: Planned) => [days, compared, query.limit]),
    ).toEqual([
      ['2026-03-07 to 2026-03-13', '2026-02-28 to 2026-03-06', 5],
      ['2026-02-01 to 2026-02-28', '2026-01-01 to 2026-01-31', 5],
    ]);
  });
});
