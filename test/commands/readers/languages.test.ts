import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BUILT_IN_LANGUAGES } from '../../../src/apis/subscriptions/languages.ts';
import { wordsIn } from '../../../src/operations/access/words/in-language.ts';
import { PAGE_WORDS } from '../../../src/operations/access/words/page-words.ts';
import { PROMPT_WORDS } from '../../../src/operations/access/words/prompt-words.ts';
import type { Words } from '../../../src/operations/access/words/words.ts';
import { DECISIONS, REASON_CODES } from '../../../src/wire/subscriptions.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { NOON, run } from '../../support/run.ts';
import { granted, wireServer } from '../../support/wire-server.ts';

const LANGUAGES = BUILT_IN_LANGUAGES.filter(language => language !== 'en');
/** Words that English needs, and that none of the other languages has. */
const ENGLISH =
  /\b(?:the|is|are|were|not|and|of|with|without|for|this|that|has|have|it|its|to|by|at|been|if|or|who|which|reader|readers|access|address|check|bought|purchases?|products?|ended|expired|allowed|denied|pending|suspended|revoked|order|reply|since|today|yesterday|none|next|line|list|copy|mask|known|unknown|undefined|null|NaN|object)\b/i;
/** Hosts, addresses, names of commands and what is typed. */
const NAMES = /[\w.+-]+@[\w.-]+|https?:\S+|gatectl reader --web|--\w+/g;

const ITEM = 'https://example.com/a';
const STATUSES = ['active', 'expired', 'not_started', 'suspended', 'pending', 'revoked'];

function expectNoEnglish(text: string): void {
  const rest = text.replaceAll(NAMES, '');
  expect(ENGLISH.exec(rest)?.[0], rest).toBeUndefined();
}

interface State {
  decision: string;
  reasonCode: string | undefined;
  held: readonly string[];
  purchases: readonly object[];
}

/** A gateway with one state for every reader, which may change. */
async function gatewayIn(state: State) {
  const server = await wireServer(({ target }) => {
    if (target.includes('/access'))
      return granted({ decision: state.decision, reasonCode: state.reasonCode });
    return granted(target.includes('/purchases') ? state.purchases : state.held);
  });
  onTestFinished(() => server.close());
  const env = {
    GATECTL_BASE_URL: server.baseUrl,
    GATECTL_API_KEY: 'some-key',
    GATECTL_DOMAIN: 'example.com',
  };
  const homedir = temporaryFolder();
  return (words: readonly string[], options: Parameters<typeof run>[1] = {}) =>
    run(['reader', ...words], { env, homedir, now: NOON, ...options });
}

const NOTHING = { held: [], purchases: [] };
const bought = STATUSES.flatMap((status, at) => [
  { productKey: `p${at}`, status, expiresAt: '2024-06-30T23:59:59Z' },
  { item: `https://example.com/${at}`, status },
]);
const STATES: readonly State[] = [
  ...DECISIONS.map(decision => ({ decision, reasonCode: undefined, ...NOTHING })),
  ...REASON_CODES.map(reasonCode => ({ decision: 'denied', reasonCode, ...NOTHING })),
  { decision: 'denied', reasonCode: 'no_entitlement', held: ['premium'], purchases: bought },
  {
    decision: 'allowed',
    reasonCode: 'allowed',
    held: ['premium'],
    purchases: [{ item: ITEM, status: 'active' }],
  },
  {
    decision: 'allowed',
    reasonCode: 'allowed',
    held: ['premium'],
    purchases: [
      { productKey: 'premium', status: 'active', expiresAt: '2031-12-31T00:00:00Z', orderId: 'A-1044' },
      { item: ITEM, status: 'pending' },
    ],
  },
  {
    decision: 'unknown_product',
    reasonCode: 'unknown_product',
    held: ['premum'],
    purchases: [{ item: ITEM }],
  },
];

describe.each(LANGUAGES)('in %s', language => {
  test('the whole answer of every state is in this language, the second one too', async () => {
    const state: State = { decision: '', reasonCode: '', ...NOTHING };
    const ask = await gatewayIn(state);
    for (const [at, next] of STATES.entries()) {
      Object.assign(state, next);
      const text = `From: r${at % 2}@example.com\n\n#77012 #A-1044 Erstattung https://example.com/a/?utm_source=x https://x.example.org/ +premium`;
      for (const words of [[text], [text, '--item', ITEM, '--mask']]) {
        const { code, stdout, stderr } = await ask([...words, '--language', language]);
        expect(code).toBe(0);
        expectNoEnglish(stdout);
        expectNoEnglish(stderr.replaceAll(/\bFrom\b/g, ''));
      }
    }
  });

  test('a list is, in what people read', async () => {
    const ask = await gatewayIn({ ...NOTHING, decision: 'denied', reasonCode: 'no_entitlement' });
    const input = Buffer.from(
      'Fall;E-Mail\n1;a@example.com\n2;nichts\n3;\n4;b@example.com c@example.com\nä;\n',
      'latin1',
    );
    for (const format of ['table', 'md', 'html']) {
      const words = ['-', '--skip-invalid', '--product', 'premium', '--language', language, '-o', format];
      const { code, stdout } = await ask(words, { stdin: Readable.from([input]) });
      expect(code).toBe(0);
      expectNoEnglish(stdout.replaceAll(/<style>.*?<\/style>|<[^>]*>/gs, ' '));
    }
    expectNoEnglish((await ask(['a@example.com', '--language', language, '--product', 'x'])).stdout);
  });

  test('every text is, and is a text of its own', async () => {
    const [words, english] = await Promise.all([wordsIn(language), wordsIn('en')]);
    const [said, other] = [
      textsOf({ ...words, page: PAGE_WORDS[words.tag], prompt: PROMPT_WORDS[words.tag] }),
      textsOf({ ...english, page: PAGE_WORDS.en, prompt: PROMPT_WORDS.en }),
    ];
    expect([...said.keys()]).toEqual([...other.keys()]);
    const same = [...said].flatMap(([path, text]) => (text === other.get(path) ? [path] : []));
    expect(same.filter(path => !SAME.test(path))).toEqual([]);
    for (const [path, text] of said) if (path !== '.tag') expectNoEnglish(text.replace(/\bFrom\b/, ''));
  });
});

/** Texts that two languages share. */
const SAME = /^\.(?:no$|changes\.changed|labels\.columns\.status|steps\.about|labels\.columns\.product$)/;

/** The texts of an object of words by their paths; functions are called with samples. */
function textsOf(words: Words & Readonly<Record<'page' | 'prompt', object>>): Map<string, string> {
  const taken = {
    ...{ emails: 2, sender: 'From', others: 2, isTracked: true, asksRefund: true },
    skipped: Array.from({ length: 22 }, (_, at) => ({ unit: at % 2 ? 'line' : 'word', number: at }) as const),
    ...{ items: ['x', 'y'], orders: ['7'], ignored: ['z'] },
  };
  const samples: Record<string, readonly unknown[]> = {
    '.headline.itemsByStatus': [2, [{ word: 'x', count: 2 }]],
    '.headline.items': [2],
    '.list.granted': ['x', 1, 3, [{ word: 'y', count: 2 }]],
    '.list.opened': [{ kind: 'windows', name: 'x', hasFlag: true }],
    '.took': [taken],
    '.problems.namesNoReader': [taken],
    '.tookProducts': [['x']],
  };
  const texts = new Map<string, string>();
  const walk = (value: unknown, path: string): void => {
    if (typeof value === 'string') texts.set(path, value);
    else if (typeof value === 'function') texts.set(path, value(...(samples[path] ?? ['x', 'y', 'z'])));
    else for (const [name, each] of Object.entries(value as object)) walk(each, `${path}.${name}`);
  };
  walk(words, '');
  return texts;
}

describe('what programs read', () => {
  test('is the same in every language, but the reply', async () => {
    const state: State = { decision: '', reasonCode: '', ...NOTHING };
    for (const next of STATES) {
      Object.assign(state, next);
      const outputs = new Set<string>();
      for (const language of [...BUILT_IN_LANGUAGES, undefined]) {
        const ask = await gatewayIn(state);
        const words = ['a@example.com', '--product', 'premium', '--item', ITEM, '--json'];
        const named = language === undefined ? ['--locale', 'de-DE'] : ['--language', language];
        const { stdout } = await ask([...words, ...named], {
          homedir: temporaryFolder(),
        });
        const { reply: _, ...rest } = JSON.parse(stdout);
        outputs.add(JSON.stringify(rest));
      }
      expect(outputs.size).toBe(1);
    }
  });

  test.each(['json', 'ndjson', 'csv', 'tsv'])('a list in %s is', async format => {
    const ask = await gatewayIn({ ...NOTHING, decision: 'denied', reasonCode: 'no_entitlement' });
    const list = async (language: string) =>
      (await ask(['a@example.com', 'b@example.com', '--language', language, '-o', format])).stdout;
    expect(await list('de')).toBe(await list('en'));
    expect(await list('de')).toContain('Known at example.com');
  });
});

test('a page names its language, and a reply is its paragraphs in it', async () => {
  const html = async (...words: string[]) =>
    (await run(['reader', 'active@example.com', ...words, '--sandbox', '-o', 'html'])).stdout;
  expect(await html('--language', 'de')).toContain('<html lang="de">');
  const reply = await html('--reply', '--language', 'fr');
  expect(reply).toContain('<html lang="fr">');
  expect(reply).toContain('<p>Bonjour,</p>');
  expect(reply).not.toContain('\\n');
  const { stdout } = await run(['reader', 'active@example.com', '--reply', '--sandbox', '-o', 'md']);
  expect(stdout).toMatch(/^Hello,\n\n/);
});

test('a list in a language without replies is rejected as one reader is', async () => {
  const file = join(temporaryFolder(), 'list.csv');
  writeFileSync(file, 'email\nactive@example.com\n');
  const codes = [];
  for (const reader of [`@${file}`, 'active@example.com'])
    codes.push((await run(['reader', reader, '--language', 'pt', '--sandbox'])).code);
  expect(codes).toEqual([2, 2]);
});

test.each(['fr_FR', 'fr-ca'])('reply show takes %s for fr', async language => {
  const ran = await run(['reply', 'show', 'allowed', '--language', language]);
  expect([ran.code, ran.stdout.slice(0, 8)]).toEqual([0, 'Bonjour,']);
});

test('the headings of a workbook are those of the page, in the language', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'list.csv');
  writeFileSync(file, 'ticket,email\n1,active@example.com\n');
  const out = join(folder, 'out.xlsx');
  const ran = await run(['reader', `@${file}`, '--out', out, '--language', 'de', '--sandbox']);
  expect(ran.code).toBe(0);
  const sheets = Object.values(unzipSync(readFileSync(out)))
    .map(part => strFromU8(part))
    .join('');
  expect(sheets).toContain('Was zu tun ist');
  expect(sheets).not.toMatch(/>(?:answer|next|products)<|Page &amp;P/);
});

test.each([
  ['de', 'nicht die andere Adresse im Text', 'nicht die 2 anderen Adressen im Text'],
  ['es', 'no la otra dirección del texto', 'no las otras 2 direcciones del texto'],
  ['fr', 'pas l’autre adresse du texte', 'pas les 2 autres adresses du texte'],
  ['en', 'not the other address in the text', 'not the 2 other addresses in the text'],
])('the note in %s counts other addresses and pages', async (language, one, two) => {
  const { took } = await wordsIn(language);
  const nothing = {
    sender: 'From',
    skipped: [],
    orders: [],
    asksRefund: false,
    isTracked: false,
    ignored: [],
  };
  const items = ['https://a.example.com/', 'https://b.example.com/'];
  expect(took({ ...nothing, emails: 1, others: 1, items: [] })).toContain(one);
  expect(took({ ...nothing, emails: 1, others: 2, items: [] })).toContain(two);
  expect(took({ ...nothing, emails: 1, others: 0, items })).toMatch(
    /(?:pages|Seiten|páginas) https:\S+ (?:and|und|y|et) https/,
  );
});

test.each([
  ['de', 'Reader: 0 von 1 Leser mit Zugang; 1 ohne Zugang (Adresse bekannt)'],
  ['es', 'Reader: 0 de 1 lector con acceso; 1 sin acceso (dirección conocida)'],
  ['en', 'Reader: 0 of 1 reader with access; 1 without access (known)'],
])('the summary in %s has a word alone for one reason', async (language, text) => {
  const { list, codes } = await wordsIn(language);
  expect(list.granted('Reader', 0, 1, [{ word: codes.known, count: 1 }])).toBe(text);
});

test('the reply to an unknown address says so', async () => {
  const { stdout } = await run(['reader', 'nobody@example.com', '--language', 'de', '--sandbox']);
  expect(stdout).toContain('(Adresse unbekannt, de)');
});
