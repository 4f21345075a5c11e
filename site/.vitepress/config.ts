import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';
import { releasedVersions } from '../../scripts/release/changelog.js';
import { headingId } from '../../src/text/heading-id.ts';
import { BOOST } from '../../src/text/search-boost.ts';
import { indexTerm, searchTerms } from '../../src/text/search-terms.ts';

// scripts/docs/site.js writes the pages and this list of them before each build.
interface SiteSection {
  readonly title: string;
  readonly pages: readonly { readonly label: string; readonly link: string; readonly words: string }[];
}
const sections: readonly SiteSection[] = JSON.parse(
  readFileSync(new URL('../pages/contents.json', import.meta.url), 'utf8'),
);
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
/** Where the site of each released version is, in a folder of its own, such as https://docs.example.com/; none without it. */
const everyVersion = process.env.SITE_VERSIONS;
const others = releasedVersions(readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8'))
  .filter(each => everyVersion !== undefined && each !== version)
  .map(each => ({ text: each, link: new URL(`${each}/`, everyVersion).href, target: '_self' }));
const wordsOf = new Map(
  sections.flatMap(({ pages }) => pages.map(({ link, words }) => [`${link.slice(1)}.md`, words])),
);

/** VitePress sends the text of functions to the browser: what one uses must be within it. */
const searchedTerms = new Function(
  'word',
  `const indexTerm = ${indexTerm};\nconst searchTerms = ${searchTerms};\nreturn searchTerms(word).flatMap(each => indexTerm(each) ?? []);`,
) as (word: string) => string[];

export default defineConfig({
  title: 'gatectl',
  description:
    'Command-line client of a publisher-services gateway: reader access, CDN purges and analytics.',
  lang: 'en',
  srcDir: 'pages',
  base: process.env.SITE_BASE ?? '/',
  cleanUrls: false,
  appearance: true,
  head: [['link', { rel: 'icon', href: '/icon.svg', type: 'image/svg+xml' }]],
  // The theme gives its first page no landmark; after the first page, site/.vitepress/theme/index.ts does it.
  transformHtml: (code, id) =>
    id.endsWith('/index.html') ? code.replace('id="VPContent"', 'id="VPContent" role="main"') : code,
  markdown: {
    html: false,
    anchor: { slugify: headingId },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    languageAlias: { console: 'shellsession', promql: 'text', gitignore: 'text' },
    config(md) {
      // Tables and code that are wider than the page scroll, which must work with the keyboard.
      md.renderer.rules.table_open = () =>
        '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>';
      // A heading without words is none.
      md.renderer.rules.th_open = (tokens, at, options, _, self) =>
        tokens[at + 1]?.content === '' ? '<td>' : self.renderToken(tokens, at, options);
      md.renderer.rules.th_close = (tokens, at) => (tokens[at - 1]?.content === '' ? '</td>' : '</th>');
      md.renderer.rules.table_close = () => '</table></div>';
      const fence = md.renderer.rules.fence;
      md.renderer.rules.fence = (...given) =>
        (fence?.(...given) ?? '').replaceAll('<pre ', '<pre role="group" aria-label="Code" ');
    },
  },
  themeConfig: {
    nav: [
      ...sections.map(({ title, pages }) => ({ text: title, link: pages[0]?.link ?? '/' })),
      { text: version, items: [{ text: 'Changelog', link: '/changelog' }, ...others] },
    ],
    sidebar: sections.map(({ title, pages }) => ({
      text: title,
      items: pages.map(({ label, link }) => ({ text: label, link })),
    })),
    outline: { level: [2, 3] },
    search: {
      provider: 'local',
      options: {
        detailedView: true,
        miniSearch: {
          options: { processTerm: indexTerm },
          searchOptions: {
            processTerm: searchedTerms,
            boost: { title: BOOST.title, titles: 1, text: BOOST.text },
            // Guides explain and help topics are short; the rest of the reference lists.
            boostDocument: (id: string) =>
              /reference\.html#(?:exit-codes|profiles|filters|dates|output)$/.test(id)
                ? 1.5
                : /(?:reference|sandbox-analytics)\.html/.test(id)
                  ? 0.4
                  : 1,
            prefix: (term: string) => term.length > 3,
            fuzzy: (term: string) => (term.length > 4 ? 0.2 : false),
          },
        },
        // Words of newcomers that the page does not use are found with its first heading.
        _render(source, env, md) {
          const html = md.render(source, env);
          const words = wordsOf.get(env.relativePath);
          return words === undefined ? html : html.replace('</h1>', `</h1><p>${`${words} `.repeat(3)}</p>`);
        },
      },
    },
  },
});
