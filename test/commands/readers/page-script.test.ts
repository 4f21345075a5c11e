import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { workspacePage } from '../../../src/commands/reader/web/page.ts';

/** As much of an element as the page's script uses. */
class FakeElement {
  textContent = '';
  className = '';
  value = '';
  hidden = false;
  lang = '';
  readonly dataset: Record<string, string> = { domain: ' example.com' };
  readonly classList = { toggle: () => {} };
  readonly children: unknown[] = [];
  readonly #listeners = new Map<string, (event: object) => void>();
  readonly #attributes = new Map<string, string>();
  addEventListener(name: string, listener: (event: object) => void) {
    this.#listeners.set(name, listener);
  }
  /** Does what the script does at an event. */
  fire(name: string) {
    this.#listeners.get(name)?.({ preventDefault: () => {} });
  }
  setAttribute(name: string, value: string) {
    this.#attributes.set(name, value);
  }
  getAttribute(name: string) {
    return this.#attributes.get(name) ?? null;
  }
  append(...children: unknown[]) {
    this.children.push(...children);
  }
  replaceChildren(...children: unknown[]) {
    this.children.splice(0, this.children.length, ...children);
  }
  focus() {}
  click() {}
}

interface Sent {
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Answers the request, and waits for what the page does then. */
  readonly answer: (data: object) => Promise<void>;
}

/** Runs the script of the page with an address. */
function opened(hash: string) {
  const { html } = workspacePage('example.com', 'en', false);
  const code = /<script>(.*)<\/script>/s.exec(html)?.[1] ?? '';
  const elements = new Map<string, FakeElement>();
  const $ = (id: string) => {
    const element = elements.get(id) ?? new FakeElement();
    elements.set(id, element);
    return element;
  };
  $('language').value = 'en';
  $('mask').setAttribute('aria-pressed', 'false');
  const sent: Sent[] = [];
  const shownAt: string[] = [];
  runInNewContext(code, {
    location: { hash, pathname: '/' },
    history: { replaceState: (_: null, __: string, url: string) => shownAt.push(url) },
    crypto: { getRandomValues: (array: Uint32Array) => array },
    document: {
      body: new FakeElement(),
      documentElement: new FakeElement(),
      getElementById: $,
      createElement: () => new FakeElement(),
      querySelectorAll: () => [],
      addEventListener: () => {},
    },
    fetch: (path: string, { body, headers }: Pick<Sent, 'body' | 'headers'>) =>
      new Promise(resolve => {
        sent.push({
          path,
          body,
          headers,
          async answer(data) {
            resolve({ json: async () => data });
            await new Promise(setImmediate);
          },
        });
      }),
  });
  const ask = (text: string) => {
    $('field').value = text;
    $('form').fire('submit');
  };
  return { $, sent, shownAt, ask };
}

const ANSWER = {
  sections: [{ title: 'Reader a@example.com', lines: ['Access to premium.'] }],
  reply: 'Hello',
};

test('the token leaves the address of the page; one without it says what to open', async () => {
  const { shownAt, $ } = opened('#secret');
  expect([shownAt, $('status').textContent]).toEqual([['/'], '']);
  const again = opened('');
  expect(again.$('status').textContent).toBe('Open the address that gatectl printed.');
  again.ask('a@example.com');
  await new Promise(setImmediate);
  expect([again.sent, again.$('field').value]).toEqual([[], 'a@example.com']);
});

test('masking and a language that are chosen while a reader is looked up apply to the answer', async () => {
  const { $, sent, ask } = opened('#secret');
  ask('a@example.com');
  $('mask').fire('click');
  $('language').value = 'de';
  $('language').fire('change');
  expect(sent).toHaveLength(1);
  await sent[0]?.answer(ANSWER);
  expect($('answer').children).toEqual([]);
  expect(sent[1]).toMatchObject({ path: '/show', headers: { 'x-mask': 'yes', 'x-language': 'de' } });
  await sent[1]?.answer(ANSWER);
  expect($('answer').children).toHaveLength(1);
  ask('b@example.com');
  $('mask').fire('click');
  expect($('answer').children).toEqual([]);
});

test('the status says the answer; an error keeps the text, and is said in a language that is chosen then', async () => {
  const { $, sent, ask } = opened('#secret');
  ask('a@example.com');
  await sent[0]?.answer({ ...ANSWER, taken: 'using the address of From' });
  expect($('status').textContent).toBe('Using the address of From. Access to premium.');
  expect($('field').value).toBe('');
  ask('hello');
  await sent[1]?.answer({ error: 'not a valid e-mail address', hints: ['pass an address'] });
  expect([$('status').textContent, $('field').value]).toEqual([
    'Not a valid e-mail address. Pass an address.',
    'hello',
  ]);
  $('language').value = 'fr';
  $('language').fire('change');
  expect(sent[2]).toMatchObject({ path: '/ask', body: '{"text":"hello"}', headers: { 'x-language': 'fr' } });
});
