import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BUILT_IN_LANGUAGES } from '../../../src/apis/subscriptions/languages.ts';
import { assertTemplate } from '../../../src/apis/subscriptions/replies/reply.ts';
import { BUILT_IN } from '../../../src/apis/subscriptions/replies/templates.ts';
import { SITUATIONS } from '../../../src/apis/subscriptions/situation.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { NOON, run } from '../../support/run.ts';
import { granted, wireServer } from '../../support/wire-server.ts';

const inHome = (home: string, ...args: string[]) =>
  run([...args, '--sandbox'], { env: { HOME: home, PATH: process.env.PATH ?? '' }, homedir: home });

describe('the whole answer', () => {
  test('says each decision in words, the nearest handle, what to do, what has changed and a reply', async () => {
    const home = temporaryFolder();
    const ask = () => inHome(home, 'reader', 'expired@example.com', '--mask', '--product', 'premum');
    const ran = await ask();
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toBe(`Reader e***@example.com at example.com
No access to premum: this site has no active product with this handle.
No access to premium: the access ended on 30 June 2024.

Access
PRODUCT  ACCESS  REASON           IN WORDS                                          NEAREST
premum   no      unknown_product  this site has no active product with this handle  premium
premium  no      expired          the access ended on 30 June 2024                  –

What to do
premum: did you mean premium? check the handle's spelling, and that the product is active for this domain
premium: the reader can subscribe again

Purchases
PRODUCT  STATUS   ENDS
premium  expired  2024-06-30 23:59:59 UTC

Since last time
First look; nothing to compare with.

Reply (expired, en)
Hello,

your access to premium on example.com has ended. You can subscribe again at any time on example.com; your access starts at once.

Kind regards
`);
    expect((await ask()).stdout).toContain('\nSince today, 12:00\nNo decision has changed.\n');
  });

  test.each([
    ['active', 'Access to premium and sports.', 'the reader has access until 31 December 2031'],
    ['lifetime', 'Access to premium.', 'the reader has access, without an end date'],
    ['suspended', 'No access to premium: the subscription is on hold', 'check the payment'],
    ['revoked', 'No access to premium: the access was revoked.', 'check for a refund'],
    [
      'nobody',
      'This address is not known at example.com.',
      'Check the spelling, or ask which address is on the receipt.',
    ],
    [
      'item',
      'Bought 2 single items: 1 active, 1 expired.',
      'your access to https://example.com/articles/long-read',
    ],
    ['removed', 'No access to', 'no active product with this handle'],
    ['removed', 'No access to', 'print-archive: bought a product that is no longer offered'],
  ])('%s', async (name, first, also) => {
    const { stdout } = await inHome(temporaryFolder(), 'reader', `${name}@example.com`);
    expect(stdout.split('\n').slice(1, 5).join('\n')).toContain(first);
    expect(stdout).toContain(also);
  });

  test('another spelling of a bought page is denied as typed, and the reply is about the page that was bought', async () => {
    const words = ['reader', 'item@example.com', '--item', 'https://www.example.com/articles/long-read/'];
    const { stdout } = await inHome(temporaryFolder(), ...words);
    const read = 'https://example.com/articles/long-read';
    expect(stdout).toContain(`long-read/ as typed, but to ${read}.`);
    expect(stdout).toContain(`long-read/: not bought, but ${read} is: the reader has access now`);
    expect(stdout).toContain(`Reply (allowed, en)`);
  });

  test.each([
    ['expired', 'the reader can buy it again', 'You can buy it again at any time'],
    ['suspended', 'check the payment of the purchase', 'your purchase of x is on hold'],
    ['not_started', 'look up the start date in the order', 'your purchase of x is confirmed'],
  ])('nobody subscribes to a single item: %s', async (reasonCode, next, reply) => {
    const decision = reasonCode === 'expired' ? 'expired' : 'denied';
    const server = await wireServer(({ target }) =>
      granted(target.includes('/access') ? { decision, reasonCode } : []),
    );
    onTestFinished(() => server.close());
    const env = {
      GATECTL_BASE_URL: server.baseUrl,
      GATECTL_API_KEY: 'some-key',
      GATECTL_DOMAIN: 'example.com',
    };
    const { stdout } = await run(['reader', 'a@example.com', '--item', 'x'], { env });
    expect(stdout).toContain(`x: ${next}`);
    expect(stdout).toContain(reply);
    expect(stdout).not.toMatch(/subscri/i);
    const product = await run(['reader', 'a@example.com', '--product', 'x'], { env });
    expect(product.stdout).toMatch(/subscri/i);
  });

  test('a page of a signature is no item on which a reply denies the reader', async () => {
    const text = 'From: active@example.com\n\nhelp\n--\nhttps://www.linkedin.com/in/anna';
    const ran = await inHome(temporaryFolder(), 'reader', text);
    expect(ran.stderr).toBe('note: using the address of From, not the pages of www.linkedin.com\n');
    expect(ran.stdout).not.toContain('linkedin');
    expect(ran.stdout).toContain('Reply (allowed, en)');
  });

  test('items are counted by status where not all are active, and what to do about the others is said', async () => {
    const statuses = ['active', 'pending', 'pending', 'revoked'];
    const server = await wireServer(({ target }) =>
      granted(
        target.includes('/purchases') ? statuses.map((status, at) => ({ item: `a${at}`, status })) : [],
      ),
    );
    onTestFinished(() => server.close());
    const env = {
      GATECTL_BASE_URL: server.baseUrl,
      GATECTL_API_KEY: 'some-key',
      GATECTL_DOMAIN: 'example.com',
    };
    const { stdout } = await run(['reader', 'a@example.com'], { env });
    expect(stdout).toContain('Bought 4 single items: 1 active, 2 pending, 1 revoked.\n');
    expect(stdout).toContain('\nWhat to do\na1 is pending: check it as an item for the decision\n');
    statuses.splice(0, 3);
    expect((await run(['reader', 'a@example.com'], { env })).stdout).toContain(
      'Bought one single item, which is revoked.\n',
    );
  });

  test('an end is said only where the purchases prove it, in the time zone of the agent', async () => {
    let purchases: object[] = [];
    const server = await wireServer(({ target }) => {
      if (target.includes('/access')) return granted({ decision: 'expired', reasonCode: 'expired' });
      return granted(target.includes('/purchases') ? purchases : []);
    });
    onTestFinished(() => server.close());
    const env = {
      GATECTL_BASE_URL: server.baseUrl,
      GATECTL_API_KEY: 'some-key',
      GATECTL_DOMAIN: 'example.com',
    };
    const meaning = async (entries: object[]) => {
      purchases = entries.map(entry => ({ productKey: 'premium', status: 'expired', ...entry }));
      const words = ['reader', 'a@example.com', '--product', 'premium', '--tz', 'Europe/Berlin'];
      return (await run([...words, '--jq', '.decisions[0].meaning'], { env })).stdout.trim();
    };
    const [past, later] = [{ expiresAt: '2024-06-30T23:59:59Z' }, { expiresAt: '2027-01-01T00:00:00Z' }];
    expect(await meaning([past, { expiresAt: '2023-01-01T00:00:00Z' }])).toBe(
      'the access ended on 1 July 2024',
    );
    expect(await meaning([past, { status: 'revoked', expiresAt: '2025-01-01T00:00:00Z' }])).toBe(
      'the access ended on 1 July 2024',
    );
    for (const unclear of [
      [],
      [{ ...past, status: 'revoked' }],
      [past, { ...past, status: 'active' }],
      [past, later],
      [past, {}],
      [{ expiresAt: 'soon' }],
      [{ ...past, productKey: 'x' }],
    ])
      expect(await meaning(unclear)).toBe('the reader had access, and it has ended');
  });

  test('an order number is looked for in the purchases, a page is an item, a request for a refund is answered', async () => {
    const server = await wireServer(({ target }) => {
      if (target.includes('/access')) return granted({ decision: 'allowed', reasonCode: 'allowed' });
      const purchase = { productKey: 'premium', status: 'active', orderNumber: 'A-1044' };
      return granted(target.includes('/purchases') ? [purchase] : ['premium']);
    });
    onTestFinished(() => server.close());
    const env = {
      GATECTL_BASE_URL: server.baseUrl,
      GATECTL_API_KEY: 'some-key',
      GATECTL_DOMAIN: 'example.com',
    };
    const text = 'From: a@example.com\n\nOrder #a-1044, order 77012: please refund';
    const ran = await run(['reader', text, '--jq', '.next[-4:]'], { env });
    expect(JSON.parse(ran.stdout)).toEqual([
      'Order a-1044 is the purchase of premium, status active.',
      'Order 77012: no purchase of this reader shows this number; ask for the address on the receipt.',
      expect.stringMatching(/^Refund: issue it where the reader paid/),
      expect.stringMatching(/^The reply does not mention the refund/),
    ]);
  });

  test('an order number that the API cannot tell is not said to be missing', async () => {
    const words = ['reader', 'order 77012 of active@example.com', '--jq', '.next[-1]'];
    expect((await inHome(temporaryFolder(), ...words)).stdout).toBe(
      'Order 77012 cannot be matched: the API has no order numbers of purchases; ask for the address on the receipt.\n',
    );
  });

  test.each([
    ['active', 'your access to premium on example.com is active'],
    ['suspended', 'your subscription to premium on example.com is on hold'],
  ])(
    'a page in a paste that was never for sale leaves the reply to the products: %s',
    async (reader, said) => {
      const page = 'https://www.example.com/sports/';
      const pasted = await run(['reader', `${reader}@example.com ${page}`, '--reply', '--sandbox']);
      expect(pasted.stdout).toContain(said);
      const named = await run(['reader', `${reader}@example.com`, '--item', page, '--reply', '--sandbox']);
      expect(named.stdout).toContain(`no active purchase of ${page}`);
    },
  );

  test('shows what changed since the last call, and stores no address', async () => {
    let reasonCode = 'allowed';
    const server = await wireServer(({ target }) => {
      if (!target.includes('/access')) return granted([]);
      return granted({ decision: reasonCode === 'allowed' ? 'allowed' : 'denied', reasonCode });
    });
    const home = temporaryFolder();
    const ask = async (now: number) => {
      const words = ['reader', 'maria.lopez@example.com', '--mask', '--product', 'premium', '--json'];
      const env = {
        GATECTL_BASE_URL: server.baseUrl,
        GATECTL_API_KEY: 'some-key',
        GATECTL_DOMAIN: 'example.com',
      };
      return JSON.parse((await run(words, { env, homedir: home, now })).stdout);
    };
    expect(await ask(NOON)).toMatchObject({ reader: 'm***@example.com', changes: null, added: null });
    reasonCode = 'suspended';
    expect(await ask(NOON + 1000)).toMatchObject({
      since: '2026-03-14T12:00:00.000Z',
      changes: [{ product: 'premium', change: 'allowed → suspended', from: '2026-03-14T12:00:00.000Z' }],
    });
    expect(await ask(NOON + 2000)).toMatchObject({
      since: '2026-03-14T12:00:01.000Z',
      changes: [],
      added: [],
    });
    reasonCode = 'allowed';
    expect((await ask(NOON + 3000)).reply).toMatchObject({ about: 'allowed', product: 'premium' });
    await server.close();
    const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter(file => file.isFile());
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) {
      expect(file.name).not.toContain('maria');
      expect(readFileSync(join(file.parentPath, file.name), 'latin1')).not.toMatch(/maria|lopez|@example/);
    }
  });

  test('says what was seen last time and is not in the answer now, once, and who is unknown now', async () => {
    let [held, isKnown] = [['premium'], true];
    const server = await wireServer(({ target }) => {
      if (target.includes('/products')) return granted(held);
      if (target.includes('/purchases')) return granted([]);
      const decision = !isKnown ? 'login_required' : held.length > 0 ? 'allowed' : 'denied';
      return granted({ decision, reasonCode: isKnown ? decision : 'customer_required' });
    });
    onTestFinished(() => server.close());
    const homedir = temporaryFolder();
    const env = {
      GATECTL_BASE_URL: server.baseUrl,
      GATECTL_API_KEY: 'some-key',
      GATECTL_DOMAIN: 'example.com',
    };
    const since = async () => {
      const { stdout } = await run(['reader', 'v@example.com'], { env, homedir, now: NOON });
      return /\nSince [^\n]+\n(.*?)\n\n/s.exec(stdout)?.[1];
    };
    expect(await since()).toContain('First look');
    held = [];
    expect(await since()).toBe('premium: allowed before, not listed now');
    expect(await since()).toBe('No decision has changed.');
    isKnown = false;
    expect(await since()).toBe('the reader: known → unknown');
    [held, isKnown] = [['premium'], true];
    expect(await since()).toBe('the reader: unknown → known');
    held = [];
    isKnown = false;
    expect(await since()).toBe('the reader: known → unknown\npremium: allowed before, not listed now');
  });

  test.each(['=40', '%40'])(
    'a page with an address in it, with %s for the @, is recognized the next time, and stored without it',
    async at => {
      let decision = 'allowed';
      const server = await wireServer(({ target }) =>
        granted(target.includes('/access') ? { decision, reasonCode: decision } : []),
      );
      onTestFinished(() => server.close());
      const homedir = temporaryFolder();
      const env = {
        GATECTL_BASE_URL: server.baseUrl,
        GATECTL_API_KEY: 'some-key',
        GATECTL_DOMAIN: 'example.com',
      };
      const since = async (...items: string[]) => {
        const words = ['reader', 'vera@example.com', ...items.flatMap(item => ['--item', item]), '-o', 'md'];
        return /\n#+ Since [^\n]+\n\n(.*?)\n\n/s.exec(
          (await run(words, { env, homedir, now: NOON })).stdout,
        )?.[1];
      };
      const item = `https://example.com/a?c=vera${at}example.com`;
      await since(item);
      for (const file of readdirSync(homedir, { recursive: true, withFileTypes: true }))
        if (file.name.endsWith('.json'))
          expect(readFileSync(join(file.parentPath, file.name), 'utf8')).not.toContain('vera');
      expect(await since(item)).toBe('No decision has changed.');
      decision = 'denied';
      expect(await since(item)).toContain(`${item}: allowed → denied`);
    },
  );

  test('decisions are as old as the clock says that asks, even years ahead of the files', async () => {
    const homedir = temporaryFolder();
    const env = {
      HOME: homedir,
      PATH: process.env.PATH ?? '',
      GATECTL_SANDBOX_CLOCK: '2031-05-01T12:00:00Z',
    };
    const ask = async () =>
      (await run(['reader', 'active@example.com', '--sandbox'], { env, homedir })).stdout;
    expect(await ask()).toContain('First look');
    expect(await ask()).toContain('No decision has changed.');
  });

  test('says nothing of what was asked about last time alone', async () => {
    const home = temporaryFolder();
    const page = 'https://example.com/articles/long-read';
    await inHome(home, 'reader', 'item@example.com', '--item', page, '--product', 'premium');
    const { stdout } = await inHome(home, 'reader', 'item@example.com', '--product', 'premium');
    expect(stdout).toContain('No decision has changed.');
    expect(stdout).not.toContain('not listed now');
  });

  test('a session token that is not known is asked to sign in again, in each language', async () => {
    const server = await wireServer(({ target }) =>
      granted(
        target.includes('/access') ? { decision: 'login_required', reasonCode: 'customer_required' } : [],
      ),
    );
    onTestFinished(() => server.close());
    const env = {
      GATECTL_BASE_URL: server.baseUrl,
      GATECTL_API_KEY: 'some-key',
      GATECTL_DOMAIN: 'example.com',
    };
    for (const language of BUILT_IN_LANGUAGES) {
      const words = ['reader', '--reader-token', 'an-unknown-token', '--json', '--language', language];
      const { reply } = JSON.parse((await run(words, { env })).stdout);
      expect(reply).toMatchObject({ about: 'login_required_session', language });
      expect(reply.text).toMatch(/sign in again|wieder an|de nuevo|reconnecter/);
    }
  });

  test('a known reader without purchases is asked for the address on the receipt', async () => {
    const server = await wireServer(({ target }) =>
      granted(target.includes('/access') ? { decision: 'denied', reasonCode: 'no_entitlement' } : []),
    );
    onTestFinished(() => server.close());
    const env = {
      GATECTL_BASE_URL: server.baseUrl,
      GATECTL_API_KEY: 'some-key',
      GATECTL_DOMAIN: 'example.com',
    };
    const { stdout } = await run(['reader', 'a@example.com'], { env });
    expect(stdout).toContain(
      'What to do\nAsk which address is on the receipt: nothing was bought with this one.\n',
    );
    expect(stdout).toContain('we found no purchase under this e-mail address on example.com.');
  });

  test('what to do says that the reply does not mention a refund', async () => {
    const { stdout } = await inHome(
      temporaryFolder(),
      'reader',
      'active@example.com\nIch will mein Geld bitte zurück',
    );
    expect(stdout).toContain('The reply does not mention the refund: add a sentence about it.');
  });

  test('works with a warning if nothing can be stored', async () => {
    const ran = await inHome('/dev/null', 'reader', 'active@example.com');
    expect([ran.code, ran.stdout.split('\n')[0]]).toEqual([0, 'Reader active@example.com at example.com']);
    expect(ran.stderr).toContain('warning: the decisions are not stored: ');
  });

  test('a damaged key is named with its remedy, here and by doctor', async () => {
    const home = temporaryFolder();
    await inHome(home, 'reader', 'active@example.com');
    const key = join(home, '.local/state/gatectl/readers/key');
    writeFileSync(key, 'short');
    const remedy = `remove it: rm ${key}; results that are stored by then are no longer recognized`;
    const ran = await inHome(home, 'reader', 'active@example.com');
    expect(ran.stderr).toBe(
      `warning: the decisions are not stored: ${key} is damaged: it must have 32 bytes\n  ${remedy}\n`,
    );
    const { stdout } = await inHome(home, 'doctor', '--json');
    expect(stdout).toContain(JSON.stringify(remedy));
  });

  test('without a home nothing is stored, and that is no failure', async () => {
    const ran = await run(['reader', 'active@example.com', '--sandbox']);
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toContain('Changes are unknown');
  });

  test.each([
    [['a@example.com', '--out', 'a.csv'], 'one reader and --out cannot be combined'],
    [['@list.csv', '--reply'], 'a list of readers and --reply cannot be combined'],
    [['@list.csv', '--products', '--product', 'p'], '--products and --product or --item cannot be combined'],
  ])('%j is rejected', async (words, message) => {
    const ran = await inHome('/', 'reader', ...words);
    expect([ran.code, ran.stderr.split('\n')[0]]).toEqual([2, `error: ${message}`]);
  });

  test('a list says what changed for each reader, in it or alone, and stores no address', async () => {
    const reasons = new Map([
      ['anna', 'allowed'],
      ['ben', 'allowed'],
    ]);
    const server = await wireServer(({ target, headers }) => {
      if (!target.includes('/access')) return granted([]);
      const name = JSON.stringify([headers, target]).match(/anna|ben/)?.[0] ?? '';
      const reasonCode = reasons.get(name) ?? 'no_entitlement';
      return granted({ decision: reasonCode === 'allowed' ? 'allowed' : 'denied', reasonCode });
    });
    onTestFinished(() => server.close());
    const homedir = temporaryFolder();
    const env = {
      GATECTL_BASE_URL: server.baseUrl,
      GATECTL_API_KEY: 'some-key',
      GATECTL_DOMAIN: 'example.com',
    };
    const changes = async (...names: string[]) => {
      const words = names.map(name => `${name}@example.com`);
      const ran = await run(['reader', ...words, '--product', 'premium', '--json'], {
        env,
        homedir,
        now: NOON,
      });
      const data = JSON.parse(ran.stdout);
      return Array.isArray(data) ? data.map(({ changed }) => changed) : data.changes;
    };
    expect(await changes('anna', 'ben')).toEqual([null, null]);
    expect(await changes('anna', 'ben')).toEqual([null, null]);
    reasons.set('ben', 'suspended');
    expect(await changes('anna', 'ben')).toEqual([null, 'premium: allowed → suspended']);
    reasons.set('anna', 'expired');
    expect(await changes('anna')).toEqual([expect.objectContaining({ change: 'allowed → expired' })]);
    expect(await changes('anna', 'ben')).toEqual([null, null]);
    const files = readdirSync(homedir, { recursive: true, withFileTypes: true }).filter(file =>
      file.isFile(),
    );
    for (const file of files)
      expect(file.name + readFileSync(join(file.parentPath, file.name), 'latin1')).not.toMatch(/anna|ben@/);
  });

  test('a list of tickets gets answers, or the products alone', async () => {
    const home = temporaryFolder();
    const path = join(home, 'tickets.csv');
    writeFileSync(path, 'ticket,email\n7,expired@example.com\n8,nobody@example.com\n');
    const ran = await inHome(home, 'reader', `@${path}`, '--csv', '--columns', 'ticket,products,answer');
    expect(ran).toEqual({
      code: 0,
      stdout: `ticket,products,answer
7,"",No access to premium: the access ended on 30 June 2024.
8,"",This address is not known at example.com.
`,
      stderr: '',
    });
    const held = await inHome(
      home,
      'reader',
      'active@example.com',
      'nobody@example.com',
      '--products',
      '-o',
      'md',
    );
    expect(held.stdout).toContain('| active@example.com | premium, sports |');
    expect(held.stdout).toContain('any product: 1 of 2 readers with access; 1 without access (no product)');
  });
});

describe('replies', () => {
  test('every language has a valid reply for every situation', () => {
    expect(Object.keys(BUILT_IN)).toEqual([...BUILT_IN_LANGUAGES]);
    for (const templates of Object.values(BUILT_IN))
      for (const situation of SITUATIONS) expect(() => assertTemplate(templates[situation])).not.toThrow();
  });

  test.each([
    ['active', 'en', 'Your access to premium on example.com is active'],
    ['suspended', 'de', 'Ihr Abonnement von premium auf example.com ruht'],
    ['nobody', 'es', 'No conocemos esta dirección de correo en example.com'],
    ['expired', 'fr', 'Votre accès à premium sur example.com a pris fin'],
  ])('reader %s --reply --language %s', async (name, language, text) => {
    const words = ['reader', `${name}@example.com`, '--reply', '--language', language];
    const ran = await inHome(temporaryFolder(), ...words);
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout.toLowerCase()).toContain(text.toLowerCase());
    expect(ran.stdout).not.toContain(`${name}@`);
  });

  test('of a language that is a form of another is that of the other; the locale chooses it', async () => {
    const env = { LANG: 'de_DE.UTF-8' };
    const reply = async (...words: string[]) =>
      (await run(['reader', 'expired@example.com', '--reply', '--sandbox', ...words], { env })).stdout;
    expect(await reply('--language', 'fr_FR')).toMatch(/^Bonjour/);
    expect(await reply('--language', 'fr_CA.UTF-8')).toMatch(/^Bonjour/);
    expect(await reply()).toMatch(/^Guten Tag/);
    const expired = await run(['reader', 'expired@example.com', '--sandbox'], { env });
    expect(expired.stdout).toContain('Der Zugang endete am 30.06.2024');
  });

  test('a language without replies is rejected, with those that have some', async () => {
    expect((await inHome('/', 'reader', 'expired@example.com', '--reply', '--language', 'nl')).stderr).toBe(
      'error: there is no reply expired in nl\n  languages: de, en, es, fr\n  to write one: gatectl reply edit expired --language nl\n',
    );
  });

  test('reply edit opens the editor, saves a valid text, and reset restores the built-in one', async () => {
    const home = temporaryFolder();
    const editor = join(home, 'editor.sh');
    writeFileSync(
      editor,
      '#!/bin/sh\n[ -z "$GATECTL_API_KEY" ] || exit 9\nprintf "Hi, {product} is paused.\\r\\n" > "$1"\n',
      {
        mode: 0o700,
      },
    );
    const env = { HOME: home, PATH: process.env.PATH ?? '', EDITOR: editor, GATECTL_API_KEY: 'some-key' };
    const path = join(home, '.config/gatectl/replies/en/suspended.txt');
    const edited = await run(['reply', 'edit', 'suspended'], { env, homedir: home });
    expect(edited).toEqual({ code: 0, stdout: '', stderr: `saved ${path}\n` });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const reply = () => inHome(home, 'reader', 'suspended@example.com', '--reply');
    expect((await reply()).stdout).toBe('Hi, premium is paused.\n');
    const listed = await inHome(home, 'reply', 'list', '--jq', '.[] | select(.changed) | [.name, .language]');
    expect(listed.stdout).toBe('["suspended","en"]\n');
    const again = await run(['reply', 'edit', 'suspended'], { env, homedir: home });
    expect(again.stderr).toBe('the reply is unchanged\n');
    expect((await inHome(home, 'reply', 'reset', 'suspended')).stderr).toBe('restored suspended in en\n');
    expect((await inHome(home, 'reply', 'reset', 'suspended')).stderr).toBe(
      'suspended in en was not changed\n',
    );
    expect((await reply()).stdout).toContain('is on hold');
  });

  test.each([
    ['Hello {prodct}', 'unknown placeholder {prodct}', 'did you mean {product}?'],
    ['Hello {name}', 'unknown placeholder {name}', 'placeholders: {product}, {domain}'],
    ['  \n', 'the reply is empty', 'to restore the built-in reply: gatectl reply reset'],
    ['a { b', 'a brace in the reply is not part of a placeholder', 'placeholders: {product}, {domain}'],
    ['a \u001b[2J', 'the reply contains the control character U+001b', undefined],
  ])('the template %j is rejected', async (text, message, hint) => {
    const home = temporaryFolder();
    const ran = await run(['reply', 'edit', 'denied', '--file', '-'], { input: text, homedir: home });
    const hints = hint === undefined ? '' : `  ${hint}\n`;
    expect(ran).toEqual({
      code: 2,
      stdout: '',
      stderr: `note: read the reply from stdin\nerror: ${message}\n${hints}`,
    });
  });

  test('a failing editor changes nothing; an invalid text is kept for correction', async () => {
    const home = temporaryFolder();
    const failing = await run(['reply', 'edit', 'denied'], {
      env: { VISUAL: 'false', PATH: process.env.PATH ?? '' },
      homedir: home,
    });
    expect([failing.code, failing.stderr]).toEqual([
      9,
      'error: the editor false failed with exit code 1; nothing was changed\n',
    ]);
    const env = { VISUAL: 'sh -c \'echo {x} > "$0"\'', PATH: process.env.PATH ?? '', TMPDIR: home };
    const invalid = await run(['reply', 'edit', 'denied'], { env, homedir: home });
    expect(invalid.code).toBe(2);
    const kept = /your text is in (.*)/.exec(invalid.stderr)?.[1] ?? '';
    expect(readFileSync(kept, 'utf8')).toBe('{x}\n');
  });

  test('without an editor and a terminal, the message names --file', async () => {
    expect((await run(['reply', 'edit', 'denied'], { homedir: temporaryFolder() })).stderr).toBe(
      'error: there is no terminal for an editor\n  pass the text: --file FILE, or --file - for stdin\n',
    );
  });

  test('a changed template that was damaged by hand is named, and can be edited', async () => {
    const home = temporaryFolder();
    const folder = join(home, '.config/gatectl/replies/de');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'denied.txt'), 'Hallo {x}');
    const words = ['reader', 'denied@example.com', '--product', 'premium', '--reply', '--language', 'de'];
    expect((await inHome(home, ...words)).stderr.split('\n')[0]).toBe(
      `error: ${join(folder, 'denied.txt')}: unknown placeholder {x}`,
    );
    const file = join(home, 'new.txt');
    writeFileSync(file, '\uFEFFHallo {product}\r\n', 'utf16le');
    expect((await inHome(home, 'reply', 'edit', 'denied', '--language', 'DE', '--file', file)).code).toBe(0);
    expect((await inHome(home, ...words)).stdout).toBe('Hallo premium\n');
  });
});
