import { PassThrough, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Logger } from '../../src/cli/logger.ts';
import type { Globals } from '../../src/commands/framework/context.ts';
import { BrokenPipeError, type Signal } from '../../src/errors/index.ts';
import type { Clock } from '../../src/http/clock.ts';
import type { Io } from '../../src/terminal/io.ts';
import { run } from '../support/run.ts';

const ENV = { TERM: 'xterm', LANG: 'C.UTF-8', NO_COLOR: '1' };
const LONG = ['bda', 'columns', '--sandbox'];
const SHORT = ['access', 'active@example.com', '--product', 'premium', '--sandbox'];
const MANY_ROWS = [
  ...['bda', 'query', '--data-set', 'pageview', '-d', 'page_url', '-m', 'visits'],
  ...['--from', '2026-03-01', '--to', '2026-03-01', '--csv', '--sandbox'],
];

/** A pager that keeps what it is given. The person leaves it when its input ends, or after so many writes. */
function pager({ leavesAfter = Number.POSITIVE_INFINITY }: { leavesAfter?: number } = {}) {
  const seen = { text: '', words: [] as readonly string[], env: {} as Io['env'], opened: 0 };
  let writes = 0;
  let leave = () => {};
  const ended = new Promise<void>(resolve => {
    leave = resolve;
  });
  const openPager: Io['openPager'] = async (words, env) => {
    Object.assign(seen, { words, env, opened: seen.opened + 1 });
    return {
      ended,
      async write(text) {
        if (writes >= leavesAfter) throw new BrokenPipeError();
        writes += 1;
        seen.text += text;
        if (writes >= leavesAfter) leave();
      },
      async close() {
        leave();
        await ended;
      },
    };
  };
  return { seen, openPager };
}

type Options = NonNullable<Parameters<typeof run>[1]>;
const onTerminal = (args: readonly string[], options: Options) =>
  run(args, { columns: 80, rows: 24, ...options, env: { ...ENV, ...options.env } });

describe('on a terminal', () => {
  test('output that exceeds the screen goes to less, with its usual options and without keys and tokens', async () => {
    const { seen, openPager } = pager();
    const env = { GATECTL_API_KEY: 'canary-key-4711', GATECTL_READER_TOKEN: 'canary-token' };
    const ran = await onTerminal(LONG, { openPager, env });
    expect(ran).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(seen.text).toBe((await onTerminal([...LONG, '--no-pager'], {})).stdout);
    expect(seen).toMatchObject({ words: ['less'], opened: 1, env: { LESS: 'FRX', TERM: 'xterm' } });
    expect(JSON.stringify(seen.env)).not.toContain('canary');
  });

  test.each([
    [{ GATECTL_PAGER: "'my pager' -S", PAGER: 'more' }, ['my pager', '-S']],
    [{ PAGER: 'more -d' }, ['more', '-d']],
  ])('%j chooses the pager', async (env, words) => {
    const { seen, openPager } = pager();
    await onTerminal(LONG, { openPager, env });
    expect(seen.words).toEqual(words);
  });

  test('LESS is not changed if it is set', async () => {
    const { seen, openPager } = pager();
    await onTerminal(LONG, { openPager, env: { LESS: '-S' } });
    expect(seen.env.LESS).toBe('-S');
  });

  test('output that fits the screen is printed, to its last line', async () => {
    const { stdout } = await onTerminal(SHORT, {});
    const lines = stdout.trimEnd().split('\n').length;
    expect((await onTerminal(SHORT, { rows: lines + 1 })).stdout).toBe(stdout);
    const { seen, openPager } = pager();
    expect((await onTerminal(SHORT, { rows: lines, openPager })).stdout).toBe('');
    expect(seen.text).toBe(stdout);
  });

  test('a line that wraps counts as several lines', async () => {
    const { seen, openPager } = pager();
    await onTerminal(['bda', 'columns', '--sandbox', '-o', 'json', '--jq', 'tojson'], { openPager });
    expect(seen.text.split('\n')).toHaveLength(2);
  });

  test.each([
    ['--no-pager', ['--no-pager'], {}],
    ['GATECTL_PAGER=cat', [], { GATECTL_PAGER: 'cat' }],
    ['an empty GATECTL_PAGER', [], { GATECTL_PAGER: '', PAGER: 'more' }],
    ['PAGER=cat', [], { PAGER: 'cat' }],
    ['a dumb terminal', [], { TERM: 'dumb' }],
  ])('%s prints without a pager', async (_, flags, env) => {
    const { stdout, code } = await onTerminal([...LONG, ...flags], { env });
    expect(code).toBe(0);
    expect(stdout.split('\n').length).toBeGreaterThan(24);
  });

  test('a missing pager is not an error; a configured one is named', async () => {
    const openPager: Io['openPager'] = async () => undefined;
    const plain = await onTerminal([...LONG, '--no-pager'], {});
    expect(await onTerminal(LONG, { openPager })).toEqual(plain);
    expect(await onTerminal(LONG, { openPager, env: { PAGER: 'nosuch -R' } })).toEqual({
      ...plain,
      stderr: 'warning: cannot run the pager nosuch; the output is not paged\n',
    });
  });

  test('leaving the pager early ends the command with 0 and fetches no further rows', async () => {
    const { openPager, seen } = pager({ leavesAfter: 1 });
    const ran = await onTerminal([...MANY_ROWS, '--page-size', '30', '--verbose'], { openPager });
    expect(ran).toMatchObject({ code: 0, stdout: '' });
    expect(ran.stderr).not.toContain('error');
    const all = await onTerminal([...MANY_ROWS, '--page-size', '30', '--no-pager', '--verbose'], {});
    const requests = (text: string) => text.split('\n').filter(line => line.startsWith('POST')).length;
    expect(requests(ran.stderr)).toBeLessThan(requests(all.stderr));
    expect(all.stdout.startsWith(seen.text)).toBe(true);
  });

  test('leaving early does not hide what a command found: doctor still exits with its own code', async () => {
    const { openPager } = pager({ leavesAfter: 0 });
    const settings = {
      GATECTL_BASE_URL: 'http://127.0.0.1:9',
      GATECTL_API_KEY: 'made-up',
      GATECTL_RETRIES: '0',
    };
    const ran = await onTerminal(['doctor', '--verbose', '--api', 'cdn'], { openPager, env: settings });
    expect(ran.code).toBe(6);
    expect(ran.stdout).toBe('');
  });

  test('notes and warnings wait until the person has left the pager', async () => {
    const stderr = new PassThrough();
    const printed = () => String(stderr.read() ?? '');
    const globals = { quiet: false } as Globals;
    const clock = { now: () => 0 } as Clock;
    const log = new Logger({ io: { stderr } as unknown as Io, globals, clock }, text => text);
    const release = log.hold();
    log.note('one');
    log.warn('two', ['three']);
    expect(printed()).toBe('');
    release();
    expect(printed()).toBe('note: one\nwarning: two\n  three\n');
  });

  test('Ctrl-C in the pager of complete output does not interrupt the command', async () => {
    let interrupt: (signal: Signal) => void = () => {};
    const { openPager } = pager();
    const ran = await onTerminal(LONG, {
      onSignals: send => {
        interrupt = send;
      },
      openPager: async (...args) => {
        const opened = await openPager(...args);
        return (
          opened && {
            ...opened,
            async close() {
              interrupt('SIGINT');
              await nextTurn();
              interrupt('SIGINT');
              await opened.close();
            },
          }
        );
      },
    });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
  });

  test('Ctrl-C while rows arrive stops the requests, and exits 130 after the pager', async () => {
    let interrupt: (signal: Signal) => void = () => {};
    const { openPager, seen } = pager();
    const ran = await onTerminal([...MANY_ROWS, '--page-size', '30'], {
      onSignals: send => {
        interrupt = send;
      },
      openPager: async (...args) => {
        setImmediate(() => interrupt('SIGINT'));
        return await openPager(...args);
      },
    });
    expect(ran.code).toBe(130);
    expect(ran.stderr).toContain('error: interrupted');
    expect(seen.text).toMatch(/^page_url,visits\n/);
  });

  test('a command that keeps running is not paged', async () => {
    let stop: (signal: Signal) => void = () => {};
    let shown = '';
    const stdout = new Writable({
      write(chunk, _encoding, done) {
        shown += chunk;
        done();
        if (shown.split('\n').length > 5) stop('SIGINT');
      },
    });
    const ran = await onTerminal(['sandbox', 'serve', '--port', '0'], {
      rows: 5,
      stdout: Object.assign(stdout, { isTTY: true, columns: 80, rows: 5 }),
      onSignals: send => {
        stop = send;
      },
    });
    expect(ran.stderr).toBe('note: the embedded gateway stopped\n');
  });
});

test('a pipe is never paged', async () => {
  const ran = await run(LONG, { rows: 5, env: { ...ENV, PAGER: 'more' } });
  expect(ran.code).toBe(0);
  expect(ran.stdout.split('\n').length).toBeGreaterThan(5);
});
