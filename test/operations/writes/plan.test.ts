import { createHash, type KeyObject } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXACT_ZERO, exactFigure } from '../../../src/analysis/exact-change.ts';
import { GatectlError } from '../../../src/errors/index.ts';
import type { Sender } from '../../../src/http/sender.ts';
import type { Machine } from '../../../src/operations/machine.ts';
import { applyPlan } from '../../../src/operations/writes/apply-plan.ts';
import { approvalKey, approve, readApprovalKey } from '../../../src/operations/writes/approval.ts';
import {
  newPlan,
  type Plan,
  type PlannedWrite,
  readPlan,
  writePlan,
} from '../../../src/operations/writes/plan.ts';
import { readPolicy } from '../../../src/operations/writes/policy.ts';
import type { Policy } from '../../../src/operations/writes/weighed-write.ts';
import { WriteGovernor } from '../../../src/operations/writes/write-governor.ts';
import { WriteLog, writeLogFolder } from '../../../src/operations/writes/write-log.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { lockMachine } from '../../support/lock-machine.ts';
import { runs } from '../../support/runs.ts';

const NOW = Date.parse('2026-11-25T12:00:00Z');
const HOUR = 3_600_000;
const GATEWAY = 'https://gateway.example.com';
const PLANS = 20;
const EDITS = runs(500);

const URLS = Array.from({ length: 6 }, (_, i) => `https://example.com/${'abcdef'[i]}`);
const PURGE = { kind: 'purge', domain: 'example.com', keys: [], maxImpact: undefined } as const;
const WRITES: readonly PlannedWrite[] = [
  { ...PURGE, what: 'URL', targets: URLS },
  { ...PURGE, what: 'URL', domain: undefined, targets: URLS.slice(0, 2), maxImpact: '5%' },
  { ...PURGE, what: 'URL', targets: URLS.slice(0, 1), keys: ['news', 'sport'] },
  { ...PURGE, what: 'key', targets: ['news', 'sport', 'teaser'] },
  { ...PURGE, what: 'everything', targets: ['example.com'] },
  {
    ...{ kind: 'request', method: 'POST', path: '/bdaservices/createsegment/' },
    ...{ query: [['title', 'Readers']], body: '{"name":"Readers of sport"}' },
  },
];

/** A text of JSON, which tests change in any way. */
// biome-ignore lint/suspicious/noExplicitAny: the point of an edit is that the type does not hold.
type Any = any;

interface Signer {
  readonly secret: KeyObject;
  readonly key: string;
}

async function signer(name: string): Promise<Signer> {
  const path = join(temporaryFolder(), `${name}.pem`);
  await approvalKey(path);
  const own = await readApprovalKey(path);
  if (own === undefined) throw new Error('no key');
  return own;
}

/** Everyone in the policy, and somebody who is not. */
async function people() {
  const [anna, berta, author, mallory] = [
    await signer('anna'),
    await signer('berta'),
    await signer('author'),
    await signer('mallory'),
  ];
  const path = join(temporaryFolder(), 'policy.yaml');
  writeFileSync(
    path,
    `otherwise: deny\nrules: [{approvals: 1}]\napprovers: {anna: "${anna.key}", berta: "${berta.key}", author: "${author.key}"}\n`,
    { mode: 0o600 },
  );
  const policy = await readPolicy(path, { uid: process.getuid?.(), isSystem: false });
  if (policy === undefined) throw new Error('no policy');
  return { policy, anna, berta, author, mallory };
}

function machineAt(home: string, now: number): Machine {
  return {
    ...lockMachine,
    now: () => now,
    env: {},
    homedir: home,
    pid: process.pid,
    uid: process.getuid?.(),
  };
}

/** Whoever applies plans, with a home of their own, and what they sent. */
function applying(home: string, policy: Policy, now = NOW) {
  const machine = machineAt(home, now);
  const folder = writeLogFolder(machine) ?? '';
  const log = new WriteLog(folder, machine, {
    ...{ gateway: GATEWAY, profile: undefined, command: 'gatectl plan apply', redact: text => text },
  });
  const writes = new WriteGovernor({
    now: machine.now,
    gateway: async () => GATEWAY,
    log: async () => log,
    openedLog: async () => log,
    holdBudget: async () => async () => undefined,
    policies: async () => [policy],
    onLogError: error => {
      throw error;
    },
  });
  const sent: string[] = [];
  const send: Sender['send'] = async request => {
    const { method, path, query = [], body } = request;
    const end = await writes.onWrite({ effect: 'write', request: { method, path }, sent: request } as Any);
    sent.push(JSON.stringify([method, path, query, body]));
    await end(undefined);
    return { body: { Success: true }, request: { method, path }, headers: {}, storable: true } as Any;
  };
  const figure = (text: string) => exactFigure(text) ?? EXACT_ZERO;
  const work: Parameters<typeof applyPlan>[1] = {
    clock: { now: machine.now, random: () => 0, sleep: async () => {} },
    signal: new AbortController().signal,
    machine,
    gateway: async () => ({ send, capacity: () => 1 }) as unknown as Sender,
    site: async () => ({ prefix: '/cdnservices', keyIn: 'header', timeoutMs: 1000 }) as Any,
    onErrorText: () => {},
    report: () => {},
    note: () => {},
    weigh: purge => writes.weigh(purge, async () => Promise.reject(new Error('no rule asks'))),
    record: async () => undefined,
    isResumable: false,
    owner: async salt => ({ baseUrl: GATEWAY, key: { salt, hash: '' } }),
    writes,
    ownKey: undefined,
    gatewayName: GATEWAY,
    folder: join(home, 'plans'),
    impact: async () => ({
      ...{ completeness: 'complete', days: { from: '2026-11-18', to: '2026-11-24' }, urls: undefined },
      ...{ missing: [], keys: 0, pages: 1, flaws: [] },
      traffic: { visits: EXACT_ZERO, revenue: EXACT_ZERO, pageviews: figure('1') },
      total: { visits: EXACT_ZERO, revenue: EXACT_ZERO, pageviews: figure('100') },
    }),
    request: async planned =>
      (await send({ ...planned, readerHeaders: {}, key: 'none', idempotent: false } as Any)).body,
  };
  return { sent, apply: (plan: Plan) => applyPlan(plan, work) };
}

/** A plan of one person that others approved, in a file. */
async function approved(
  path: string,
  write: PlannedWrite,
  author: Signer,
  ...others: Signer[]
): Promise<Plan> {
  const machine = machineAt('', NOW - 60_000);
  const parts = { gateway: GATEWAY, command: 'gatectl cdn purge', validMs: HOUR, key: author.key };
  const plan = newPlan({ ...parts, write }, machine);
  const approvals = others.map(each => approve(plan.hash, each, new Date(NOW).toISOString()));
  await writePlan(path, { ...plan, approvals });
  return await readPlan(path);
}

/** Numbers from 0 to below `n`, the same in each run. */
function dice(seed: number): (n: number) => number {
  let state = seed;
  return n => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % n;
  };
}

function rehashed(plan: Any): Any {
  const { hash: _, approvals, ...content } = plan;
  const hash = createHash('sha256')
    .update(`gatectl plan 1\n${JSON.stringify(content)}`)
    .digest('hex');
  return { ...content, hash, approvals };
}

/** The lists and objects in a value, itself included. */
function containers(value: Any): Any[] {
  return typeof value === 'object' && value !== null
    ? [value, ...Object.values(value).flatMap(containers)]
    : [];
}

function swapped(object: Any, roll: (n: number) => number): void {
  const entries = Object.entries(object);
  const index = roll(Math.max(1, entries.length - 1));
  entries.splice(index, 2, ...entries.slice(index, index + 2).reverse());
  for (const name of Object.keys(object)) delete object[name];
  Object.assign(
    object,
    Array.isArray(object) ? entries.map(([, value]) => value) : Object.fromEntries(entries),
  );
}

const VALUES: readonly Any[] = [
  null,
  true,
  0,
  -1,
  '',
  'x',
  [],
  {},
  ['x'],
  { toString: 'x' },
  URLS[0],
  '2999-01-01T00:00:00.000Z',
];

/** Changes of a plan by whoever has the file, which keep its hash and its approvals. */
const EDITS_OF_PLAN: Readonly<Record<string, (plan: Any, roll: (n: number) => number) => void>> = {
  'a member is dropped': (plan, roll) => {
    const all = containers(plan).filter(each => Object.keys(each).length > 0);
    const from = all[roll(all.length)];
    const names = Object.keys(from);
    const name = names[roll(names.length)] ?? '';
    if (Array.isArray(from)) from.splice(Number(name), 1);
    else delete from[name];
  },
  'members are swapped': (plan, roll) => {
    const all = containers(plan).filter(each => Object.keys(each).length > 1);
    swapped(all[roll(all.length)], roll);
  },
  'a member has another value': (plan, roll) => {
    const all = containers(plan).filter(each => Object.keys(each).length > 0);
    const from = all[roll(all.length)];
    const names = Object.keys(from);
    from[names[roll(names.length)] ?? ''] = VALUES[roll(VALUES.length)];
  },
  'a member is added': (plan, roll) => {
    const all = containers(plan).filter(each => !Array.isArray(each));
    const names = ['targets', 'keys', 'what', 'kind', 'path', 'key', '__proto__', 'toJSON', 'maxImpact', 'x'];
    Object.defineProperty(all[roll(all.length)], names[roll(names.length)] ?? '', {
      ...{ value: VALUES[roll(VALUES.length)], enumerable: true, configurable: true, writable: true },
    });
  },
  'targets are reordered': ({ write }, roll) => {
    const list: Any[] = write.targets ?? write.query;
    list.splice(roll(list.length), 0, list.shift());
  },
  'a target is added': ({ write }, roll) => {
    if (write.kind === 'request') write.body = `${write.body} `;
    else write[roll(2) === 0 ? 'targets' : 'keys'].push(`https://example.com/${roll(100)}`);
  },
  'it does something else': (plan, roll) => {
    plan.write = structuredClone(WRITES[roll(WRITES.length)]);
    plan.write.path = '/cdnservices/purgecache';
  },
  'its time is moved': (plan, roll) => {
    const name = roll(2) === 0 ? 'created' : 'expires';
    plan[name] = new Date(Date.parse(plan[name]) + (roll(2000) - 1000) * HOUR).toISOString();
  },
  'it is for another gateway': (plan, roll) => {
    plan.gateway = ['https://other.example.com', 'sandbox', `${GATEWAY}/`][roll(3)];
  },
  'somebody else made it': (plan, roll) => {
    if (roll(2) === 0) delete plan.by.key;
    else plan.by = { user: 'root', host: 'x', key: `ed25519:${'A'.repeat(43)}=` };
  },
};

/** Approvals that whoever has two plans and keys of their own can put into one. */
function approvalsOf(
  plan: Any,
  other: Plan,
  { anna, author, mallory }: Omit<Awaited<ReturnType<typeof people>>, 'policy'>,
) {
  const at = new Date(NOW).toISOString();
  const own = approve(plan.hash, mallory, at);
  const [approval] = plan.approvals;
  return [
    other.approvals,
    [own],
    [own, own, own],
    [{ ...own, key: anna.key }],
    [{ ...approval, signature: own.signature }, own],
    [{ ...approval, at: '2026-11-25T12:00:01.000Z' }],
    [{ ...approval, key: [anna.key] }, null, 0, 'x', {}],
    // Their own approval counts where the plan says that somebody else made it.
    plan.by?.key === author.key ? [approve(plan.hash, author, at)] : [],
    [approve(plan.hash, { secret: mallory.secret, key: anna.key }, at)],
    { ...[approval], length: 1 },
    [approval, approval],
  ];
}

test('edited, reordered, replayed and expired plans (10,000 in a full run): what is not the plan that was approved is refused', {
  timeout: 600_000,
}, async () => {
  const all = await people();
  const { policy, anna, author } = all;
  const folder = temporaryFolder();
  const path = join(folder, 'plan.json');
  const wrong: unknown[] = [];
  const counts = { refused: 0, same: 0 };
  let home = temporaryFolder();
  const made = async (write: PlannedWrite) => await approved(path, write, author, anna);
  for (let n = 0; n < PLANS; n += 1) {
    const write = WRITES[n % WRITES.length] as PlannedWrite;
    const plan = await made(write);
    const text = JSON.stringify(plan, null, 1);
    const other = await made({ ...PURGE, what: 'everything', targets: ['example.com'] });
    const roll = dice(n);
    const used = temporaryFolder();
    const first = applying(used, policy);
    await first.apply(plan);
    expect(first.sent.length).toBeGreaterThan(0);

    const edited = (): readonly [how: string, content: string | Buffer, now?: number] => {
      const bytes = Buffer.from(text);
      const copy: Any = JSON.parse(text);
      const kinds = Object.entries(EDITS_OF_PLAN);
      const [how = '', edit = () => {}] = kinds[roll(kinds.length)] ?? [];
      const shown = (value: Any) => JSON.stringify(value, null, roll(2));
      const choices = (of: Any) => approvalsOf({ ...of, approvals: plan.approvals }, other, all);
      const kind = roll(40);
      if (kind > 26) {
        bytes[roll(bytes.length)] = roll(256);
        return ['a byte', bytes];
      }
      if (kind > 20) {
        const at = roll(bytes.length);
        return ['bytes are cut', Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + roll(40))])];
      }
      if (kind === 0) {
        const isLate = roll(2) === 0;
        const now = isLate ? Date.parse(plan.expires) + roll(HOUR) : NOW - 6 * 60_000 - 1 - roll(HOUR);
        return ['at another time', text, now];
      }
      if (kind === 1) {
        const lists = choices(plan);
        return ['other approvals', shown({ ...plan, approvals: lists[roll(lists.length)] })];
      }
      edit(copy, roll);
      if (kind > 4) return [how, shown(copy)];
      const changed = rehashed(copy);
      if (kind === 2 || changed.hash === plan.hash) return [`${how}, with a new hash`, shown(changed)];
      const lists = choices(changed);
      return [`${how}, with other approvals`, shown({ ...changed, approvals: lists[roll(lists.length)] })];
    };
    const content = ({ approvals: _, ...same }: Plan) => JSON.stringify(same);
    for (let i = 0; i < EDITS; i += 1) {
      const [how, file, now] = edited();
      writeFileSync(path, file);
      let sent: readonly string[] = [];
      try {
        const read = await readPlan(path);
        const isReplay = now === undefined && JSON.stringify(read) === JSON.stringify(plan);
        const applier = applying(isReplay ? used : home, policy, now);
        sent = applier.sent;
        await applier.apply(read);
        counts.same += 1;
        home = temporaryFolder();
        const isSame = content(read) === content(plan) && JSON.stringify(sent) === JSON.stringify(first.sent);
        if (isReplay || !isSame) wrong.push({ how, file: file.toString(), sent });
      } catch (error) {
        counts.refused += 1;
        if (sent.length > 0 || !(error instanceof GatectlError))
          wrong.push({ how, file: file.toString(), sent, error });
      }
    }
  }
  expect(wrong.slice(0, 3)).toEqual([]);
  expect(wrong).toHaveLength(0);
  expect(counts.refused + counts.same).toBe(PLANS * EDITS);
  expect(counts.refused).toBeGreaterThan(0.9 * PLANS * EDITS);
});

test('approvals of a plan do not count for another one that is applied at the same time', async () => {
  const { policy, anna, author } = await people();
  const home = temporaryFolder();
  const everything = { ...PURGE, what: 'everything', targets: ['example.com'] } as const;
  const refused = await approved(join(home, 'a.json'), everything, author);
  const plan = await approved(join(home, 'b.json'), WRITES[0] as PlannedWrite, author, anna);
  const { sent, apply } = applying(home, policy);
  await Promise.allSettled([apply(refused), apply(plan)]);
  await Promise.allSettled([apply(plan), apply(refused)]);
  // Whichever comes first, the other is not applied at the same time: the plan may not have had its turn.
  await Promise.allSettled([apply(plan)]);
  expect(sent.map(each => JSON.parse(each)[1])).toEqual(['/cdnservices/bulkclearcache']);
});
