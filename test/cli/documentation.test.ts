import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { headingId } from '../../src/text/heading-id.ts';
import { run } from '../support/run.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const sections: readonly { readonly title: string; readonly pages: readonly { readonly file: string }[] }[] =
  JSON.parse(readFileSync(`${ROOT}docs/pages.json`, 'utf8'));
const files = sections.flatMap(({ pages }) => pages.map(({ file }) => file));

describe('the contents of the documentation', () => {
  test('list every page, in tutorials, guides, reference and explanation', () => {
    const present = readdirSync(`${ROOT}docs`, { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.md'))
      .map(name => `docs/${name}`);
    // Made by a test, for those who change the tools.
    const unlisted = present.filter(file => !files.includes(file));
    expect(unlisted).toEqual(['docs/mcp-sessions.md']);
    expect(sections.map(({ title }) => title)).toEqual([
      'Tutorials',
      'How-to guides',
      'Reference',
      'Explanation',
    ]);
  });
});

describe('gatectl docs', () => {
  test('lists the pages, each with a name that opens it', async () => {
    const { code, stdout } = await run(['docs', '--json']);
    const pages: { page: string }[] = JSON.parse(stdout);
    expect({ code, pages: pages.length }).toEqual({ code: 0, pages: files.length });
    expect(new Set(pages.map(({ page }) => page)).size).toBe(files.length);
    const { stdout: last } = await run(['docs', 'security']);
    expect(last).toBe(readFileSync(`${ROOT}SECURITY.md`, 'utf8'));
  });

  test('prints the Markdown of a page where there is no terminal, also with the name of its file', async () => {
    const text = readFileSync(`${ROOT}docs/tutorials/operator.md`, 'utf8');
    expect(await run(['docs', 'operator'])).toEqual({ code: 0, stdout: text, stderr: '' });
    expect((await run(['docs', 'docs/tutorials/operator.md'])).stdout).toBe(text);
  });

  test.each(['changelog', 'CHANGELOG.md', 'changes'])(
    'prints what changed between versions: %s',
    async name => {
      const { code, stdout } = await run(['docs', name]);
      expect({ code, stdout }).toEqual({ code: 0, stdout: readFileSync(`${ROOT}CHANGELOG.md`, 'utf8') });
    },
  );

  test('prints a section with those below it', async () => {
    const { stdout } = await run(['docs', 'install#files']);
    expect(stdout).toMatch(/^## Files\n\n\| content \|/);
    expect(stdout).not.toContain('## Windows');
  });

  test('lays a page out on a terminal, and names the commands that open linked pages', async () => {
    const { stdout } = await run(['docs', 'client-reference#gatectlclient'], { columns: 60 });
    const { stdout: page } = await run(['docs', 'client'], { columns: 72, env: { NO_COLOR: '1' } });
    expect(page).not.toMatch(/\]\(|```|^#/m);
    expect(page).toContain('(gatectl docs sandbox#in-tests)');
    expect(page.split('\n').filter(line => line.length > 72 && !line.startsWith('    '))).toEqual([]);
    expect(stdout).not.toContain('```');
  });

  test('pages a long page', async () => {
    const paged: string[] = [];
    const { code, stdout } = await run(['docs', 'sync'], {
      columns: 80,
      rows: 24,
      env: { TERM: 'xterm' },
      openPager: async () => ({
        write: async text => void paged.push(text),
        ended: new Promise(() => {}),
        close: async () => {},
      }),
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(paged.join('')).toContain('Sync analytics to files and databases');
  });

  test('suggests a page for a name with a mistake, and a section for an unknown one', async () => {
    expect(await run(['docs', 'opertor'])).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: no page is called 'opertor'
  did you mean gatectl docs operator?
  search for it: gatectl docs search opertor
`,
    });
    for (const [name, search] of [
      ['-x', '-- -x'],
      ['$(id)', "'$(id)'"],
    ] as const)
      expect((await run(['docs', '--', name])).stderr).toContain(`: gatectl docs search ${search}\n`);
    const { code, stderr } = await run(['docs', 'install#nothing']);
    expect(code).toBe(2);
    expect(stderr).toContain(
      "error: install has no section 'nothing'\n  one of: installing-gatectl, with-npm",
    );
  });

  test('completes the names of pages', async () => {
    const { stdout } = await run(['__complete', 'fish', '.op', 'docs']);
    expect(stdout).toContain('operator\tpurge the cache after a deploy');
  });

  test('works with a profiles file that cannot be read', async () => {
    const { code } = await run(['docs', 'why'], {
      env: { GATECTL_OUTPUT: 'nonsense', GATECTL_CONFIG_DIR: '/dev/null' },
    });
    expect(code).toBe(0);
  });
});

test('the search of the documentation says when nothing matches', async () => {
  expect(await run(['docs', 'search', 'zzzzqqq'])).toEqual({
    code: 0,
    stdout: 'No match. gatectl docs lists the pages.\n',
    stderr: '',
  });
  expect((await run(['docs', 'search'])).code).toBe(2);
});

describe('a hint that names a page', () => {
  const sources = readdirSync(`${ROOT}src`, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => readFileSync(`${ROOT}src/${name}`, 'utf8'));
  const named = [
    ...new Set(
      sources.flatMap(text => text.match(/gatectl docs (?!search|lists)[a-z][\w-]*(?:#[\w-]+)?/g) ?? []),
    ),
  ];

  test.each(named)('%s opens one', async command => {
    const { code, stderr } = await run(command.split(' ').slice(1));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('and no text names a file instead', () => {
    expect(sources.flatMap(text => text.match(/(?:in|\(|: )docs\/[\w-]+\.md[ ).;']/g) ?? [])).toEqual([]);
    expect(named.length).toBeGreaterThan(5);
  });
});

test.each([
  ['Fault injection: --fault SPEC', 'fault-injection---fault-spec'],
  ["The CDN's cache", 'the-cdns-cache'],
  ['With `npm`', 'with-npm'],
  ['[Docs](a.md) and **more**', 'docs-and-more'],
])('the heading %s has the anchor of GitHub', (heading, id) => {
  expect(headingId(heading)).toBe(id);
});
