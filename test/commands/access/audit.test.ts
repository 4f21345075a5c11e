import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isAbove, type MaxDrift, maxDrift } from '../../../src/commands/access/audit/drift.ts';
import type { Signal } from '../../../src/errors/index.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { type InProcessOptions, NOON, run } from '../../support/run.ts';
import { isFull } from '../../support/runs.ts';
import { type Reply, wireServer } from '../../support/wire-server.ts';
import { readWorkbook } from '../../support/workbook.ts';

const BILLING =
  'email;plan\nactive@example.com;premium\nlifetime@example.com;\nsuspended@example.com;premium\nexpired@example.com;cancelled\n';
const PLAN = ['--expect-column', 'plan'];
/** Between the passes of an audit, for checks that fail in each. */
const AT_ONCE = async () => {};

/** Runs `access audit` on a list in a home of its own, unless one is given. */
async function audit(
  list: string,
  args: readonly string[],
  { home = temporaryFolder(), ...options }: InProcessOptions & { readonly home?: string } = {},
) {
  const words = ['access', 'audit', '--from-file', '-', ...args];
  const product = args.some(word => word.startsWith('--product')) ? [] : ['--product', 'premium'];
  const gateway = options.env?.GATECTL_BASE_URL === undefined ? ['--sandbox'] : [];
  const ran = await run([...words, ...product, ...gateway], {
    input: list,
    ...options,
    env: { HOME: home, ...options.env },
    homedir: home,
  });
  return { ...ran, home };
}

type Decide = (email: string, seen: number) => string | Reply;

/** A gateway that decides on each reader: with a reason code, or an error. */
async function gateway(decide: Decide) {
  let seen = 0;
  const emails: string[] = [];
  const server = await wireServer(({ headers }) => {
    const email = String(headers['x-service-reader-email']);
    emails.push(email);
    seen += 1;
    const reasonCode = decide(email, seen);
    if (typeof reasonCode !== 'string') return reasonCode;
    const decision = ['allowed', 'expired', 'revoked', 'unknown_product'].includes(reasonCode)
      ? reasonCode
      : 'denied';
    return { body: JSON.stringify({ success: true, data: { decision, reasonCode } }) };
  });
  onTestFinished(() => server.close());
  const env = {
    GATECTL_BASE_URL: server.baseUrl,
    GATECTL_API_KEY: 'some-key',
    GATECTL_DOMAIN: 'example.com',
  };
  return { env, emails, server };
}

const address = (index: number) => `reader-${index}@example.com`;
const payers = (count: number) =>
  `email,plan\n${Array.from({ length: count }, (_, i) => `${address(i)},gold\n`).join('')}`;

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name));
}

describe('what an audit finds', () => {
  test('readers who paid without access, and readers with access without payment, by reason', async () => {
    const ran = await audit(BILLING, PLAN);
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toBe(`Audit of stdin at example.com
2 of 4 readers (50.00%) do not match the list: 1 paid without access, 1 with access without payment.

By reason
READERS  FINDING                 PRODUCT  DECISION  REASON     WHAT TO DO
      1  access without payment  premium  allowed   allowed    check whether the subscription was cancelled in both systems, or the access was granted by hand
      1  paid without access     premium  denied    suspended  check the payment of the subscription: access returns when the hold ends

Readers
LINE  READER                 PRODUCT  FINDING                 PAID  ACCESS  DECISION  REASON
   3  lifetime@example.com   premium  access without payment  no    yes     allowed   allowed
   4  suspended@example.com  premium  paid without access     yes   no      denied    suspended
`);
  });

  test('csv has the findings, in the order of the list, and --mask hides the addresses', async () => {
    const ran = await audit(BILLING, [...PLAN, '--csv', '--mask']);
    expect(ran.stdout).toBe(
      'line,email,product,finding,paid,allowed,decision,reasonCode\n' +
        '3,l***@example.com,premium,access_without_payment,false,true,allowed,allowed\n' +
        '4,s***@example.com,premium,paid_without_access,true,false,denied,suspended\n',
    );
  });

  test('json has totals, groups and findings', async () => {
    const { stdout } = await audit(BILLING, [...PLAN, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      list: 'stdin',
      domain: 'example.com',
      startedAt: '2026-03-14T12:00:00.000Z',
      readers: 4,
      checked: 4,
      paidWithoutAccess: 1,
      accessWithoutPayment: 1,
      notChecked: 0,
      drift: '50.00%',
      groups: [{ finding: 'access_without_payment' }, { finding: 'paid_without_access', readers: 1 }],
      against: null,
      changes: null,
      findings: [{ line: 3 }, { line: 4 }],
    });
  });

  test('a list without --expect-column is a list of readers who paid', async () => {
    const ran = await audit('active@example.com\nexpired@example.com\n', [
      '--jq',
      '[.drift, .findings[].line]',
    ]);
    expect(JSON.parse(ran.stdout)).toEqual(['50.00%', 2]);
  });

  test('--product-column checks each reader for the product of the line, and --product lines without one', async () => {
    const list =
      'email,state,product\nactive@example.com,active,sports\nactive@example.com,active,\ndenied@example.com,cancelled,sports\n';
    const ran = await audit(list, [
      ...['--expect-column', 'state', '--product-column', 'product', '--product', 'premium'],
      ...['--jq', '[.readers, (.findings[] | [.line, .product, .finding])]'],
    ]);
    expect(JSON.parse(ran.stdout)).toEqual([3, [4, 'sports', 'access_without_payment']]);
  });

  test.each([
    ['csv', 'line,email,product,finding'],
    ['tsv', 'line\temail\tproduct\tfinding'],
    ['ndjson', '{"line":3,"email":"lifetime@example.com"'],
    ['json', '{"list":"stdin"'],
    ['md', '### Audit of stdin at example.com'],
    ['html', '<!doctype html>'],
  ])('--out audit.%s writes every finding', async (end, start) => {
    const file = join(temporaryFolder(), `audit.${end}`);
    const ran = await audit(BILLING, [...PLAN, '--out', file]);
    expect([ran.code, ran.stderr]).toEqual([0, `wrote ${file}\n`]);
    expect(ran.stdout).not.toContain('lifetime@');
    const text = readFileSync(file, 'utf8');
    expect(text.slice(0, start.length)).toBe(start);
    for (const name of ['lifetime', 'suspended']) expect(text).toContain(name);
    if (end === 'json') expect(JSON.parse(text).findings).toHaveLength(2);
  });
});

test('--out audit.xlsx is a workbook of the findings, and leaves no other files', async () => {
  const folder = temporaryFolder();
  const ran = await audit(BILLING, [...PLAN, '--out', join(folder, 'audit.xlsx')]);
  expect(ran.code).toBe(0);
  const [sheet] = readWorkbook(join(folder, 'audit.xlsx'));
  expect(sheet?.rows.map(row => row.slice(0, 4).map(cell => cell?.value))).toEqual([
    ['line', 'email', 'product', 'finding'],
    ['3', 'lifetime@example.com', 'premium', 'access_without_payment'],
    ['4', 'suspended@example.com', 'premium', 'paid_without_access'],
  ]);
  expect(readdirSync(folder)).toEqual(['audit.xlsx']);
});

describe('an unreliable list is rejected before anything is sent', () => {
  const rejected = async (list: string, args: readonly string[]) => {
    const { env, emails } = await gateway(() => 'allowed');
    const ran = await audit(list, args, { env });
    expect(emails).toEqual([]);
    expect([ran.code, ran.stdout]).toEqual([2, '']);
    return ran.stderr;
  };

  test('values of unknown meaning, with line numbers', async () => {
    const list = 'email,state\na@example.com,past_due\nb@example.com,2026-12-31\nc@example.com,actve\n';
    expect(await rejected(list, ['--expect-column', 'state'])).toBe(
      `error: the readers on stdin cannot be used, and nothing was sent
  line 2: cannot determine whether 'past_due' means paid
  line 3: cannot determine whether '2026-12-31' means paid
  line 4: cannot determine whether 'actve' means paid; did you mean active?
  define each value with --paid VALUE or --unpaid VALUE
  fix them, or pass --skip-invalid
`,
    );
  });

  test('the same reader with different plans, with both line numbers', async () => {
    const list =
      'email,plan\na@example.com,gold\nb@example.com,gold\n\na@example.com,silver\nb@example.com,gold\n';
    expect(await rejected(list, PLAN)).toContain(
      "  line 5: the same reader as line 2, with 'silver' instead of 'gold'\n",
    );
    const ran = await audit(list, [...PLAN, '--skip-invalid', '--jq', '[.findings[].line]']);
    expect([ran.code, ran.stdout]).toEqual([0, '[3]\n']);
    expect(ran.stderr).toBe(
      "warning: skipped 1 invalid line\n  line 5: the same reader as line 2, with 'silver' instead of 'gold'\nnote: skipped 1 duplicate address\n",
    );
  });

  test('a column that does not exist, with those that do, the nearest first', async () => {
    expect(await rejected('email,state,plan_name\na@example.com,x,y\n', PLAN)).toBe(
      'error: no column plan in standard input\n  columns: plan_name, email, state\n',
    );
  });

  test('a column of addresses as the product: an address is never part of a URL', async () => {
    expect(await rejected('email\na@example.com\n', ['--product-column', 'email'])).toContain(
      'line 2: an e-mail address is not a product',
    );
  });

  test('lines with more or fewer cells than the header', async () => {
    expect(await rejected('email,plan\na@example.com\nb@example.com,a,b\n', PLAN)).toContain(
      'line 2: no value for column plan: the line has more or fewer cells than the header\n  line 3: no value',
    );
  });

  test.each<[string[], string]>([
    [['--max-drift', 'x'], "--max-drift cannot be 'x'"],
    [['--against', 'yesterday'], "--against cannot be 'yesterday'"],
    [['--out', 'audit.docx'], 'cannot determine the format of audit.docx'],
    [['--paid', 'gold'], '--paid and --unpaid require --expect-column'],
    [[...PLAN, '--paid', 'a', '--unpaid', 'a'], "'a' cannot be both --paid and --unpaid"],
  ])('%j', async (args, message) => {
    expect((await rejected(BILLING, args)).split('\n')[0]).toBe(`error: ${message}`);
  });

  test('a file that cannot be written', async () => {
    const { env, emails } = await gateway(() => 'allowed');
    const file = join(temporaryFolder(), 'missing', 'audit.csv');
    const ran = await audit(BILLING, ['--out', file], { env });
    expect([ran.code, ran.stderr, emails]).toEqual([
      9,
      `error: cannot write ${file}: its folder does not exist\n`,
      [],
    ]);
  });

  test('no file, and no product', async () => {
    const none = await run(['access', 'audit', '--sandbox', '--product', 'p']);
    expect(none.stderr.split('\n')[0]).toBe('error: --from-file is required');
    const noProduct = await run(['access', 'audit', '--sandbox', '--from-file', '-'], { input: BILLING });
    expect(noProduct.stderr.split('\n')[0]).toBe('error: --product or --product-column is required');
  });
});

describe('drift', () => {
  test('an earlier audit shows what changed since, with dates; the first one has none to compare with', async () => {
    let state = 'allowed';
    const { env } = await gateway(() => state);
    const first = await audit(payers(2), [...PLAN, '--against', 'last'], { env, now: NOON - 86_400_000 });
    expect([first.code, first.stderr]).toEqual([0, 'note: there is no earlier audit to compare with\n']);
    state = 'suspended';
    const { home } = first;
    const second = await audit(`${payers(2)}new@example.com,gold\n`, [...PLAN, '--against', 'last'], {
      env,
      home,
    });
    expect(second.stdout).toContain(
      '2 decisions changed since the audit of 2026-03-13T12:00:00.000Z; 1 reader was not in it.\n',
    );
    expect(second.stdout).toContain(`Changes
READERS  PRODUCT  CHANGE               FROM                  TO
      2  premium  allowed → suspended  2026-03-13 12:00 UTC  2026-03-14 12:00 UTC
`);
    expect(second.stdout).toContain('denied    suspended  allowed  2026-03-13 12:00 UTC');
    const day = await audit(payers(2), [...PLAN, '--against', '2026-03-13', '--jq', '.against'], {
      env,
      home,
    });
    expect(day.stdout).toBe('2026-03-13T12:00:00.000Z\n');
  });

  test('--against names the audits that exist, and sends nothing, if there is none of that day or before', async () => {
    const { env, emails } = await gateway(() => 'allowed');
    const { home } = await audit(payers(2), PLAN, { env, now: NOON - 86_400_000 });
    await audit(payers(2), PLAN, { env, home });
    const sent = emails.length;
    const ran = await audit(payers(2), [...PLAN, '--against', '2020-01-01', '-o', 'json'], { env, home });
    expect([ran.code, ran.stdout, JSON.parse(ran.stderr).error, emails.length]).toEqual([
      2,
      '',
      expect.objectContaining({
        code: 'unknown_name',
        message: 'there is no audit of 2020-01-01 or before to compare with',
        hints: ['audits are stored of 2026-03-13, 2026-03-14'],
      }),
      sent,
    ]);
    const none = await audit(payers(2), [...PLAN, '--against', '2020-01-01'], { env });
    expect([none.code, none.stderr]).toEqual([
      2,
      'error: there is no audit of 2020-01-01 or before to compare with\n  no audit is stored for this domain and product\n',
    ]);
  });

  test('--against fails where no audit can be stored, so nothing would be compared', async () => {
    const { env, emails } = await gateway(() => 'allowed');
    const broken = { ...env, XDG_STATE_HOME: '/dev/null/state' };
    expect((await audit(payers(2), [...PLAN, '--against', 'last'], { env: broken })).code).toBe(9);
    expect(emails).toEqual([]);
  });

  test('a folder of earlier audits that cannot be read is no first audit', async () => {
    const { env, emails } = await gateway(() => 'allowed');
    const { home } = await audit(payers(2), PLAN, { env });
    const [stored = ''] = filesBelow(home).filter(path => path.endsWith('.audit'));
    const folder = dirname(stored);
    rmSync(folder, { recursive: true });
    symlinkSync(folder, folder);
    emails.length = 0;
    const again = await audit(payers(2), [...PLAN, '--against', 'last'], { env, home });
    expect([again.code, again.stdout, emails]).toEqual([9, '', []]);
    expect(again.stderr).toContain(`cannot read ${folder}`);
  });

  test('the first audit says that changes are unknown, and lists none', async () => {
    const { env } = await gateway(() => 'allowed');
    const text = await audit(payers(2), [...PLAN, '--against', 'last'], { env });
    expect(text.stdout).toContain('Changes are unknown: there is no earlier audit to compare with.\n');
    expect(text.stdout).not.toMatch(/no decision has changed|0 decisions/);
    const json = await audit(payers(2), [...PLAN, '--against', 'last', '--jq', '[.against, .changes]'], {
      env,
    });
    expect(json.stdout).toBe('[null,null]\n');
  });

  test('--max-drift exits 7 above the share or number, and 0 at it', async () => {
    const { env } = await gateway(email => (email === address(0) ? 'expired' : 'allowed'));
    const code = async (max: string) =>
      (await audit(payers(100), [...PLAN, '--max-drift', max, '--quiet'], { env })).code;
    expect([await code('0.9%'), await code('0'), await code('1%'), await code('1')]).toEqual([7, 7, 0, 0]);
    for (const [percent, mismatches, checked] of [
      ['0.7', 7, 1000],
      ['29', 29, 100],
      ['1.4', 14, 1000],
    ] as const) {
      const max = maxDrift('--max-drift', '').read(`${percent}%`) as MaxDrift;
      expect([isAbove(max, mismatches, checked), isAbove(max, mismatches + 1, checked)]).toEqual([
        false,
        true,
      ]);
    }
    const ran = await audit(payers(100), [...PLAN, '--max-drift', '0', '--quiet'], { env });
    expect([ran.stdout, ran.stderr]).toEqual([
      '',
      'error: 1 of 100 readers (1.00%) do not match the list, more than --max-drift 0\n',
    ]);
    const json = await audit(payers(100), [...PLAN, '--max-drift', '0', '--json'], { env });
    expect(JSON.parse(json.stderr).error).toMatchObject({ code: 'drift_exceeded', exit: 7 });
  });

  test('--on-drift runs a command with the totals on stdin, without the key and without addresses', async () => {
    const { env } = await gateway(email => (email === address(0) ? 'expired' : 'allowed'));
    const file = join(temporaryFolder(), 'drift.json');
    const command = `cat > ${file}; echo "key: $GATECTL_API_KEY"`;
    const run = (max: string) =>
      audit(payers(10), [...PLAN, '--max-drift', max, '--on-drift', command], {
        env: { ...env, PATH: process.env.PATH ?? '' },
      });
    expect((await run('1')).code).toBe(0);
    expect(existsSync(file)).toBe(false);
    const ran = await run('0');
    expect([ran.code, ran.stderr.split('\n')[0]]).toEqual([7, 'key: ']);
    const text = readFileSync(file, 'utf8');
    expect(JSON.parse(text)).toMatchObject({ drift: '10.00%', paidWithoutAccess: 1 });
    expect(text).not.toContain('@example.com');
  });

  test('a command of --on-drift that fails is a failure of the audit', async () => {
    const ran = await audit(BILLING, [...PLAN, '--on-drift', 'exit 3'], {
      env: { PATH: process.env.PATH ?? '' },
    });
    expect([ran.code, ran.stderr.split('\n').at(-2)]).toEqual([
      7,
      'error: the --on-drift command failed with exit code 3',
    ]);
  });
});

describe('interruptions', () => {
  test('an audit that is interrupted continues with --resume, and requests no reader twice', async () => {
    let send: ((signal: Signal) => void) | undefined;
    const { env, emails } = await gateway((email, seen) => {
      if (seen === 300) send?.('SIGTERM');
      return email === address(7) ? 'suspended' : 'allowed';
    });
    const first = await audit(payers(1000), PLAN, {
      env,
      onSignals: sender => {
        send = sender;
      },
    });
    expect(first.code).toBe(143);
    expect(first.stderr).toContain(
      'to resume: gatectl access audit --from-file - --expect-column plan --product premium --resume',
    );
    const before = emails.length;
    const second = await audit(payers(1000), [...PLAN, '--resume', '--jq', '[.checked, .findings[].line]'], {
      env,
      home: first.home,
    });
    expect(second.code).toBe(0);
    expect(JSON.parse(second.stdout)).toEqual([1000, 9]);
    expect(second.stderr).toMatch(/^note: resuming the audit of .*: \d+ results are stored\n$/);
    // Requests that were on their way were sent again.
    expect(emails.length - before).toBeLessThan(1000 - before + 200);
    expect(filesBelow(first.home).filter(file => file.includes('.part'))).toEqual([]);
  });

  test('when the gateway goes down, the audit stops, and can be resumed', async () => {
    const { env, emails } = await gateway((_, seen) => (seen > 500 ? { status: 503 } : 'allowed'));
    const ran = await audit(payers(2000), [...PLAN, '--retries', '0'], { env });
    expect([ran.code, ran.stdout]).toEqual([6, '']);
    expect(ran.stderr).toContain('to resume: ');
    expect(emails.length).toBeLessThan(800);
  });

  test('a rate limit for hours ends the audit immediately, and it can be resumed', async () => {
    const { env, server } = await gateway((_, seen) =>
      seen < 10
        ? 'allowed'
        : { status: 429, headers: { 'retry-after': '7200' }, body: '{"message":"too many requests"}' },
    );
    const pauses: number[] = [];
    const sleep = async (ms: number) => {
      if (ms > 0) pauses.push(ms);
    };
    const ran = await audit(payers(1000), PLAN, { env, sleep });
    expect([ran.code, ran.stdout, pauses]).toEqual([8, '', []]);
    expect(ran.stderr).toMatch(
      /^to resume: .* --resume\nerror: too many requests\n {2}in GET \S+: 429\n {2}wait 7200 s /,
    );
    // With the first refusal, as many as were in flight.
    expect(server.received.length).toBeLessThan(30);
  });

  test('a reader that cannot be checked is listed, and --resume checks only that one', async () => {
    let isDown = true;
    const { env, emails } = await gateway(email =>
      isDown && email === address(1) ? { status: 503 } : 'allowed',
    );
    const words = [...PLAN, '--retries', '0', '--jq', '[.findings[] | [.line, .finding]]'];
    const first = await audit(payers(3), words, { env, sleep: AT_ONCE });
    expect([first.code, JSON.parse(first.stdout)]).toEqual([7, [[3, 'not_checked']]]);
    isDown = false;
    emails.length = 0;
    const second = await audit(payers(3), [...PLAN, '--resume', '--jq', '.checked'], {
      env,
      home: first.home,
    });
    expect([second.code, second.stdout, emails]).toEqual([0, '3\n', [address(1)]]);
  });

  test('readers that the API rejects are listed, however many, and do not keep the audit from being compared', async () => {
    const { env } = await gateway(email =>
      Number(/\d+/.exec(email)?.[0]) < 120 ? { status: 400 } : 'allowed',
    );
    const first = await audit(payers(150), [...PLAN, '--jq', '[.checked, .notChecked]'], { env });
    expect([first.code, JSON.parse(first.stdout)]).toEqual([7, [30, 120]]);
    expect(first.stderr).not.toContain('--resume');
    const second = await audit(payers(150), [...PLAN, '--against', 'last', '--jq', '.against'], {
      env,
      home: first.home,
      now: NOON + 60_000,
    });
    expect(second.stdout).toBe('2026-03-14T12:00:00.000Z\n');
    expect(filesBelow(first.home).filter(file => file.includes('.part'))).toEqual([]);
  });

  test('--resume does not resume an audit that is older than a complete one', async () => {
    let state: 'down' | 'allowed' | 'revoked' = 'down';
    const { env } = await gateway(email =>
      state === 'down' && email === address(1) ? { status: 503 } : state === 'down' ? 'allowed' : state,
    );
    const { home } = await audit(payers(2), [...PLAN, '--retries', '0'], { env, sleep: AT_ONCE });
    state = 'allowed';
    await audit(payers(2), PLAN, { env, home, now: NOON + 60_000 });
    state = 'revoked';
    const ran = await audit(payers(2), [...PLAN, '--resume'], {
      env,
      home,
      now: NOON + 120_000,
    });
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([
      2,
      '',
      'error: there is no interrupted audit of these products to resume\n  omit --resume to check all readers\n',
    ]);
  });

  test('--against a day names the day in the time zone of the profile', async () => {
    const { env } = await gateway(() => 'allowed');
    const { home } = await audit(payers(2), PLAN, { env, now: Date.parse('2026-03-15T01:00:00Z') });
    const words = [...PLAN, '--against', '2026-03-14', '--jq', '.against'];
    const zone = (tz: string) =>
      audit(payers(2), [...words, '--tz', tz], { env, home, now: Date.parse('2026-03-16T00:00:00Z') });
    expect((await zone('UTC')).stderr).toContain('audits are stored of 2026-03-15');
    expect((await zone('America/New_York')).stdout).toBe('2026-03-15T01:00:00.000Z\n');
  });

  test.each([
    [
      'without an interrupted audit',
      {},
      2,
      'error: there is no interrupted audit of these products to resume',
    ],
    [
      'where audits cannot be stored',
      { XDG_STATE_HOME: '/dev/null/state' },
      9,
      expect.stringContaining('/dev/null/state'),
    ],
  ])('--resume %s fails, and checks no reader', async (_, more, code, message) => {
    const { env, emails } = await gateway(() => 'allowed');
    const ran = await audit(BILLING, [...PLAN, '--resume'], { env: { ...env, ...more } });
    expect([ran.code, ran.stdout, ran.stderr.split('\n')[0], emails]).toEqual([code, '', message, []]);
  });

  test('an audit that is not stored does not suggest --resume, and names the most frequent error', async () => {
    const { env } = await gateway(email => (email === address(1) ? 'allowed' : { status: 400 }));
    const ran = await audit(payers(3), PLAN, { env: { ...env, XDG_STATE_HOME: '/dev/null/state' } });
    expect(ran.code).toBe(7);
    expect(ran.stderr).not.toContain('to resume');
    expect(ran.stderr).toMatch(/2 of 3 readers could not be checked: the server responded with 400/);
  });

  test('two audits at once do not disturb each other', async () => {
    const { env } = await gateway(() => 'allowed');
    const home = temporaryFolder();
    const ran = await Promise.all(
      [1, 2].map(n => audit(payers(200 + n), PLAN, { env, home, now: NOON + n })),
    );
    expect(ran.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ]);
  });

  test('without a folder for results, the audit warns and works', async () => {
    const ran = await audit(BILLING, PLAN, { home: '/dev/null' });
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(
      /^warning: this audit is not stored: .*\n {2}--resume and --against cannot use it\n$/,
    );
  });
});

test('a product that is unknown for every reader fails the audit', async () => {
  const { env } = await gateway(() => 'unknown_product');
  const ran = await audit(payers(3), PLAN, { env });
  expect([ran.code, ran.stderr]).toEqual([
    7,
    'error: example.com does not know the product premium\n  check the handle: it may be misspelled, or the product inactive\n',
  ]);
  const drifted = await audit(payers(3), [...PLAN, '--max-drift', '1%'], { env });
  expect(drifted.code).toBe(7);
  expect(drifted.stderr).toContain(
    'warning: example.com does not know the product premium\n  check the handle',
  );
});

test('with --mask no address is shown that the server repeats or adds, in any spelling', async () => {
  const server = await wireServer(({ headers }) => {
    const email = String(headers['x-service-reader-email']);
    if (email === address(1))
      return { status: 400, body: `{"success":false,"message":"no Other@example.com, ${email}"}` };
    const data = { decision: 'denied', reasonCode: 'suspended' };
    return { body: JSON.stringify({ success: true, data }) };
  });
  onTestFinished(() => server.close());
  const env = {
    GATECTL_BASE_URL: server.baseUrl,
    GATECTL_API_KEY: 'some-key',
    GATECTL_DOMAIN: 'example.com',
  };
  const file = join(temporaryFolder(), 'audit.csv');
  const ran = await audit(payers(3), [...PLAN, '--mask', '--out', file], { env });
  expect(ran.code).toBe(7);
  const shown = `${ran.stdout}${ran.stderr}${readFileSync(file, 'utf8')}`;
  expect(shown).toContain('r***@example.com');
  expect(shown).not.toMatch(/reader-\d|other@/i);
});

test('thousands of readers, one request in twenty failing: every flip is found, none invented, no address is stored', async () => {
  const COUNT = isFull ? 4000 : 2000;
  const isFlipped = (index: number) => index % 97 === 5;
  const indexOf = (email: string) => Number(/\d+/.exec(email)?.[0]);
  const { env } = await gateway((email, seen) => {
    if (seen % 20 === 0) return { status: 503 };
    const index = indexOf(email);
    return (index % 2 === 0) === isFlipped(index) ? 'suspended' : 'allowed';
  });
  const rows = Array.from({ length: COUNT }, (_, i) => `${address(i)};${i % 2 === 0 ? 'Gold' : 'cancelled'}`);
  const list = Buffer.from(`\uFEFFE-Mail;Plan\r\n${rows.join('\r\n')}\r\n`, 'utf16le');
  const ran = await audit('', [...PLAN, '-o', 'tsv'], {
    env,
    stdin: Readable.from([list]),
  });
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  const flips = Array.from({ length: COUNT }, (_, i) => i).filter(isFlipped);
  const found = ran.stdout.trim().split('\n').slice(1);
  expect(
    found.map(line =>
      line
        .split('\t')
        .filter((_, at) => at === 0 || at === 3)
        .join('\t'),
    ),
  ).toEqual(flips.map(i => `${i + 2}\t${i % 2 === 0 ? 'paid_without_access' : 'access_without_payment'}`));
  const files = filesBelow(ran.home);
  expect(files.some(file => file.endsWith('.audit'))).toBe(true);
  for (const file of files) expect(readFileSync(file, 'latin1')).not.toMatch(/reader-\d|@example/);
});

test.each([
  ['no reader that could not be checked counts as one that matches', [400, 400], 'No reader was checked.', 7],
  ['one reader', [200, 400], 'The checked reader matches the list.', 7],
  ['all readers', [200, 200], 'All 2 readers match the list.', 0],
])('the summary counts the matching readers: %s', async (_, statuses, sentence, code) => {
  const { env } = await gateway(email => (statuses[Number(email[0])] === 200 ? 'allowed' : { status: 400 }));
  const ran = await audit('email\n0@example.com\n1@example.com\n', ['--retries', '0'], { env });
  expect([ran.code, ran.stdout.split('\n')[1]]).toEqual([code, sentence]);
});

test('an audit is compared with a day of the calendar', async () => {
  const words = [
    'access',
    'audit',
    '--from-file',
    '-',
    '--product',
    'p',
    '--against',
    '2026-13-45',
    '--sandbox',
  ];
  const { code, stderr } = await run(words, { input: 'a@example.com\n' });
  expect(code).toBe(2);
  expect(stderr).toContain("error: --against cannot be '2026-13-45'\n");
});
