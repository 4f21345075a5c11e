import { execFileSync } from 'node:child_process';
import dns from 'node:dns';
import { existsSync, mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { type InProcess, run } from '../../support/run.ts';
import { wireServer } from '../../support/wire-server.ts';
import type { FaultCase, FaultGroup } from '../fault-case.ts';
import { ASKING, goodAnswer, KEY, tryAnswer } from '../trial.ts';

type Resolved = (error: null, found: dns.LookupAddress[]) => void;
type Told = Pick<FaultCase, 'fault' | 'does' | 'exit'>;

/** `--resume` of a purge of 900 URLs of which 300 were cleared, after a change; the purge must still be there. */
function resumed(
  told: Told,
  says: string,
  {
    change = () => {},
    args = [],
    env = {},
  }: {
    readonly change?: (journal: string) => void;
    readonly args?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  },
): FaultCase {
  return {
    ...told,
    async attempt() {
      const home = temporaryFolder();
      const server = await wireServer((_, index) =>
        index < 3 ? { body: goodAnswer('purge') } : { status: 401, body: '{}' },
      );
      onTestFinished(() => server.close());
      const own = {
        GATECTL_BASE_URL: server.baseUrl,
        GATECTL_API_KEY: KEY,
        GATECTL_DOMAIN: 'example.com',
        GATECTL_CONFIG_DIR: home,
      };
      const input = Array.from({ length: 900 }, (_, i) => `https://example.com/${i}`).join('\n');
      const first = await run(['cdn', 'purge', '--file', '-', '--concurrency', '1'], { env: own, input });
      expect(first.code, first.stderr).toBe(4);
      const requests = server.received.length;
      const purges = join(home, 'state/purges');
      const [name = ''] = readdirSync(purges).filter(file => !file.endsWith('.lock'));
      change(join(purges, name));
      const ran = await run(['cdn', 'purge', '--resume', ...args], { env: { ...own, ...env } });
      expect(ran.stderr).toContain(says);
      expect(server.received.length).toBe(requests);
      expect(existsSync(join(purges, name, 'urls'))).toBe(true);
      return ran;
    },
  };
}

/** A command with an environment of its own, tried against a server that responds well. */
function surrounded(
  told: Told,
  says: string,
  args: readonly string[],
  reply: string,
  prepare: (folder: string) => Readonly<Record<string, string>>,
  verify: (ran: InProcess) => void = () => {},
): FaultCase {
  return {
    ...told,
    async attempt() {
      const folder = temporaryFolder();
      const env = { GATECTL_CONFIG_DIR: folder, ...prepare(folder) };
      const ran = await tryAnswer(args, () => ({ body: reply }), { env });
      expect(ran.stderr).toContain(says);
      verify(ran);
      return ran;
    },
  };
}

const PROFILES = {
  version: 1,
  current: 'news',
  profiles: {
    news: {
      'base-url': 'https://gateway.example.com',
      key: { kind: 'config', 'api-key': 'some-other-key', origin: 'https://gateway.example.com' },
    },
  },
};

export const state: FaultGroup = {
  title: 'Damaged state, other accounts and unusual environments',
  cases: [
    resumed(
      {
        fault: 'the journal of an interrupted purge is damaged',
        does: 'names the journal and keeps it; purges nothing',
        exit: 9,
      },
      'is damaged',
      { change: journal => truncateSync(join(journal, 'urls'), 5000) },
    ),
    resumed(
      {
        fault: '--resume of a purge that was started with another API key',
        does: 'rejects it, and prints how to resume it',
        exit: 2,
      },
      'was started with another API key',
      { env: { GATECTL_API_KEY: 'key-of-somebody-else' } },
    ),
    resumed(
      {
        fault: '--resume of a purge of another domain',
        does: 'rejects it and names the domain to use',
        exit: 2,
      },
      'is of the domain example.com',
      { args: ['--domain', 'example.org'] },
    ),
    {
      fault: 'the base URL of a profile with a stored key changes to another origin',
      does: 'requires the key again, or --move-key-from; sends the key nowhere until then',
      exit: 2,
      async attempt() {
        const folder = temporaryFolder();
        writeFileSync(join(folder, 'config.json'), JSON.stringify(PROFILES), { mode: 0o600 });
        const args = ['profile', 'set', 'base-url', 'https://elsewhere.example.com'];
        const ran = await run(args, { env: { GATECTL_CONFIG_DIR: folder } });
        expect(ran.stderr).toContain('was stored for https://gateway.example.com and is not sent to');
        return ran;
      },
    },
    {
      fault: 'a killed process left a copy of the profiles file with its key',
      does: 'removes it at the next change; doctor reports it until then',
      exit: 0,
      async attempt() {
        const folder = temporaryFolder();
        const stray = join(folder, 'config.json.tmp-0123456789abcdef');
        writeFileSync(join(folder, 'config.json'), JSON.stringify(PROFILES), { mode: 0o600 });
        writeFileSync(stray, JSON.stringify(PROFILES), { mode: 0o600 });
        const env = { GATECTL_CONFIG_DIR: folder };
        expect((await run(['doctor', '--sandbox'], { env })).stdout).toContain(stray);
        const ran = await run(['profile', 'add', 'p', '--base-url', 'https://gateway.example.com'], { env });
        expect(existsSync(stray)).toBe(false);
        return ran;
      },
    },
    surrounded(
      { fault: 'a TZ that is empty or names no time zone', does: 'uses UTC, with a note', exit: 0 },
      'TZ=Nowhere/Atall is not a time zone; using UTC',
      [...ASKING.query.slice(0, -2), '--last', '7d'],
      goodAnswer('query'),
      () => {
        // What Node says of such a TZ, which it reads from its own environment.
        const { resolvedOptions } = Intl.DateTimeFormat.prototype;
        const spy = vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions');
        onTestFinished(() => spy.mockRestore());
        spy.mockImplementation(function (this: Intl.DateTimeFormat) {
          return { ...resolvedOptions.call(this), timeZone: 'Etc/Unknown' };
        });
        return { TZ: 'Nowhere/Atall' };
      },
    ),
    surrounded(
      { fault: 'HTTP_PROXY, and a gateway on this machine', does: 'connects without the proxy', exit: 0 },
      '',
      ASKING.access,
      goodAnswer('access'),
      () => ({ HTTP_PROXY: 'http://127.0.0.1:9', http_proxy: 'http://127.0.0.1:9' }),
    ),
    {
      fault: 'a name below localhost that resolves to another machine, over plain http',
      does: 'rejects it before the key is sent: the address of the connection decides',
      exit: 2,
      async attempt() {
        const spy = vi
          .spyOn(dns, 'lookup')
          .mockImplementation(((_: string, __: object, done: Resolved) =>
            done(null, [{ address: '192.0.2.7', family: 4 }])) as unknown as typeof dns.lookup);
        syncBuiltinESMExports();
        onTestFinished(() => {
          spy.mockRestore();
          syncBuiltinESMExports();
        });
        const env = { GATECTL_BASE_URL: 'http://gateway.localhost:9', GATECTL_API_KEY: KEY };
        const ran = await run([...ASKING.access, '--domain', 'example.com'], { env });
        expect(ran.stderr).toContain('gateway.localhost is 192.0.2.7 here, another machine');
        return ran;
      },
    },
    surrounded(
      {
        fault: 'a key file that is a FIFO without a writer',
        does: 'waits for one second, then reports that it is empty',
        exit: 4,
      },
      'is empty',
      ASKING.access,
      goodAnswer('access'),
      folder => {
        const path = join(folder, 'key');
        execFileSync('mkfifo', [path]);
        const key = { kind: 'file', path, origin: 'http://127.0.0.1:9' };
        const profiles = { news: { 'base-url': 'http://127.0.0.1:9', key } };
        writeFileSync(join(folder, 'config.json'), JSON.stringify({ version: 1, profiles }), { mode: 0o600 });
        return { GATECTL_API_KEY: '', GATECTL_BASE_URL: '', GATECTL_PROFILE: 'news' };
      },
    ),
    surrounded(
      { fault: 'a --jq filter whose output does not fit into memory', does: 'reports it', exit: 2 },
      '--jq',
      [...ASKING.access, '--jq', '"x"*1000000000'],
      goodAnswer('access'),
      () => ({}),
    ),
    {
      fault: 'temporary files of a killed export',
      does: 'removes them at the next export to the same file; doctor reports them until then',
      exit: 0,
      async attempt() {
        const cwd = temporaryFolder();
        const left = '.rows.parquet.0123456789ab.tmp';
        writeFileSync(join(cwd, left), 'x');
        expect((await run(['doctor', '--sandbox'], { cwd })).stdout).toContain(
          `${left} (1 B), left by a process`,
        );
        const out = join(cwd, 'rows.parquet');
        const ran = await tryAnswer([...ASKING.query, '--out', out, '--quiet'], () => ({
          body: goodAnswer('query'),
        }));
        expect(readdirSync(cwd)).toEqual(['rows.parquet']);
        return ran;
      },
    },
    surrounded(
      {
        fault: 'a cell of three megabytes in a table',
        does: 'does not pad other rows to its width',
        exit: 0,
      },
      '',
      ASKING.query,
      `{"rows":[{"id":1,"visits":"${'x'.repeat(3_000_000)}"},${Array.from({ length: 99 }, (_, i) => `{"id":${i},"visits":1}`).join()}],"total_rows":100}`,
      () => ({}),
      ({ stdout }) => expect(stdout.length).toBeLessThan(3_100_000),
    ),
    {
      fault: 'a HOME that is not an absolute path',
      does: 'ignores it: it would be a different folder in each working directory',
      exit: 2,
      async attempt() {
        const cwd = temporaryFolder();
        const add = ['profile', 'add', 'p', '--base-url', 'https://gateway.example.com'];
        const ran = await run(add, { cwd, homedir: 'relative' });
        expect(readdirSync(cwd)).toEqual([]);
        return ran;
      },
    },
    {
      fault: 'a response that is not UTF-8',
      does: 'rejects it',
      exit: 6,
      async attempt() {
        const body = Buffer.concat([
          Buffer.from('{"success":true,"data":["'),
          Buffer.from([0xff]),
          Buffer.from('"]}'),
        ]);
        const ran = await tryAnswer(['products', '--email', 'a@example.com'], () => ({ body }));
        expect(ran.stderr).toContain('not valid UTF-8');
        return ran;
      },
    },
    {
      fault: 'a list of readers that is not UTF-8',
      does: 'names the file; nothing is sent',
      exit: 2,
      async attempt() {
        const path = join(temporaryFolder(), 'readers.txt');
        writeFileSync(path, Buffer.from([0x61, 0x40, 0xff, 0x2e, 0x65, 0x0a]));
        const ran = await tryAnswer(['access', '--product', 'p', '--from-file', path], () => ({
          body: '{}',
        }));
        expect(ran.stderr).toContain(path);
        expect(ran.requests).toBe(0);
        return ran;
      },
    },
    {
      fault: 'an invisible character inside a pasted address',
      does: 'names the character and its position; around an address it is removed with a note',
      exit: 2,
      async attempt() {
        const access = ['access', '--product', 'p', '--email'];
        const around = await tryAnswer([...access, '\u201creader@example.com\u200b'], () => ({
          body: goodAnswer('access'),
        }));
        expect(around.code, around.stderr).toBe(0);
        expect(around.stderr).toMatch(/^note: removed /);
        const ran = await tryAnswer([...access, 'rea\u200bder@example.com'], () => ({ body: '{}' }));
        expect(ran.stderr).toContain('U+200B (zero width space)');
        expect(ran.requests).toBe(0);
        return ran;
      },
    },
    {
      fault: 'a key command fails and prints the key to stderr',
      does: 'prints its output without the key',
      exit: 4,
      async attempt() {
        const folder = temporaryFolder();
        mkdirSync(join(folder, 'bin'));
        const script = `console.log("${KEY}"); console.error("vault is locked, ${KEY}"); process.exitCode = 3`;
        const key = { kind: 'command', argv: [process.execPath, '-e', script], origin: 'http://127.0.0.1:9' };
        const profiles = { news: { 'base-url': 'http://127.0.0.1:9', key } };
        const file = { version: 1, current: 'news', profiles };
        writeFileSync(join(folder, 'config.json'), JSON.stringify(file), { mode: 0o600 });
        const env = { GATECTL_CONFIG_DIR: folder, GATECTL_DOMAIN: 'example.com' };
        const ran = await run(ASKING.access, { env });
        expect(ran.stderr).toContain('vault is locked, ***');
        return ran;
      },
    },
  ],
};
