// Builds the site from the pages of the documentation: npm run docs:build. The result, site/.vitepress/dist, is static files; SITE_BASE is
// the path that it is served below. Each page has a twin in Markdown, and llms.txt lists them. Links that lead nowhere fail the build.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

const SITE = 'site';
const PAGES = join(SITE, 'pages');
const DIST = join(SITE, '.vitepress/dist');

const sections = JSON.parse(readFileSync('docs/pages.json', 'utf8'));
const files = [...sections.flatMap(({ pages }) => pages.map(({ file }) => file)), 'CHANGELOG.md'];
/** Where the pages of the site are, by their paths in the repository. */
const places = new Map([
  ['README.md', 'index.md'],
  ...files.map(file => /** @type {[string, string]} */ ([file, placeOf(file)])),
]);

rmSync(PAGES, { recursive: true, force: true });
for (const file of files) write(places.get(file), withPlaces(file));
write('index.md', readFileSync(join(SITE, 'index.md'), 'utf8'));
write('contents.json', JSON.stringify(contents()));
// What pages link to beside each other: pictures, schemas and examples.
for (const name of readdirSync('docs', { recursive: true, encoding: 'utf8' }))
  if (/\.(?:svg|png|json|yaml)$/.test(name) && name !== 'pages.json')
    cpSync(join('docs', name), join(PAGES, 'public', name));

cpSync(join(SITE, 'icon.svg'), join(PAGES, 'public/icon.svg'));

const npm = (...args) => execFileSync('npm', args, { cwd: SITE, stdio: 'inherit' });
if (!existsSync(join(SITE, 'node_modules'))) npm('ci', '--ignore-scripts', '--no-audit', '--no-fund');
npm('run', 'build', '--silent');

for (const place of places.values()) {
  if (place === 'index.md') continue;
  writeFileSync(join(DIST, place), readFileSync(join(PAGES, place)));
}
writeFileSync(join(DIST, 'llms.txt'), llms());
const count = checkAnchors();
process.stdout.write(
  `site: ${places.size} pages in ${DIST}, ${count} links lead to a heading that is there\n`,
);

function placeOf(file) {
  return file.startsWith('docs/') ? file.slice('docs/'.length) : file.toLowerCase();
}

function write(place, text) {
  const path = join(PAGES, place);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** A page whose links lead to pages of the site. A file of the repository that the site does not have is named only. */
function withPlaces(file) {
  const from = places.get(file) ?? '';
  return readFileSync(file, 'utf8').replaceAll(
    /(!?)\[([^\]]*)\]\(([^)#\s]+)(#[^)]*)?\)/g,
    (all, mark, text, link, id = '') => {
      if (/^[a-z]+:/.test(link)) return all;
      const target = posix.join(posix.dirname(file), link);
      const place =
        places.get(target) ??
        (target.startsWith('docs/') && existsSync(target) ? placeOf(target) : undefined);
      if (place === undefined) {
        if (!existsSync(target)) throw new Error(`${file}: ${link} leads nowhere`);
        return `${text} (\`${target}\`)`;
      }
      const path = posix.relative(posix.dirname(from), place);
      // Vite resolves pictures; files beside the pages have a path from the root.
      const shown = place.endsWith('.md') ? path : `/${place}`;
      return `${mark}[${text}](${shown}${id})`;
    },
  );
}

function contents() {
  return sections.map(({ title, pages }) => ({
    title,
    pages: pages.map(({ file, label, words = '' }) => ({
      label,
      words,
      link: `/${placeOf(file).replace(/\.md$/, '')}`,
    })),
  }));
}

/** The list for language models, see llmstxt.org: each page with its twin in Markdown. */
function llms() {
  const lists = sections.map(({ title, about, pages }) => {
    const lines = pages.map(({ file, label, about }) => `- [${label}](/${placeOf(file)}): ${about}`);
    return `## ${title}\n\n${title}: ${about}.\n\n${lines.join('\n')}\n`;
  });
  const { description } = JSON.parse(readFileSync('package.json', 'utf8'));
  return `# gatectl\n\n> ${description}\n\nThe same pages are installed with gatectl: \`gatectl docs PAGE\`, \`gatectl docs search WORDS\`. Commands: \`gatectl schema --compact\`.\n\n${lists.join('\n')}`;
}

/** Throws for a link to a heading that its page does not have; VitePress checks pages only. Returns the number of such links. */
function checkAnchors() {
  const html = new Map(
    readdirSync(DIST, { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.html'))
      .map(name => [name, readFileSync(join(DIST, name), 'utf8')]),
  );
  const base = process.env.SITE_BASE ?? '/';
  const broken = [];
  let count = 0;
  for (const [name, text] of html) {
    for (const [, path, id] of text.matchAll(/<a [^>]*href="([^"#:]*)#([^"]+)"/g)) {
      count += 1;
      const target =
        path === ''
          ? name
          : path.startsWith(base)
            ? path.slice(base.length)
            : posix.join(posix.dirname(name), path);
      const page = html.get(target) ?? html.get(`${target}.html`);
      if (!page?.includes(`id="${decodeURIComponent(id)}"`)) broken.push(`${name}: ${path}#${id}`);
    }
  }
  if (broken.length > 0) throw new Error(`links that lead to no heading: ${broken.join(', ')}`);
  return count;
}
