import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const text = readFileSync(`${ROOT}CONTRIBUTING.md`, 'utf8');
const paths = [
  ...text.matchAll(/`((?:\.ci|\.github|bin|docs|scripts|src|test)\/[\w./-]+|CHANGELOG\.md)`/g),
].map(([, path = '']) => path);

describe('CONTRIBUTING.md leads to files that are there', () => {
  test.each([...new Set(paths)])('%s', path => {
    expect(existsSync(ROOT + path)).toBe(true);
  });

  test('and names more than a few', () => {
    expect(paths.length).toBeGreaterThan(20);
  });
});

describe('each question of CONTRIBUTING.md leads to one file', () => {
  const rows = [...text.matchAll(/^\| (.*\?) \| `(src\/[^`]+)` \| `(\w+)` \|$/gm)];

  test.each(rows.map(([, question = '', path = '', name = '']) => ({ question, path, name })))(
    '$question',
    ({ path, name }) => {
      expect(readFileSync(ROOT + path, 'utf8')).toMatch(new RegExp(`\\b${name}\\b`));
    },
  );

  test('and there are several', () => {
    expect(rows.length).toBeGreaterThan(9);
  });
});

describe('what CONTRIBUTING.md says that a change takes', () => {
  const sources = readdirSync(`${ROOT}src`, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => `src/${name}`);
  const containing = (pattern: RegExp) =>
    sources.filter(path => pattern.test(readFileSync(ROOT + path, 'utf8')));
  const listed = (heading: string) => {
    const [section = ''] = text.split(`### ${heading}\n`)[1]?.split(/^##/m) ?? [];
    return [...section.matchAll(/^\| `([^`]+)` \| `([\w-]+)` \|/gm)].map(([, path = '', entry = '']) => ({
      path,
      entry,
    }));
  };
  const LISTS = {
    'Adding an endpoint': /bulkclearcache/,
    'Adding a command': /import \{ ping \} from/,
    'Adding an output format': /Record<(?:Format|FileFormat|FileOnlyFormat|RowFormat),|^const FORMATS = \{$/m,
    'Adding a destination of `bda sync`': /Record<DestinationScheme,|^const DESTINATIONS\b/m,
  };

  test.each(Object.keys(LISTS))('%s: each file has the entry', heading => {
    const rows = listed(heading);
    expect(rows.length).toBeGreaterThan(7);
    const wrong = rows.filter(
      ({ path, entry }) => !new RegExp(`\\b${entry}\\b`).test(readFileSync(ROOT + path, 'utf8')),
    );
    expect(wrong).toEqual([]);
  });

  test.each(Object.entries(LISTS))('%s: each registry of src is listed', (heading, registry) => {
    const paths = listed(heading).map(({ path }) => path);
    expect(containing(registry).filter(path => !paths.includes(path))).toEqual([]);
  });
});

describe('npm scripts', () => {
  const { scripts } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));
  const docs = readdirSync(`${ROOT}docs`, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.md'))
    .map(name => `docs/${name}`);
  const files = [
    '.ci/run',
    '.github/workflows/release.yml',
    'README.md',
    'CONTRIBUTING.md',
    'RELEASING.md',
    ...docs,
  ];
  const named = files.flatMap(file =>
    [...readFileSync(ROOT + file, 'utf8').matchAll(/(?:npm run|at-once\.js) ((?:[\w:-]+ ?)+)/g)].flatMap(
      ([call, words = '']) => (call.startsWith('npm') ? words.split(' ', 1) : words.trim().split(' ')),
    ),
  );

  test('that a document or CI names exist', () => {
    expect(named.filter(name => scripts[name] === undefined)).toEqual([]);
    expect(named).toContain('generate');
  });

  test('are all listed in CONTRIBUTING.md', () => {
    expect(Object.keys(scripts).filter(name => !text.includes(`\`${name}\``))).toEqual([]);
  });

  test('run files that exist', () => {
    const paths = Object.values<string>(scripts).flatMap(
      command => command.match(/[\w./-]+\.[jt]s\b/g) ?? [],
    );
    expect(paths.filter(path => !existsSync(ROOT + path))).toEqual([]);
    expect(paths.length).toBeGreaterThan(10);
  });

  test('that check something run in CI', () => {
    const checks = Object.keys(scripts).filter(name => name.startsWith('check:'));
    const run = new Set([...named, ...(scripts.test.match(/check:\w+/g) ?? [])]);
    expect(checks.filter(name => !run.has(name))).toEqual([]);
  });
});

describe('SECURITY.md', () => {
  const security = readFileSync(`${ROOT}SECURITY.md`, 'utf8');

  test('explains how to report a vulnerability and gives no e-mail address, since there is none', () => {
    expect(security).toContain('*Report a vulnerability*');
    expect(security).not.toMatch(/[\w.]+@[\w.]+/);
  });

  test('names tests and documents that are there', () => {
    const paths = [...security.matchAll(/`(test\/[\w./-]+)`|\((docs\/[\w./-]+)\)/g)].map(
      ([, one, other]) => one ?? other ?? '',
    );
    expect(paths.length).toBeGreaterThan(4);
    expect(paths.filter(path => !existsSync(ROOT + path))).toEqual([]);
  });
});
