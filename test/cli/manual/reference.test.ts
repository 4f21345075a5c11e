import { expect, test } from 'vitest';
import { referencePage } from '../../../src/cli/manual/reference.ts';
import { allPages } from '../../../src/cli/manual/surface.ts';

const page = referencePage(allPages());
const headings = [...page.replace(/^```sh\n.*?^```/gms, '').matchAll(/^#+ (.+)$/gm)].map(
  ([, text = '']) => text,
);

test('every link in the reference leads to a heading, and every command has one', () => {
  const anchors = headings.map(text => text.toLowerCase().replaceAll(' ', '-'));
  const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = '']) => anchor);
  const timesThere = (link: string) => anchors.filter(anchor => anchor === link).length;
  expect(links.filter(link => timesThere(link) !== 1)).toEqual([]);
  for (const { path } of allPages().slice(1)) expect(links).toContain(['gatectl', ...path].join('-'));
});

test('a table in the reference has as many cells in each row as in its head', () => {
  const cells = (line: string) => line.replaceAll('\\|', '').split('|').length;
  for (const [table] of page.matchAll(/(?:^\|.*\n)+/gm)) {
    const [head = '', ...rows] = table.trimEnd().split('\n');
    for (const row of rows) expect(cells(row), row).toBe(cells(head));
  }
});
