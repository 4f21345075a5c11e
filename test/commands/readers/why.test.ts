import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { assertTemplate } from '../../../src/apis/subscriptions/replies/reply.ts';
import { BUILT_IN, SITUATIONS } from '../../../src/apis/subscriptions/replies/templates.ts';
import { BUILT_IN_LANGUAGES } from '../../../src/commands/framework/reader-flags.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { NOON, run } from '../../support/run.ts';
import { granted, wireServer } from '../../support/wire-server.ts';

const inHome = (home: string, ...args: string[]) =>
  run([...args, '--sandbox'], { env: { HOME: home, PATH: process.env.PATH ?? '' }, homedir: home });

describe('reader --why', () => {
  test('explains each product, with the nearest handle, what to do and a reply; the address is hidden', async () => {
    const ran = await inHome(
      temporaryFolder(),
      'reader',
      'suspended@example.com',
      '--why',
      '--product',
      'premum',
    );
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toBe(`Reader s***@example.com at example.com
This reader holds no product; one purchase in all.

Access by product
PRODUCT  ACCESS  DECISION         REASON           NEAREST
premum   no      unknown_product  unknown_product  premium
premium  no      denied           suspended        –

What it means and what to do
premum: this site has no active product with this handle; did you mean premium? check the handle's spelling, and that the product is active for this domain
premium: the subscription is on hold, so there is no access for now; check the payment of the subscription: access returns when the hold ends

Purchases
PRODUCT  STATUS     ENDS
premium  suspended  2031-12-31 23:59:59 UTC

Changes
first look on this machine; nothing to compare with

Reply (suspended, en)
Hello,

your subscription to premium on example.com is on hold, most often because a payment failed. Please check your payment method; your access returns as soon as the payment succeeds.

Kind regards
`);
  });

  test('shows what changed since the last call, and stores no address', async () => {
    let reasonCode = 'allowed';
    const server = await wireServer(({ target }) => {
      if (!target.includes('/access')) return granted([]);
      return granted({ decision: reasonCode === 'allowed' ? 'allowed' : 'denied', reasonCode });
    });
    const home = temporaryFolder();
    const ask = async (now: number) => {
      const words = ['reader', 'maria.lopez@example.com', '--why', '--product', 'premium', '--json'];
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
    await server.close();
    const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter(file => file.isFile());
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) {
      expect(file.name).not.toContain('maria');
      expect(readFileSync(join(file.parentPath, file.name), 'latin1')).not.toMatch(/maria|lopez|@example/);
    }
  });

  test('works with a warning if nothing can be stored', async () => {
    const ran = await inHome('/dev/null', 'reader', 'active@example.com', '--why', '--unmask');
    expect([ran.code, ran.stdout.split('\n')[0]]).toEqual([0, 'Reader active@example.com at example.com']);
    expect(ran.stderr).toContain('warning: the decisions are not remembered: ');
  });

  test('a damaged key is named with its remedy, here and by doctor', async () => {
    const home = temporaryFolder();
    await inHome(home, 'reader', 'active@example.com', '--why');
    const key = join(home, '.local/state/gatectl/readers/key');
    writeFileSync(key, 'short');
    const remedy = `remove it: rm ${key}; results that are stored by then are no longer recognized`;
    const ran = await inHome(home, 'reader', 'active@example.com', '--why');
    expect(ran.stderr).toBe(
      `warning: the decisions are not remembered: ${key} is damaged: it must have 32 bytes\n  ${remedy}\n`,
    );
    const { stdout } = await inHome(home, 'doctor', '--json');
    expect(stdout).toContain(JSON.stringify(remedy));
  });

  test.each([
    [['--why', '--reply'], '--why and --reply cannot be combined'],
    [['--mask', '--unmask', '--why'], '--mask and --unmask cannot be combined'],
    [['--unmask'], '--unmask requires --why'],
    [['--language', 'de'], '--language requires --why or --reply'],
  ])('%j is rejected', async (flags, message) => {
    const ran = await inHome('/', 'reader', 'active@example.com', ...flags);
    expect([ran.code, ran.stderr.split('\n')[0]]).toEqual([2, `error: ${message}`]);
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
    ['Hello {prodct}', 'there is no placeholder {prodct}', 'did you mean {product}?'],
    ['Hello {name}', 'there is no placeholder {name}', 'placeholders: {product}, {domain}'],
    ['  \n', 'the reply is empty', 'to restore the built-in reply: gatectl reply reset'],
    ['a { b', 'a brace in the reply belongs to no placeholder', 'placeholders: {product}, {domain}'],
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
      `error: ${join(folder, 'denied.txt')}: there is no placeholder {x}`,
    );
    const file = join(home, 'new.txt');
    writeFileSync(file, '\uFEFFHallo {product}\r\n', 'utf16le');
    expect((await inHome(home, 'reply', 'edit', 'denied', '--language', 'DE', '--file', file)).code).toBe(0);
    expect((await inHome(home, ...words)).stdout).toBe('Hallo premium\n');
  });
});
