import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readPaste } from '../../../src/apis/subscriptions/pasted-text.ts';
import { ENGLISH } from '../../../src/operations/access/words/english.ts';

const ANNA = 'anna@example.com';

/** What was taken from a text, in English. */
function takenFrom(text: string, domain?: string): string | undefined {
  const { taken } = readPaste(text, domain);
  return taken && ENGLISH.took(taken);
}

describe('the address is found in', () => {
  test.each([
    [ANNA],
    [`  ${ANNA}\n`],
    [`Anna Smith <${ANNA}>`],
    [`"Anna <${ANNA}>"`],
    [`"Smith, Anna" <${ANNA}>`],
    [`${ANNA} <${ANNA}>`],
    [`${ANNA}<mailto:${ANNA}>`],
    [`"a.smith@work.example.com" <${ANNA}>`],
    [`mailto:${ANNA}`],
    [`mailto:anna%40example.com?subject=Locked%20out&cc=desk@example.com`],
    [`'${ANNA}'`],
    [`„${ANNA}“`],
    [`«${ANNA}»`],
    [`*${ANNA}*`],
    [`E-mail:${ANNA};`],
    [`(${ANNA}).`],
    [`Please help, ${ANNA}, I paid.`],
    [`1042\tAnna Smith\t${ANNA}\t2026-03-14`],
    [`https://example.com/a?utm_source=mail&email=anna%40example.com`],
  ])('%j', text => {
    expect(readPaste(text).emails).toEqual([ANNA]);
  });

  test.each([
    ['From', `From: Anna <${ANNA}>\nTo: desk@example.com\nSubject: locked\n\nask bob@example.com`],
    ['from', `from: ${ANNA}\r\nto: desk@example.com`],
    ['Reply-To', `From: Form <noreply@example.com>\nReply-To: ${ANNA}\nTo: desk@example.com`],
    ['From', `From: =?UTF-8?Q?Anna_M=C3=BCller?=\n <${ANNA}>\nTo: desk@example.com`],
    ['Von', `> Von: Anna <${ANNA}>\n> An: desk@example.com`],
    ['De', `De : Anna <${ANNA}>\nÀ : desk@example.com`],
    ['From', `*From:* Anna <${ANNA}>\n*To:* desk@example.com`],
  ])('the header %s', (name, text) => {
    const taken = takenFrom(text);
    expect(readPaste(text).emails).toEqual([ANNA]);
    expect(taken).toMatch(
      new RegExp(
        `^using the address of ${name}(?:, not the (?:other address|\\d other addresses) in the text)?$`,
      ),
    );
    expect(taken).not.toContain('@');
  });
});

test('two addresses are a list, each once', () => {
  expect(readPaste(`${ANNA}, bob@example.com; ANNA@example.com`).emails).toEqual([ANNA, 'bob@example.com']);
  expect(readPaste(`mailto:${ANNA},bob@example.com`).emails).toEqual([ANNA, 'bob@example.com']);
});

test.each([
  [`${ANNA}\nexpired@example\nbob@example.com`, '2 addresses, not line 2: not an e-mail address'],
  [
    `email\n${ANNA}\nnobody\n\nbob@example.com\nx@@y`,
    '2 addresses, not line 3, line 6: not an e-mail address',
  ],
  [`${ANNA}, expired@example; bob@example.com`, '2 addresses, not word 2: not an e-mail address'],
  [`${ANNA}\n+premium\nbob@example.com`, '2 addresses'],
  [`please help ${ANNA} and\nbob@example.com, thanks`, '2 addresses'],
])('what is no address in a list is named: %j', (text, taken) => {
  expect(takenFrom(text)).toBe(`using ${taken}`);
});

test('an address with damage inside it is a problem, and never a shorter address', () => {
  for (const text of ['an\u200bna@example.com', 'see an\u200bna@example.com', 'see an\ufeffna@example.com'])
    expect(readPaste(text)).toMatchObject({
      emails: [],
      problem: expect.stringContaining('zero width space'),
    });
});

describe('pages', () => {
  test.each([
    ['https://example.com/a?utm_source=x&id=7#c', 'https://example.com/a?id=7#c'],
    ['(https://example.com/a).', 'https://example.com/a'],
    ['www.example.com/a', 'www.example.com/a'],
    [`https://example.com/a?reader=${ANNA}`, 'https://example.com/a'],
    ['https://example.com/a?reader=anna%2540example.com&p=2', 'https://example.com/a?p=2'],
    ['https://example.com/@author/a', 'https://example.com/@author/a'],
  ])('%s', (link, item) => {
    expect(readPaste(`${link} bob@example.com`).items).toEqual([item]);
  });

  test.each([
    ['Y2FybGFAZXhhbXBsZS5jb20'],
    ['Y2FybGFAZXhhbXBsZS5jb20='],
    ['Y2FybGFAZXhhbXBsZS5jb20%3D'],
    ['v1.Y2FybGFAZXhhbXBsZS5jb20.sig'],
  ])('lose a parameter with an address in base64: %s', coded => {
    expect(readPaste(`https://example.com/a?u=${coded}&p=2 ${ANNA}`).items).toEqual([
      'https://example.com/a?p=2',
    ]);
    expect(readPaste(`https://example.com/u/${coded}/a ${ANNA}`).items).toEqual([]);
  });

  test('of other domains are no items, and are named', () => {
    const text = `${ANNA} https://example.com/a https://blog.example.com/b www.linkedin.com/in/anna https://notexample.com/c`;
    expect(readPaste(text, 'example.com')).toMatchObject({
      items: ['https://example.com/a', 'https://blog.example.com/b'],
    });
    expect(takenFrom(text, 'example.com')).toBe(
      'using the address, the pages https://example.com/a and https://blog.example.com/b, not the pages of www.linkedin.com, notexample.com',
    );
    expect(readPaste('https://example.com/a', 'www.example.com').items).toEqual(['https://example.com/a']);
  });

  test.each([
    'https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fexample.com%2Fa%3Fid%3D7&data=05%7C01%7Canna%40example.com',
    'https://www.google.com/url?q=https://example.com/a%3Fid%3D7&sa=D',
    'https://urldefense.com/v3/__https://example.com/a?id=7__;!!AbC!xyz$',
  ])('are unwrapped: %s', link => {
    expect(readPaste(`${link} bob@example.com`, 'example.com').items).toEqual(['https://example.com/a?id=7']);
  });

  test('whose path has an address are no items: items are sent in a URL', () => {
    expect(readPaste(`https://example.com/u/${ANNA}/a`)).toMatchObject({ emails: [ANNA], items: [] });
  });
});

test('order numbers, products and a request for a refund are found beside the address', () => {
  const text = `${ANNA} order no. A-10442, please refund it +premium`;
  expect(takenFrom(text)).toBe('using the address, the order number A-10442, the request for a refund');
  expect(readPaste(text)).toMatchObject({
    emails: [ANNA],
    orders: ['A-10442'],
    products: ['premium'],
    asksRefund: true,
  });
  for (const ticket of ['[Ticket#20261127]', 'Ticket #20261127', 'Ticket: #20261127', 'ticket no. #20261127'])
    expect(readPaste(`Re: ${ticket} locked out, order #A-10442, ${ANNA}`).orders).toEqual(['A-10442']);
  expect(readPaste('#100442').orders).toEqual(['100442']);
  expect(readPaste(`${ANNA} +49 170 1234567`)).toMatchObject({ orders: [], products: [] });
  expect(readPaste(`Bestellnummer: 77120, ${ANNA}`).orders).toEqual(['77120']);
});

test('any text is read in time that grows with its length, and what was taken repeats no address', () => {
  for (const part of [
    'a@',
    '"a',
    '<a@b.',
    'From: ',
    'a.a.',
    'https://',
    '#1',
    "'a@b.de",
    '\u200b@',
    'a@b.de <',
  ])
    readPaste(part.repeat(100_000 / part.length));
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.emailAddress(), (text, email) => {
      const pasted = `${text} <${email}>`;
      expect(`${takenFrom(pasted)} ${readPaste(pasted).items}`).not.toContain(email);
    }),
    { numRuns: 300 },
  );
});

describe('links as mails have them', () => {
  const page = 'https://example.com/articles/long-read';
  test('Markdown names its target', () => {
    for (const text of [`[${page}](${page})`, `[the article](${page} "title")`, `([x](<${page}>)).`])
      expect(readPaste(`${ANNA} ${text}`, 'example.com').items).toEqual([page]);
    expect(readPaste(`[${ANNA}](https://example.com/a)`).emails).toEqual([ANNA]);
  });

  test('one at the end of a line may be cut', () => {
    const cut = readPaste(
      `${ANNA} https://example.com/articles/long-\nread but it is locked.`,
      'example.com',
    );
    expect([...cut.wrapped]).toEqual([['https://example.com/articles/long-', page]]);
    expect([...readPaste(`https://example.com/articles/long=\n-read, ${ANNA}`).wrapped.values()]).toEqual([
      page,
    ]);
    expect(readPaste(`${page} is locked\n${page}\n\n${ANNA}`).wrapped.size).toBe(0);
  });

  test.each([
    '',
    '/',
    '/unsubscribe',
    '/unsubscribe/x1',
    '/account',
    '/login',
    '/preferences',
    '/de/imprint',
    '/privacy',
    '/impressum',
  ])("the site's own page %j is no item", path => {
    const text = `${ANNA} ${page} https://example.com${path}`;
    expect(readPaste(text, 'example.com').items).toEqual([page]);
    expect(takenFrom(text, 'example.com')).toContain(`not the pages of example.com${path || '/'}`);
  });

  test('an article about privacy is one', () => {
    const article = 'https://example.com/privacy/why-it-matters';
    expect(readPaste(`${ANNA} ${article} https://example.com/?p=12`, 'example.com').items).toEqual([
      article,
      'https://example.com/?p=12',
    ]);
  });

  test('what is quoted is no item, and names no reader where another address is outside', () => {
    const text = `Hi, ${ANNA} here\n${page}\n\nOn Mon, 3 Mar 2026, Support <support@example.com>\nwrote:\n> see https://example.com/help/a\n> From: desk@example.com`;
    expect(readPaste(text, 'example.com')).toMatchObject({ emails: [ANNA], items: [page] });
    expect(takenFrom(text, 'example.com')).toContain('not the pages of example.com/help/a');
    expect(readPaste(`${ANNA}\n> Am 3. März schrieb support@example.com:\n> hello`).emails).toEqual([ANNA]);
    expect(readPaste(`locked out\n> I am ${ANNA}, ${page}`)).toMatchObject({ emails: [ANNA], items: [page] });
  });
});

test.each([
  ['invoice 2026/0042', ['2026/0042']],
  ['Rechnung 2026.0042.', ['2026.0042']],
  ['order 77120/', ['77120']],
  ['order no. 12', []],
])('an order number is taken as a whole: %s', (text, orders) => {
  expect(readPaste(`${text} ${ANNA}`).orders).toEqual(orders);
});

test.each([
  'Geld zurück',
  'mein Geld wieder zurück',
  'remboursement',
  'me rembourser',
  'el reembolso',
  'una devolución',
  'que me devuelvan',
])('a request for a refund: %s', text => {
  expect(readPaste(`${ANNA} ${text}`).asksRefund).toBe(true);
});

test.each([
  ['+premium,sports', ['premium', 'sports']],
  ['+premium,+sports', ['premium', 'sports']],
  ['+premium +sports', ['premium', 'sports']],
])('several products: %s', (text, products) => {
  expect(readPaste(`${ANNA} ${text}`).products).toEqual(products);
});

test.each([
  '-----Original Message-----',
  '---------- Forwarded message ---------',
  '-------- Weitergeleitete Nachricht --------',
  '---------- Message transféré ---------',
  '---------- Mensaje reenviado ----------',
  'Begin forwarded message:',
])('the sender of a forwarded mail is the reader: %s', mark => {
  const outer = 'From: Agent <agent@example.com>\nTo: desk@example.com\nSubject: FW: locked\n\nplease look';
  expect(
    readPaste(`${outer}\n${mark}\nFrom: Anna <${ANNA}>\nTo: support@example.com\n\nlocked out`).emails,
  ).toEqual([ANNA]);
});

test('the sender of an answer is the reader, whatever it quotes', () => {
  const answer = `From: Anna <${ANNA}>\nTo: Support <support@example.com>\nSubject: RE: your access\n\nstill locked`;
  const quoted = `-----Original Message-----\nFrom: Support <support@example.com>\nTo: ${ANNA}\n\nhello`;
  expect(readPaste(`${answer}\n${quoted}`).emails).toEqual([ANNA]);
});
