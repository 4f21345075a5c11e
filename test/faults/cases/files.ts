import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { fillUp, smallDisk } from '../../support/small-disk.ts';
import { type Received, type Reply, wireServer } from '../../support/wire-server.ts';
import type { FaultCase, FaultGroup, Skip } from '../fault-case.ts';
import { ASKING, ask, goodAnswer, tryAnswer } from '../trial.ts';

const ROWS = Array.from({ length: 60 }, (_, i) => `{"id":${i},"text":"${'x'.repeat(1000)}"}`);
const EXPORT = [
  ...[
    'bda',
    'query',
    '--data-set',
    'pageview',
    '-d',
    'id,text',
    '--from',
    '2026-02-01',
    '--to',
    '2026-02-28',
  ],
  ...['--all', '--page-size', '20'],
];
const EXPORTED = `id,text\n${ROWS.map((_, i) => `${i},${'x'.repeat(1000)}\n`).join('')}`;

function rows({ body }: Received): Reply {
  const { limit = 100, offset = 0 } = JSON.parse(body || '{}') as { limit?: number; offset?: number };
  return { body: `{"rows":[${ROWS.slice(offset, offset + limit).join(',')}],"total_rows":${ROWS.length}}` };
}

function onDisk(
  told: Pick<FaultCase, 'fault' | 'does' | 'exit'>,
  kilobytes: number,
  attempt: (disk: string) => ReturnType<FaultCase['attempt']>,
): FaultCase {
  return { ...told, attempt: skip => attempt(smallDisk(kilobytes, skip)) };
}

/** A stdout of which the system says that it takes nothing. */
function deadStdout(what: string, code: string, says: string): FaultCase {
  return {
    fault: `stdout is ${what}`,
    does: 'reports that the output was not written',
    exit: 9,
    async attempt() {
      const stdout = new Writable({
        write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })),
      });
      const ran = await tryAnswer(ASKING.listing, () => ({ body: goodAnswer('listing') }), { stdout });
      expect(ran.stderr).toBe(`error: cannot write to stdout: ${says}\n`);
      return ran;
    },
  };
}

/** A target for --out in a folder, with the old file that must survive. */
function target(
  told: Pick<FaultCase, 'fault' | 'does'>,
  says: RegExp,
  prepare: (out: string, folder: string, skip: Skip) => void,
  left: readonly string[],
): FaultCase {
  return {
    ...told,
    exit: 9,
    async attempt(skip) {
      const folder = temporaryFolder();
      const out = join(folder, 'rows.csv');
      prepare(out, folder, skip);
      const ran = await tryAnswer([...EXPORT, '--out', out], rows);
      expect(ran.stderr).toMatch(says);
      expect(readdirSync(folder).sort()).toEqual(left);
      return ran;
    },
  };
}

const nobody = 65_534;

export const files: FaultGroup = {
  title: 'Files, disks and pipes',
  cases: [
    onDisk(
      {
        fault: 'the disk is full during an export',
        does: 'keeps the old file and the complete pages; --resume continues once there is space',
        exit: 9,
      },
      48,
      async disk => {
        const out = join(disk, 'rows.csv');
        writeFileSync(out, 'the old file');
        const server = await wireServer(rows);
        onTestFinished(() => server.close());
        const ran = await ask(server.baseUrl, [...EXPORT, '--out', out]);
        expect(ran.stderr).toMatch(
          /20 rows in 1 page are kept in .*\n(?:.*\n)*error: the disk is full after \d+ bytes/,
        );
        expect(readFileSync(out, 'utf8')).toBe('the old file');
        execFileSync('mount', ['-o', 'remount,size=1m', disk]);
        const resumed = await ask(server.baseUrl, [...EXPORT, '--out', out, '--resume']);
        expect(resumed.code, resumed.stderr).toBe(0);
        expect(readFileSync(out, 'utf8')).toBe(EXPORTED);
        expect(readdirSync(disk)).toEqual(['rows.csv']);
        return ran;
      },
    ),
    onDisk(
      {
        fault: 'the disk is full during a purge',
        does: 'stops; --resume purges again only what was purged since the journal was last written',
        exit: 9,
      },
      64,
      async disk => {
        const urls = Array.from({ length: 300 }, (_, i) => `https://example.com/${i}`);
        const env = { GATECTL_CONFIG_DIR: join(disk, 'home') };
        let fill = true;
        const cleared: string[] = [];
        const server = await wireServer(({ body }) => {
          cleared.push(...(JSON.parse(body).urls as string[]));
          if (fill) fillUp(disk);
          fill = false;
          return { body: goodAnswer('purge') };
        });
        onTestFinished(() => server.close());
        const asked = ['cdn', 'purge', '--file', '-', '--concurrency', '1'];
        const ran = await ask(server.baseUrl, asked, { env, input: urls.join('\n') });
        expect(ran.stderr).toContain('the disk is full');
        expect(cleared.length).toBe(100);
        execFileSync('mount', ['-o', 'remount,size=1m', disk]);
        const resumed = await ask(server.baseUrl, ['cdn', 'purge', '--resume'], { env });
        expect(resumed.code, resumed.stderr).toBe(0);
        expect(new Set(cleared)).toEqual(new Set(urls));
        expect(cleared.length).toBe(400);
        return ran;
      },
    ),
    onDisk(
      {
        fault: 'no space for the journal of a purge',
        does: 'reports that nothing was sent, and which folder to change',
        exit: 9,
      },
      64,
      async disk => {
        const home = join(disk, 'home');
        mkdirSync(join(home, 'state/purges'), { recursive: true, mode: 0o700 });
        fillUp(disk);
        const urls = Array.from({ length: 3000 }, (_, i) => `https://example.com/${i}`);
        const ran = await tryAnswer(['cdn', 'purge', '--file', '-'], () => ({ body: goodAnswer('purge') }), {
          env: { GATECTL_CONFIG_DIR: home, TMPDIR: disk },
          input: urls.join('\n'),
        });
        expect(ran.stderr).toContain('cannot store the progress of the purge, and nothing was sent: ');
        expect(ran.stderr).toContain('XDG_STATE_HOME for interrupted purges');
        expect(ran.requests).toBe(0);
        expect(readdirSync(join(home, 'state/purges'))).toEqual([]);
        return ran;
      },
    ),
    onDisk(
      {
        fault: 'no space for a list of failed URLs (--failed-file)',
        does: 'prints the failed URLs, then reports that the file was not written',
        exit: 9,
      },
      4,
      async disk => {
        fillUp(disk);
        const failed = join(disk, 'failed.txt');
        const ran = await tryAnswer(
          ['cdn', 'purge', 'https://example.com/a', '--failed-file', failed],
          () => ({
            body: '{"Success":false,"Error":"not that one"}',
          }),
        );
        expect(ran.stdout).toContain('https://example.com/a  not that one');
        expect(ran.stderr).toContain('the disk is full');
        expect(existsSync(failed)).toBe(false);
        return ran;
      },
    ),
    onDisk(
      { fault: 'no space for the profiles file', does: 'keeps the old file', exit: 9 },
      12,
      async disk => {
        const env = { GATECTL_CONFIG_DIR: join(disk, 'config') };
        const add = (name: string) =>
          ask('', ['profile', 'add', name, '--base-url', 'https://gateway.example.com'], { env });
        expect((await add('one')).code).toBe(0);
        const before = readFileSync(join(disk, 'config/config.json'), 'utf8');
        fillUp(disk);
        const ran = await add('two');
        expect(readFileSync(join(disk, 'config/config.json'), 'utf8')).toBe(before);
        return ran;
      },
    ),
    {
      fault: 'a read-only file system',
      does: 'names the file',
      exit: 9,
      async attempt(skip) {
        const disk = smallDisk(64, skip, ',ro');
        const ran = await tryAnswer([...EXPORT, '--out', join(disk, 'rows.csv')], rows);
        expect(ran.stderr).toContain('the file system is read-only');
        return ran;
      },
    },
    deadStdout('a full disk', 'ENOSPC', 'the disk is full'),
    deadStdout('not open for writing', 'EBADF', 'it is not open for writing'),
    {
      fault: 'the reader of stdout exits (`| head`)',
      does: 'stops sending requests, without a message',
      exit: 0,
      async attempt() {
        const stdout = new Writable({
          write: (_chunk, _encoding, done) => done(Object.assign(new Error('EPIPE'), { code: 'EPIPE' })),
        });
        const ran = await tryAnswer([...EXPORT, '-o', 'ndjson'], rows, { stdout });
        expect(ran.stderr).toBe('');
        expect(ran.requests).toBeLessThan(3);
        return ran;
      },
    },
    target(
      { fault: 'the target is a folder', does: 'names the folder' },
      /rows\.csv is a folder, not a file/,
      out => mkdirSync(out),
      ['rows.csv'],
    ),
    target(
      { fault: "the target is another user's link", does: 'does not change it' },
      /links to another user's file, or another user created the link/,
      (out, folder, skip) => {
        writeFileSync(join(folder, 'precious'), 'precious');
        symlinkSync('precious', out);
        chownLink(out, skip);
      },
      ['precious', 'rows.csv'],
    ),
    target(
      { fault: "the target is a link to another user's file", does: 'does not change it' },
      /links to another user's file, or another user created the link/,
      (out, folder, skip) => {
        writeFileSync(join(folder, 'precious'), 'precious');
        symlinkSync('precious', out);
        chownLink(join(folder, 'precious'), skip);
      },
      ['precious', 'rows.csv'],
    ),
    target(
      { fault: 'links that form a loop', does: 'names the file' },
      /too many symbolic links/,
      (out, folder) => {
        symlinkSync('rows.csv', join(folder, 'other'));
        symlinkSync('other', out);
      },
      ['other', 'rows.csv'],
    ),
    target(
      { fault: 'a link instead of the partial file', does: 'does not follow it' },
      /too many symbolic links|is in the way|cannot write/,
      (out, folder) => {
        writeFileSync(join(folder, 'precious'), 'precious');
        symlinkSync('precious', `${out}.part`);
      },
      ['precious', 'rows.csv.part'],
    ),
    target(
      { fault: 'a FIFO in place of the unfinished file', does: 'does not open it, and does not hang' },
      /rows\.csv\.part: it is not a regular file/,
      out => execFileSync('mkfifo', [`${out}.part`]),
      ['rows.csv.part'],
    ),
    target(
      { fault: "another user's unfinished file", does: 'does not change it' },
      /rows\.csv\.part: it belongs to another user/,
      (out, _, skip) => {
        writeFileSync(`${out}.part`, '');
        chownLink(`${out}.part`, skip);
      },
      ['rows.csv.part'],
    ),
    {
      fault: 'the checkpoint of a partial file was changed',
      does: 'does not resume it; --no-resume starts again',
      exit: 9,
      async attempt() {
        const out = join(temporaryFolder(), 'rows.csv');
        const cut = (request: Received): Reply =>
          JSON.parse(request.body).offset > 0 ? { status: 400, body: '{}' } : rows(request);
        expect((await tryAnswer([...EXPORT, '--out', out], cut)).code).toBe(5);
        const notes = `${out}.part.json`;
        writeFileSync(notes, readFileSync(notes, 'utf8').replace('"rows": 20', '"rows": 19'));
        const ran = await tryAnswer([...EXPORT, '--out', out, '--resume'], rows);
        expect(ran.stderr).toContain('to start again, add --no-resume');
        return ran;
      },
    },
    {
      fault: 'a file to read is not there, is a folder, or may not be read',
      does: 'names it',
      exit: 9,
      async attempt() {
        const folder = temporaryFolder();
        for (const path of [folder, join(folder, 'none'), join(folder, 'none/none')]) {
          for (const flags of [
            ['cdn', 'purge', '--file', path],
            ['cdn', 'purge', '--sitemap', path],
            ['cdn', 'purge', '--key-file', path],
            ['access', '--product', 'a', '--from-file', path],
            ['bda', 'query', path],
          ]) {
            const each = await tryAnswer(flags, () => ({ body: '{}' }));
            expect({ code: each.code, requests: each.requests }, each.stderr).toEqual({
              code: 9,
              requests: 0,
            });
            expect(each.stderr).toContain(path);
          }
        }
        return await tryAnswer(['cdn', 'purge', '--file', join(folder, 'none')], () => ({ body: '{}' }));
      },
    },
  ],
};

function chownLink(path: string, skip: Skip): void {
  try {
    execFileSync('chown', ['-h', `${nobody}:${nobody}`, path], { stdio: 'pipe' });
  } catch {
    skip('a file can only be given away by root');
  }
}
