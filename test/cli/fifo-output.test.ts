import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { run } from '../support/run.ts';

const QUERY = ['--data-set', 'pageview', '-m', 'visits', '-d', 'country', '--last', '3d'];
const REPORT = `title: Pages\nsections:\n  - query:\n      data-set: pageview\n      metric: visits\n      dimension: country\n      last: 3d\n`;

/** Every command that writes to a file it is given, and what its FIFO is called. */
const COMMANDS: readonly [
  name: string,
  args: (out: string, folder: string) => readonly string[],
  file: string,
][] = [
  ['bda query --out', out => ['bda', 'query', ...QUERY, '--out', out], 'rows.csv'],
  ['bda query --chart', out => ['bda', 'query', ...QUERY, '--chart', out], 'chart.svg'],
  [
    'bda report run --out',
    out => ['bda', 'report', 'run', 'Pages', '--last', '3d', '--out', out],
    'rows.csv',
  ],
  [
    'bda report build --out',
    (out, folder) => ['bda', 'report', 'build', join(folder, 'report.yaml'), '--out', out],
    'report.html',
  ],
  [
    'bda sql --out',
    (out, folder) => ['bda', 'sql', 'SELECT * FROM rows', join(folder, 'rows.csv'), '--out', out],
    'sql.csv',
  ],
  [
    'bda migrate-query --run --out',
    out => ['bda', 'migrate-query', '--report', 'Pages', '--last', '3d', '--run', '--out', out],
    'rows.csv',
  ],
  [
    'bda migrate-query --notes',
    out => ['bda', 'migrate-query', '--report', 'Pages', '--last', '3d', '--notes', out],
    'notes.json',
  ],
  [
    'access audit --out',
    (out, folder) => [
      'access',
      'audit',
      '--from-file',
      join(folder, 'readers.csv'),
      '--product',
      'premium',
      '--out',
      out,
    ],
    'audit.csv',
  ],
  [
    'cdn purge --summary',
    out => ['cdn', 'purge', 'https://www.example.com/a', '--summary', out],
    'summary.md',
  ],
  ['doctor --bundle', out => ['doctor', '--bundle', out], 'bundle.json'],
];

function place(file: string): { readonly folder: string; readonly fifo: string } {
  const folder = temporaryFolder();
  const fifo = join(folder, `out-${file}`);
  execFileSync('mkfifo', [fifo]);
  writeFileSync(join(folder, 'report.yaml'), REPORT);
  writeFileSync(join(folder, 'rows.csv'), 'country,visits\nES,1\n');
  writeFileSync(join(folder, 'readers.csv'), 'email\nactive@example.com\n');
  return { folder, fifo };
}

async function printed(args: readonly string[], folder: string): Promise<string> {
  const { stderr } = await run([...args, '--sandbox'], { cwd: folder, homedir: folder });
  return stderr;
}

describe.runIf(process.platform !== 'win32')('a FIFO as the file to write', () => {
  test('without a reader every command refuses it', async () => {
    const tried = COMMANDS.map(async ([name, args, file]) => {
      const { folder, fifo } = place(file);
      const stderr = await printed(args(fifo, folder), folder);
      return [
        name,
        stderr.includes(`cannot write ${fifo}: no process reads this pipe`) || stderr,
        lstatSync(fifo).isFIFO(),
      ];
    });
    expect(await Promise.all(tried)).toEqual(COMMANDS.map(([name]) => [name, true, true]));
  });

  test.each(COMMANDS)('%s: a reader gets all of it', async (_, args, file) => {
    const { folder, fifo } = place(file);
    const reader = execa('cat', [fifo], { reject: false });
    const stderr = await printed(args(fifo, folder), folder);
    // Otherwise the reader waits for ever.
    if (/^error/m.test(stderr)) reader.kill();
    const { stdout } = await reader;
    expect({ stderr, isThere: stdout.length > 10 }).toEqual({
      stderr: expect.not.stringMatching(/^error/m),
      isThere: true,
    });
    expect(existsSync(`${fifo}.part`)).toBe(false);
  });
});
