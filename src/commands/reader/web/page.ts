import { createHash } from 'node:crypto';
import { BUILT_IN_LANGUAGES } from '../../../apis/subscriptions/languages.ts';
import { answerLanguage } from '../../../operations/access/words/in-language.ts';
import { PAGE_WORDS, type PageWords } from '../../../operations/access/words/page-words.ts';
import { escapeHtml } from '../../../text/markup.ts';

const STYLE = `
:root { color-scheme: light dark; --text: #1b1f24; --faint: #59636e; --line: #d8dde3; --back: #ffffff; --mark: #0060a0; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ed; --faint: #9aa5b1; --line: #3a424b; --back: #14181d; --mark: #7cc4ff; --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 16px; max-width: 760px; font: 16px/24px system-ui, sans-serif; font-variant-numeric: tabular-nums; color: var(--text); background: var(--back); }
@media (min-width: 700px) { body { padding: 32px; } }
h1 { font-size: 28px; line-height: 36px; margin: 0 0 16px; overflow-wrap: anywhere; }
h2 { font-size: 18px; line-height: 24px; margin: 24px 0 8px; overflow-wrap: anywhere; }
p { margin: 0 0 8px; overflow-wrap: anywhere; }
label, .hint { display: block; color: var(--faint); font-size: 13px; line-height: 20px; }
textarea { width: 100%; font: inherit; color: inherit; background: none; border: 1px solid var(--faint); border-radius: 4px; padding: 8px; resize: vertical; }
.masked textarea:not(:placeholder-shown) { -webkit-text-security: disc; }
.tools { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin: 8px 0; }
.tools label { display: inline-flex; gap: 8px; align-items: center; }
button, select, input { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--faint); border-radius: 4px; padding: 4px 12px; max-width: 100%; }
button { cursor: pointer; }
button[aria-pressed=true] { color: var(--back); background: var(--mark); border-color: var(--mark); }
:focus-visible { outline: 2px solid var(--mark); outline-offset: 2px; }
.rows { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: 4px 12px 4px 0; border-bottom: 1px solid var(--line); max-width: 26rem; overflow-wrap: break-word; }
.problem { color: var(--bad); }
.dropping { outline: 2px dashed var(--mark); outline-offset: -8px; }
`;

/**
 * Runs in the page, which it translates; `words` are those of each language. The question and the answer are in memory alone; texts of the
 * answer become text nodes.
 */
const script = (words: Readonly<Record<string, PageWords>>) => `
'use strict';
const WORDS = ${JSON.stringify(words).replaceAll('<', '\\u003c')};
const token = location.hash.slice(1);
// No history, picture or bookmark of the page has the token.
history.replaceState(null, '', location.pathname);
// Each page that is loaded has its own answers.
const id = [...crypto.getRandomValues(new Uint32Array(4))].join('-');
const $ = id => document.getElementById(id);
const [field, answer, status, reply, all, mask, language, file] =
  ['field', 'answer', 'status', 'copy-reply', 'copy-all', 'mask', 'language', 'file'].map($);
const asked = [];
let place = 0;
let shown = { sections: [] };
let running = 0;
let isRunning = false;

/** The words of the page: a language with replies alone has those of English. */
const wordsOf = code => WORDS[code.split('-')[0]] ?? WORDS.en;
let words = wordsOf(language.value);

const isMasked = () => mask.getAttribute('aria-pressed') === 'true';
const say = (text, isProblem = false) => {
  status.textContent = text;
  status.className = isProblem ? 'problem' : 'hint';
};
const element = (tag, text, ...children) => {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  made.append(...children);
  return made;
};

function tableOf({ title, headings, rows }) {
  const cells = (tag, texts) => texts.map(text => element(tag, text));
  const head = cells('th', headings);
  for (const cell of head) cell.scope = 'col';
  const body = rows.map(row => element('tr', undefined, ...cells('td', row)));
  const table = element('table', undefined,
    element('thead', undefined, element('tr', undefined, ...head)), element('tbody', undefined, ...body));
  const region = element('div', undefined, table);
  region.className = 'rows';
  region.tabIndex = 0;
  region.setAttribute('role', 'region');
  region.setAttribute('aria-label', title);
  return region;
}

function sectionOf(section) {
  const made = section.lines.map(line => element('p', line));
  if (section.language !== undefined) for (const line of made) line.lang = section.language;
  return element('section', undefined, element('h2', section.title), ...made,
    ...(section.rows === undefined ? [] : [tableOf(section)]));
}

function show(data) {
  shown = data;
  answer.replaceChildren(...data.sections.map(sectionOf));
  reply.hidden = data.reply === undefined;
  all.hidden = data.sections.length === 0;
}

/** What an answer is shown in: it may be chosen anew while one is looked up. */
const choice = () => language.value + (isMasked() ? ' masked' : '');

/** The last request that failed, to say what is wrong in another language. */
let failed;

/** Whether the answer is shown. It is the one to the last request, and as was chosen last. */
async function send(path, body, isAgain = path === '/show') {
  const turn = ++running;
  isRunning = true;
  say(words.lookingUp);
  const sent = choice();
  const response = token === '' ? undefined : await fetch(path, {
    method: 'POST', cache: 'no-store', body,
    headers: { authorization: 'Bearer ' + token, 'x-page': id, 'x-language': language.value, 'x-mask': isMasked() ? 'yes' : 'no' },
  }).catch(() => undefined);
  const data = token === '' ? { error: words.openAddress }
    : response === undefined ? { error: words.stopped }
    : await response.json();
  if (turn !== running) return false;
  isRunning = false;
  failed = data.error === undefined ? undefined : { path, body };
  if (sent !== choice() && token !== '' && response !== undefined)
    return failed === undefined ? await send('/show', '{}', isAgain) : await send(path, body, isAgain);
  if (data.error === undefined) {
    show(data);
    say(isAgain ? '' : [...(data.taken === undefined ? [] : [sentence(data.taken)]), ...(data.sections[0]?.lines ?? [])].join(' ') || words.done);
    return true;
  }
  show({ sections: [] });
  say([data.error, ...(data.hints ?? [])].map(sentence).join(' '), true);
  return false;
}

const sentence = text => text.charAt(0).toUpperCase() + text.slice(1).replace(/[.!?]?$/, mark => mark || '.');

async function ask() {
  const text = field.value;
  if (text.trim() !== '') asked.push(text);
  place = asked.length;
  field.value = '';
  const isAnswered = await send('/ask', JSON.stringify({ text }));
  if (!isAnswered && failed !== undefined && field.value === '') field.value = text;
  field.focus();
}

async function copy(text, done) {
  try {
    await navigator.clipboard.writeText(text);
    say(done);
  } catch {
    say(words.cannotCopy, true);
  }
}

const textOfAll = () => shown.sections.map(({ title, lines, headings, rows }) =>
  [title, ...lines, ...(rows === undefined ? [] : [headings, ...rows].map(row => row.join('\\t')))].join('\\n')).join('\\n\\n');

async function list(dropped) {
  if (dropped !== undefined) await send('/list', dropped);
  field.focus();
}

/** Says the page, and what it shows, in the chosen language. */
function translate() {
  words = wordsOf(language.value);
  document.documentElement.lang = words === WORDS.en ? 'en' : language.value.split('-')[0];
  document.title = words.title + document.body.dataset.domain;
  for (const each of document.querySelectorAll('[data-words]')) each.textContent = words[each.dataset.words];
}

/** Shows the answer as chosen now. While one is looked up, the one before is removed: the next comes as chosen. */
function showAgain() {
  if (isRunning) show({ sections: [] });
  else if (shown.sections.length > 0) send('/show', '{}');
}

function toggleMask() {
  const isOn = !isMasked();
  mask.setAttribute('aria-pressed', String(isOn));
  document.body.classList.toggle('masked', isOn);
  showAgain();
}

$('form').addEventListener('submit', event => { event.preventDefault(); ask(); });
field.addEventListener('keydown', event => {
  if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) { event.preventDefault(); ask(); }
  if (event.key === 'Escape') field.value = '';
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (step === undefined || (field.value !== '' && field.value !== asked[place])) return;
  event.preventDefault();
  place = Math.min(Math.max(place + step, 0), asked.length);
  field.value = asked[place] ?? '';
});
document.addEventListener('keydown', event => {
  if (!event.altKey) return;
  const does = { KeyC: () => reply.hidden || reply.click(), KeyM: toggleMask }[event.code];
  if (does !== undefined) { event.preventDefault(); does(); }
});
reply.addEventListener('click', () => copy(shown.reply, words.replyCopied));
all.addEventListener('click', () => copy(textOfAll(), words.answerCopied));
mask.addEventListener('click', toggleMask);
language.addEventListener('change', () => {
  translate();
  if (failed !== undefined && !isRunning) send(failed.path, failed.body);
  else showAgain();
});
$('open-list').addEventListener('click', () => file.click());
file.addEventListener('change', () => { list(file.files[0]); file.value = ''; });
for (const name of ['dragover', 'dragleave', 'drop']) document.addEventListener(name, event => {
  event.preventDefault();
  document.body.classList.toggle('dropping', name === 'dragover');
  if (name === 'drop') list(event.dataTransfer.files[0]);
});
document.body.classList.toggle('masked', isMasked());
// The browser may remember another choice.
translate();
if (token === '') say(sentence(words.openAddress), true);
field.focus();
`;

/** The page of the workspace, with the policy that it is served with: it runs one script, and asks one server. */
export function workspacePage(
  domain: string,
  language: string,
  isMasked: boolean,
): { readonly html: string; readonly policy: string } {
  const code = script(PAGE_WORDS);
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const languages = [...new Set([language, ...BUILT_IN_LANGUAGES])].map(
    each => `<option${each === language ? ' selected' : ''}>${escapeHtml(each)}</option>`,
  );
  const tag = answerLanguage(language) ?? 'en';
  const page = PAGE_WORDS[tag];
  const said = (name: keyof PageWords) => `data-words="${name}">${escapeHtml(page[name])}`;
  return {
    policy: `default-src 'none'; connect-src 'self'; script-src ${hash(code)}; style-src ${hash(STYLE)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    html: `<!doctype html>
<html lang="${tag}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(`${page.title} ${domain}`)}</title>
<style>${STYLE}</style>
</head>
<body data-domain="${escapeHtml(` ${domain}`)}">
<main>
<h1><span ${said('title')}</span> ${escapeHtml(domain)}</h1>
<form id="form" autocomplete="off">
<label for="field" ${said('field')}</label>
<textarea id="field" rows="2" autocomplete="off" autocapitalize="none" spellcheck="false" placeholder=" " aria-describedby="keys"></textarea>
<p id="keys" class="hint" ${said('keys')}</p>
<div class="tools">
<button ${said('lookUp')}</button>
<button type="button" id="mask" aria-pressed="${isMasked}" ${said('mask')}</button>
<label><span ${said('language')}</span> <select id="language">${languages.join('')}</select></label>
<button type="button" id="open-list" ${said('list')}</button>
<input type="file" id="file" accept=".csv,.tsv,.txt,.json,.xlsx" hidden>
</div>
</form>
<p id="status" class="hint" role="status"></p>
<div class="tools">
<button type="button" id="copy-reply" hidden ${said('copyReply')}</button>
<button type="button" id="copy-all" hidden ${said('copyAnswer')}</button>
</div>
<div id="answer"></div>
</main>
<script>${code}</script>
</body>
</html>
`,
  };
}
