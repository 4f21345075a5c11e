import { version } from '../../../package.json';
import { type Example, isGroup } from '../../commands/framework/define-command.ts';
import { wrap } from '../../terminal/width.ts';
import { OWN_VARIABLES } from './environment-variables.ts';
import { type FlagShape, flagGroups, GLOBAL_FLAGS, type Page, pagesDirectlyBelow } from './surface.ts';
import { argumentSyntax, flagText, nameOf, outputOf, paragraphsOf, usageOf } from './synopsis.ts';
import type { Block, Topic } from './topic.ts';
import { TOPICS } from './topics.ts';

/** Longer source lines cause style warnings in mandoc. */
const LINE = 78;

/** Characters that troff would replace by typographic ones or interpret. */
const SIGNS: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
  '"': '\\(dq',
};

/** Anything but plain words: flags, names, values. */
const NAME = /^gatectl|[^\p{L}.,;:?!()"'\u2026]/u;

/** The date of the last major change of the manual, which each page requires; the build date would make builds differ. */
const EDITION = '2026-11-21';

/** The commands to start with. */
const FIRST = ['profile add', 'access', 'cdn purge', 'bda query', 'doctor', 'completion'];

/** The man pages by file name: one per command, and one per topic. */
export function manPages(pages: readonly Page[]): ReadonlyMap<string, string> {
  return new Map([
    ...pages.map((page): [string, string] => [`${fileName(page)}.1`, commandPage(page, pages)]),
    ...TOPICS.map((topic): [string, string] => [`gatectl-${topic.name}.7`, topicPage(topic)]),
  ]);
}

const fileName = ({ path }: Pick<Page, 'path'>) => ['gatectl', ...path].join('-');

function commandPage(page: Page, pages: readonly Page[]): string {
  const { path, command, arguments: args, flags } = page;
  const output = outputOf(page);
  const isRoot = path.length === 0;
  return document([
    ...top(fileName(page), '1', command.summary),
    heading('SYNOPSIS'),
    `.B ${literal(nameOf(page))}\n${paragraph(usageOf(page))}`,
    heading('DESCRIPTION'),
    paragraphsOf(page).map(paragraph).join('\n.PP\n'),
    ...(args.length === 0
      ? []
      : [heading('ARGUMENTS'), ...args.map(arg => term(argumentSyntax(arg), arg.summary))]),
    ...(page.children.length > 0 ? [heading('COMMANDS'), ...childTerms(page, pages)] : []),
    ...(flags.length === 0 && !isRoot
      ? []
      : [heading('OPTIONS'), ...flagTerms(isRoot ? [...flags, ...GLOBAL_FLAGS] : flags)]),
    ...(isRoot || isGroup(command) ? [] : [paragraphAfterOptions(flags)]),
    ...(output === undefined
      ? []
      : [heading('JSON'), paragraph(output.shape), ...output.fields.map(fieldTerm)]),
    ...(isRoot
      ? [heading('ENVIRONMENT'), ...OWN_VARIABLES.map(({ term: name, means }) => term(name, means))]
      : []),
    ...exampleParts(isRoot ? firstSteps(pages) : isGroup(command) ? [] : command.examples),
    heading('EXIT STATUS'),
    paragraph('0 on success; the other codes are listed in gatectl-exit-codes(7).'),
    heading('SEE ALSO'),
    seeAlso(page, pages),
  ]);
}

function exampleParts(examples: readonly Example[]): string[] {
  if (examples.length === 0) return [];
  const shown = examples.map(
    ({ does, command }) => `${paragraph(/[?!]$/.test(does) ? does : `${does}:`)}\n.PP\n${display([command])}`,
  );
  return [heading('EXAMPLES'), shown.join('\n.PP\n')];
}

/** One example of each command to start with. */
function firstSteps(pages: readonly Page[]): Example[] {
  return FIRST.flatMap(name => {
    const command = pages.find(({ path }) => path.join(' ') === name)?.command;
    return command === undefined || isGroup(command) ? [] : command.examples.slice(0, 1);
  });
}

function paragraphAfterOptions(flags: readonly FlagShape[]): string {
  const text =
    'The options of all commands, such as --output, --profile and --sandbox, are described in gatectl(1).';
  return flags.length === 0 ? `${heading('OPTIONS')}\n${paragraph(text)}` : `.PP\n${paragraph(text)}`;
}

function topicPage({ name, summary, blocks }: Topic): string {
  return document([
    ...top(`gatectl-${name}`, '7', summary),
    heading('DESCRIPTION'),
    ...blocks.map((block, index) => topicBlock(block, blocks[index - 1])),
    heading('SEE ALSO'),
    references([
      'gatectl(1)',
      ...TOPICS.filter(topic => topic.name !== name).map(topic => `gatectl-${topic.name}(7)`),
    ]),
  ]);
}

function topicBlock(block: Block, before: Block | undefined): string {
  const gap = before === undefined || before.kind === 'heading' ? '' : '.PP\n';
  switch (block.kind) {
    case 'heading':
      return heading(block.text.toUpperCase());
    case 'text':
      return gap + paragraph(block.text);
    case 'commands':
      return gap + display(block.lines);
    case 'terms':
      return block.terms.map(({ term: name, means }) => term(name, means)).join('\n');
  }
}

function top(name: string, section: string, summary: string): string[] {
  return [
    '.\\" Made from the commands by `npm run generate`.',
    `.TH ${argument(name.toUpperCase())} ${section} ${EDITION} ${argument(`gatectl ${version}`)} "gatectl manual"`,
    // Ragged, because justified lines insert blanks into commands.
    '.ad l',
    heading('NAME'),
    paragraph(`${name} - ${summary}`),
  ];
}

function childTerms(page: Page, pages: readonly Page[]): string[] {
  return pagesDirectlyBelow(page, pages).map(child => term(`${fileName(child)}(1)`, child.command.summary));
}

/** Options, under subheadings if they have groups. */
function flagTerms(flags: readonly FlagShape[]): string[] {
  const groups = flagGroups(flags);
  return groups.flatMap(([group, members]) => [
    ...(groups.length === 1 ? [] : [subheading(group)]),
    ...members.map(flagTerm),
  ]);
}

function flagTerm(flag: FlagShape): string {
  return term(flag.option.flags, flagText(flag));
}

function fieldTerm([name = '', type = '', means = '']: readonly string[]): string {
  return term(`${name} (${type})`, means);
}

function seeAlso({ path }: Page, pages: readonly Page[]): string {
  const parent = path.slice(0, -1);
  const siblings = pages.filter(
    ({ path: other }) =>
      other.length === path.length &&
      other.slice(0, -1).join(' ') === parent.join(' ') &&
      other.join(' ') !== path.join(' '),
  );
  const names = [
    ...(path.length === 0 ? [] : [`${fileName({ path: parent })}(1)`]),
    ...(path.length > 1 ? siblings.map(page => `${fileName(page)}(1)`) : []),
    ...TOPICS.map(({ name }) => `gatectl-${name}(7)`),
  ];
  return references(names);
}

function references(names: readonly string[]): string {
  return paragraph(names.join(', '));
}

function document(parts: readonly string[]): string {
  return `${parts.join('\n')}\n`;
}

/** Text in ASCII that troff prints unchanged. */
export function literal(text: string): string {
  return text.replace(/[\\\-'`^~"]|[^\x20-\x7e]/gu, sign => SIGNS[sign] ?? character(sign));
}

function character(sign: string): string {
  const hex = (sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `\\[u${hex}]`;
}

/** A paragraph in short lines, none of which troff reads as a request. Only plain words may be hyphenated. */
export function paragraph(text: string): string {
  const words = text.split(' ').map(word => (NAME.test(word) ? `\\%${literal(word)}` : literal(word)));
  return wrap(words.join(' '), LINE)
    .map(line => line.replace(/^[.']/, '\\&$&'))
    .join('\n');
}

/** Lines that are printed unchanged. */
export function display(lines: readonly string[]): string {
  const shown = lines.flatMap(line => broken(literal(line)).map(part => part.replace(/^[.']/, '\\&$&')));
  return ['.RS 4', '.EX', ...shown, '.EE', '.RE'].join('\n');
}

/** Splits a long source line; `\c` joins the parts again. */
function broken(line: string): string[] {
  if (line.length <= LINE) return [line];
  const cut = line.lastIndexOf(' ', LINE - 2);
  if (cut <= 0) return [line];
  return [`${line.slice(0, cut)}\\c`, ...broken(line.slice(cut))];
}

/** A term and what it means. */
function term(name: string, means: string): string {
  return ['.TP', `.B ${argument(name)}`, paragraph(means)].join('\n');
}

function heading(text: string): string {
  return `.SH ${argument(text)}`;
}

function subheading(text: string): string {
  return `.SS ${argument(text)}`;
}

/** Text as one argument of a macro. */
function argument(text: string): string {
  return `"${literal(text)}"`;
}
