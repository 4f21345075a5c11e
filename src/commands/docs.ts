import { missingArgument } from '../errors/usage.ts';
import { pageText } from '../output/document/page-text.ts';
import { isOnTerminal } from '../terminal/io.ts';
import type { Context } from './framework/context.ts';
import { defineCommand, integer, optional, variadic } from './framework/define-command.ts';
import { listOf } from './framework/output-schema.ts';

const SHOWN = 8;

export const docs = defineCommand({
  name: 'docs',
  effect: 'read',
  summary: 'read and search the documentation offline',
  description:
    'Prints a page of the documentation, or a section of it (PAGE#SECTION); without a page, lists them. On a terminal the page is laid out and shown in the pager, elsewhere it is Markdown. The pages are those of this version: nothing is fetched.',
  arguments: { page: optional('page', 'the page, or PAGE#SECTION', { completes: 'page' }) },
  options: {},
  examples: {
    'gatectl docs': 'list the pages',
    'gatectl docs search purge after a deploy': 'find a page',
    'gatectl docs operator': 'the tutorial about purges',
    'gatectl docs sync#s3': 'one section of a page',
    'gatectl docs changelog': 'what changed between versions',
  },
  output: listOf({
    page: ['string', 'the name of the page'],
    section: ['string', 'tutorials, how-to guides, reference or explanation'],
    about: ['string', 'what the page is about'],
    text: ['string?', 'of the page that was named: its Markdown'],
  }),
  async run({ page }, context) {
    context.withoutSettings();
    const { pages, text } = await context.manual.documentation();
    if (page === undefined) return await listPages(pages(), context);
    const markdown = text(page);
    const name = page.toLowerCase().replace(/#.*$/, '').replace(/\.md$/, '').replace(/^.*\//, '');
    const { value: format } = (await context.settings()).output;
    if (format === 'json' || format === 'ndjson' || context.globals.jq !== undefined) {
      const known = pages().find(each => each.page === name);
      return await context.out.print([
        { page: name, section: known?.section ?? '', about: known?.about ?? '', text: markdown },
      ]);
    }
    if (!isOnTerminal(context.io)) return await context.out.printText(markdown);
    const names = pages().map(each => each.page);
    await context.out.draw(style => pageText(markdown, style, link => commandFor(link, name, names)));
  },
});

async function listPages(
  pages: readonly { readonly page: string; readonly section: string; readonly about: string }[],
  context: Context,
): Promise<void> {
  const data = pages.map(({ page, section, about }) => ({ page, section, about }));
  const columns = [
    { key: 'section', title: 'Section', kind: 'text' },
    { key: 'page', title: 'Page', kind: 'text' },
    { key: 'about', title: 'About', kind: 'text' },
  ] as const;
  await context.out.print(data, { columns });
  context.log.note('gatectl docs PAGE shows one, gatectl docs search WORDS finds one');
}

/** What opens the page that a link leads to, if it is one of the documentation. */
function commandFor(link: string, from: string, names: readonly string[]): string | undefined {
  const [, file, section = ''] = /^(?:[./]*(?:[\w-]+\/)*([\w-]+)\.md)?(#.+)?$/.exec(link) ?? [];
  const page = file?.toLowerCase() ?? from;
  if ((file === undefined && section === '') || !names.includes(page)) return undefined;
  return `gatectl docs ${page}${section}`;
}

export const docsSearch = defineCommand({
  name: 'search',
  effect: 'read',
  summary: 'find the pages and commands that words describe',
  description:
    'Searches commands, help topics and the sections of all pages. Endings and small mistakes in words do not matter, and the best match is first.',
  arguments: { words: variadic('word', 'what to search for, in your own words') },
  options: {
    limit: integer('--limit <n>', 'maximum matches', {
      min: 1,
      max: 100,
      fallback: SHOWN,
    }),
  },
  examples: {
    'gatectl docs search clear the cache after a deploy': 'find how to purge the cache',
    'gatectl docs search excel --limit 3': 'the three best matches',
  },
  output: listOf({
    title: ['string', 'the command, or the page and its section'],
    open: ['string', 'the command that prints it'],
    about: ['string', 'what it is about'],
  }),
  async run({ words, limit }, context) {
    context.withoutSettings();
    if (words.length === 0) throw missingArgument('nothing to search for', 'gatectl docs search WORDS');
    const { search } = await context.manual.documentation();
    const found = search(words.join(' ')).slice(0, limit);
    const data = found.map(({ title, open, about }) => ({ title, open, about }));
    const columns = [
      { key: 'open', title: 'To read it', kind: 'text' },
      { key: 'title', title: 'Title', kind: 'text' },
      { key: 'about', title: 'About', kind: 'text' },
    ] as const;
    await context.out.print(data, {
      columns,
      secondary: ['about'],
      empty: 'No match. gatectl docs lists the pages.',
    });
  },
});
