import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * Words that pages, help and messages do not use, each with the word to use. One thing has one word everywhere, and it is the one of the
 * field; commands are not persons; an option is described by what it does.
 */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:anew|sober\w*|squeez\w+|oddit\w+|thereof|whereupon)\b/i, 'again, clean, …: a plain word'],
  [/\b(?:goes|go|went|going) on\b(?! the)/i, 'continue'],
  [/\b(?:goes|go|went) wrong\b/i, 'fail'],
  [/\bleav(?:e|es|ing) (?:\w+ ){0,2}out\b|\bleft out\b/i, 'omit'],
  [/\b(?:begin|begins|begun)\b/i, 'start'],
  [/\b(?:told|tells?)\b(?! the user)/i, 'print, report, detect'],
  [/\b(?:wants?|wanted)\b/i, 'require; target'],
  [/\b(?:remember\w*|forgets?|forgot|forgotten)\b/i, 'store, delete'],
  [/\brefus(?:e|es|ed|al|als)\b/i, 'reject; a connection is refused'],
  [/\bin hand\b/i, 'in progress'],
  [/\b(?:is|are|was|were|be|never|while) (?:not )?answered\b|\banswered with\b|\bno answer\b/i, 'response'],
  [/\bwhole\b(?! (?:domain|number))/i, 'complete, all of'],
  [/\bexclude each other\b/i, 'cannot be combined'],
  [/(?<!there )is no (?:\w+ )?(?:integer|number|day|date|path|address|URL|name|domain)\b/i, 'is not a'],
  [/\band (?:its|the|their) likes?\b/i, 'and similar; compatible'],
  [/\blead(?:s|ing)? to nothing\b|\bwhat [\w, ]{1,30} leads? to\b/i, 'which URLs it purges'],
  [/\b(?:that|which|metric) (?:is|was) off\b/i, 'unusual'],
  [/\b(?:is|was) (?:not )?said\b|\bsays so\b/i, 'print, report'],
  [/\bmint(?:s|ed)?\b/i, 'create'],
  [/\bmisbehav\w+\b/i, 'simulate failures'],
  [/\bwith (?:it|them) in (?:it|them)\b/i, 'that contains'],
  [/\b(?:carr(?:y|ies|ied)) (?:\w+ )?out\b/i, 'run'],
  [/\b(?:turn(?:s|ed)?) (?:it |this |that )?(?:down|off|on)\b/i, 'disable, enable'],
  [/\bundo-plan\b/i, '--repeat-plan'],
  [
    /\b(?:behaviour|grey|colours?|(?:synchron|optim|capital|recogn|normal|initial|serial)is(?:e|es|ed|ing))\b/i,
    'US spelling',
  ],
  [/\b(?:can|won|don|doesn|isn|aren|didn)['’]t\b/i, 'cannot, do not, …'],
];

/** Texts in which a word above has another meaning. */
const ALLOWED =
  /connections? (?:was |is )?refused|refused (?:the connection|by|\()|the proxy refused|ECONNREFUSED|connection_refused/gi;

function breachesOf(text: string, place: string): string[] {
  const rest = text.replaceAll(ALLOWED, '');
  return WORDS.flatMap(([word, instead]) => {
    const found = word.exec(rest);
    return found === null ? [] : [`${place}: "${found[0]}" (${instead}): ${rest.slice(0, 160)}`];
  });
}

const markdown = (folder: string) =>
  readdirSync(ROOT + folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.md'))
    .map(name => `${folder}/${name}`);

// Recorded output, and records of measurements that are compared with earlier ones.
const RECORDED = ['docs/mcp-sessions.md'];
const PAGES = [
  ...markdown('docs'),
  ...markdown('skills'),
  'site/index.md',
  ...readdirSync(ROOT).filter(name => name.endsWith('.md')),
].filter(page => !RECORDED.includes(page));

/** The lines of a page that are prose: no code, neither in blocks nor inline. */
function proseOf(page: string): { line: number; text: string }[] {
  let isCode = false;
  return readFileSync(ROOT + page, 'utf8')
    .split('\n')
    .flatMap((text, at) => {
      if (text.trimStart().startsWith('```')) isCode = !isCode;
      return isCode ? [] : [{ line: at + 1, text: text.replaceAll(/`[^`]*`/g, '…') }];
    });
}

test.each(PAGES)('%s uses the words of the field', page => {
  expect(proseOf(page).flatMap(({ line, text }) => breachesOf(text, `${page}:${line}`))).toEqual([]);
});

test('a word of the list is found, a refused connection is not', () => {
  expect(breachesOf('the run goes on', 'here')).toEqual(['here: "goes on" (continue): the run goes on']);
  expect(breachesOf('connection refused by db.example.com', 'here')).toEqual([]);
});

test('every page that people read is tested', () => {
  expect(PAGES).toEqual(expect.arrayContaining(['README.md', 'docs/reference.md', 'docs/faults.md']));
  expect(PAGES.length).toBeGreaterThan(35);
});

/** Prose is a text of several words; what has fewer is a name, a keyword or part of one. */
const isSentence = (text: string) =>
  /^[^\n]*[a-z]+ [a-z]+ /i.test(text) && !/^(?:select|insert|create|alter|begin|with) /i.test(text);

const STRING = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`/g;

/** The texts of a source file: strings and templates, without comments, types and the expressions in templates. */
function textsOf(path: string): string[] {
  const { code } = transformSync(readFileSync(ROOT + path, 'utf8'), { loader: 'ts', charset: 'utf8' });
  return [...code.matchAll(STRING)]
    .map(([text]) => text.slice(1, -1).replaceAll(/\$\{[^}]*\}/g, '…'))
    .filter(isSentence);
}

// Words that people type in a search, whatever the field calls them.
const SEARCHED = ['src/cli/synonyms.ts', 'src/text/search-terms.ts'];

test('messages, hints and help in src use the words of the field', () => {
  const sources = readdirSync(`${ROOT}src`, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => `src/${name}`)
    .filter(path => !SEARCHED.includes(path));
  const texts = sources.flatMap(path => textsOf(path).map(text => ({ path, text })));
  expect(texts.length).toBeGreaterThan(3000);
  expect(texts.flatMap(({ path, text }) => breachesOf(text, path))).toEqual([]);
});
