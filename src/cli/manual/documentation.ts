import { readOwnFile } from 'virtual:own-files';
import type { Documentation, FoundText } from '../../commands/framework/context.ts';
import { isGroup } from '../../commands/framework/define-command.ts';
import { UsageError } from '../../errors/index.ts';
import { nearest } from '../../errors/nearest.ts';
import { invalidValue } from '../../errors/usage.ts';
import type { Json } from '../../json/index.ts';
import { headingId } from '../../text/heading-id.ts';
import { type Findable, search } from '../../text/search-index.ts';
import { shellQuote } from '../../text/shell-words.ts';
import { COMMAND_SYNONYMS } from '../synonyms.ts';
import { documentationPages } from './pages.ts';
import { briefly, compactSchemaOf } from './schema.ts';
import { allPages } from './surface.ts';
import { TOPICS, topicText } from './topics.ts';

interface FindableText extends Findable {
  readonly found: FoundText;
}

/** The documentation of this version. */
export const documentation: Documentation = {
  pages: documentationPages,
  text: documentationText,
  search: searchDocumentation,
  compactSchema: compactSchemaOf,
  findCommands,
  skill: () => readOwnFile('skills/gatectl/SKILL.md'),
};

/** It names the topics, which are found themselves. */
const HELP = 'help';
/** These repeat the commands and the types, which are found themselves. */
const GENERATED_PAGES = ['reference', 'client-reference'];

/** It is printed as a page, but not listed or searched: each of its lines names what a page explains. */
const CHANGELOG = /^(?:changelog|changes|news|release-notes|releases)$/;

/** The Markdown of a page, or of a section of it (`sync#s3`). Throws UsageError for an unknown one. */
function documentationText(name: string): string {
  const [page = '', section] = name
    .toLowerCase()
    .replace(/\.md(?=#|$)/, '')
    .replace(/^(?:\.\/)?(?:docs\/)?(?:tutorials\/)?/, '')
    .split('#');
  const pages = documentationPages();
  const file = CHANGELOG.test(page) ? 'CHANGELOG.md' : pages.find(known => known.page === page)?.file;
  if (file === undefined)
    throw unknownPage(
      page,
      pages.map(known => known.page),
    );
  const text = readOwnFile(file);
  return section === undefined ? text : sectionOf(text, section, page);
}

function unknownPage(page: string, known: readonly string[]): UsageError {
  if (page.trim() === '') return invalidValue('PAGE is empty', 'gatectl docs lists the pages');
  const similar = nearest(page, known);
  return new UsageError(`no page is called '${page}'`, {
    code: 'unknown_name',
    hints: [
      similar === undefined ? 'gatectl docs lists the pages' : `did you mean gatectl docs ${similar}?`,
      `search for it: gatectl docs search ${page.startsWith('-') ? '-- ' : ''}${shellQuote(page)}`,
    ],
  });
}

/** A section with those below it. */
function sectionOf(text: string, id: string, page: string): string {
  const parts = partsOf(text);
  const at = parts.findIndex(part => headingId(part.heading) === id);
  const found = parts[at];
  if (found === undefined)
    throw new UsageError(`${page} has no section '${id}'`, {
      code: 'unknown_name',
      hints: [`one of: ${parts.map(part => headingId(part.heading)).join(', ')}`],
    });
  const end = parts.findIndex((part, index) => index > at && part.level <= found.level);
  return parts
    .slice(at, end === -1 ? undefined : end)
    .map(part => `${'#'.repeat(part.level)} ${part.heading}\n${part.text}`)
    .join('');
}

interface PagePart {
  readonly level: number;
  readonly heading: string;
  /** What comes before the next heading. */
  readonly text: string;
}

/** The parts of a page, each with its heading. A line of code may look like a heading. */
function partsOf(markdown: string): readonly PagePart[] {
  const parts: { level: number; heading: string; text: string }[] = [];
  let isCode = false;
  for (const line of markdown.split(/(?<=\n)/)) {
    if (/^ *```/.test(line)) isCode = !isCode;
    const [, marks = '', heading = ''] = (isCode ? null : /^(#{1,6}) (.+)\n/.exec(line)) ?? [];
    const last = parts.at(-1);
    if (marks !== '') parts.push({ level: marks.length, heading, text: '' });
    else if (last !== undefined) last.text += line;
  }
  return parts;
}

/** What the words describe, the best first: commands, help topics and sections of pages. */
function searchDocumentation(words: string): readonly FoundText[] {
  return search([...commandTexts(), ...topicTexts(), ...pageTexts()], words).map(({ found }) => found);
}

/** The most commands that a search prints: the first is usually the one. */
const FOUND_COMMANDS = 5;

/** The commands that do what a text describes, the best first, each with the examples that gatectl has. */
function findCommands(text: string): Json {
  return search(commandTexts(), text)
    .map(({ page }) => page)
    .slice(0, FOUND_COMMANDS)
    .flatMap(page => {
      const { path, command } = page;
      const brief = briefly(page);
      if (brief === undefined || isGroup(command)) return [];
      const examples = command.examples.map(({ does, command }) => ({ does, command }));
      return [{ name: ['gatectl', ...path].join(' '), ...brief, examples }];
    });
}

function commandTexts() {
  return allPages().flatMap(page => {
    const { path, command, flags } = page;
    const name = path.join(' ');
    if (isGroup(command) || name === HELP) return [];
    const examples = command.examples.map(({ does, command }) => `${does} ${command}`);
    return {
      page,
      title: name,
      keywords: synonymsOf(name),
      summary: `${command.summary} ${command.examples.map(({ does }) => does).join(' ')}`,
      text: [
        command.description,
        ...examples,
        ...flags.map(({ long, summary }) => `${long} ${summary}`),
      ].join('\n'),
      found: { title: `gatectl ${name}`, open: `gatectl help ${name}`, about: command.summary },
    };
  });
}

function synonymsOf(name: string): string {
  return Object.values(COMMAND_SYNONYMS)
    .flat()
    .flatMap(([words, target]) => (target === name ? [words] : []))
    .join(' ');
}

function topicTexts(): readonly FindableText[] {
  return TOPICS.map(topic => ({
    title: topic.name,
    keywords: 'syntax format written',
    summary: topic.summary,
    text: topicText(topic, undefined),
    found: { title: topic.summary, open: `gatectl help ${topic.name}`, about: `help topic: ${topic.name}` },
  }));
}

function pageTexts(): readonly FindableText[] {
  return documentationPages()
    .filter(({ page }) => !GENERATED_PAGES.includes(page))
    .flatMap(({ page, about, words, file }) => {
      const [first, ...others] = partsOf(readOwnFile(file));
      if (first === undefined) return [];
      const whole = {
        title: first.heading,
        keywords: `${page} ${words}`,
        summary: about,
        text: first.text,
        found: { title: first.heading, open: `gatectl docs ${page}`, about },
      };
      const sections = others.map(({ heading, text }) => ({
        title: heading,
        keywords: page,
        summary: '',
        text,
        found: {
          title: `${first.heading}: ${heading}`,
          open: `gatectl docs ${page}#${headingId(heading)}`,
          about: excerptOf(text),
        },
      }));
      return [whole, ...sections];
    });
}

/** The beginning of a section, without the marks of Markdown. */
function excerptOf(text: string): string {
  const plain = text
    .replace(/^ *```[\s\S]*?^ *```/gm, ' ')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*|]|^[-\d. ]+(?= )/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
  const sentence = /^.{20,}?[.:](?= |$)/.exec(plain)?.[0] ?? plain;
  return sentence.length > 160 ? `${sentence.slice(0, 157)}…` : sentence;
}
