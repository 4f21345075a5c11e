import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { notesOf, releasedVersions } from '../scripts/release/changelog.js';
import { bundledPackages, withBundled } from '../scripts/release/sbom.js';

describe('release notes', () => {
  const changelog = '# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-03-14\n\n- new\n\n## 0.1.0\n\n- first\n';

  test('are the section of the version', () => {
    expect(notesOf('0.2.0', changelog)).toBe('- new\n');
    expect(notesOf('0.1.0', changelog)).toBe('- first\n');
    expect(releasedVersions(changelog)).toEqual(['0.2.0']);
  });

  test('are not made for a version without a section, or with an empty one', () => {
    expect(() => notesOf('0.3.0', changelog)).toThrow('has no section "## 0.3.0"');
    expect(() => notesOf('Unreleased', changelog)).toThrow('is empty');
  });
});

describe('the newest section of CHANGELOG.md', () => {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const read = (path: string) => readFileSync(root + path, 'utf8');
  // Empty right after a release.
  const [, notes = ''] = read('CHANGELOG.md').split(/^## .*/m);
  const all = (pattern: RegExp) => [...new Set(notes.match(pattern))];

  test('has the headings of Keep a Changelog', () => {
    const headings = all(/^### .*/gm).map(heading => heading.slice('### '.length));
    const known = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
    expect(headings.filter(heading => !known.includes(heading))).toEqual([]);
  });

  test('has entries of at most three lines below headings, and no others', () => {
    const entries = notes.split(/^(?=- )/m).slice(1);
    expect(entries.filter(entry => (entry.split(/\n(?=#|\n|$)/)[0] ?? '').split('\n').length > 3)).toEqual(
      [],
    );
    expect(notes.match(/^(?:[A-Z]\w*(?: \w+){0,3})$/gm)).toBeNull();
  });

  test('names flags and documents that exist', () => {
    const reference = read('docs/reference.md');
    const flags = all(/--[a-z][a-z-]*/g);
    expect(flags.filter(flag => !new RegExp(`${flag}(?![\\w-])`).test(reference))).toEqual([]);
    const documents = all(/docs\/[\w-]+\.md/g);
    expect(documents.filter(path => !existsSync(root + path))).toEqual([]);
  });
});

describe('the SBOM', () => {
  const development = [{ name: 'cdx:npm:package:development', value: 'true' }];
  const stated = {
    serialNumber: 'urn:uuid:of-this-run',
    metadata: { timestamp: 'now', component: { 'bom-ref': 'gatectl@0.1.0', name: 'folder' } },
    components: [
      { 'bom-ref': 'linter@2.0.0', scope: 'optional', properties: development },
      { 'bom-ref': 'http@1.0.0', scope: 'optional', properties: development },
      { 'bom-ref': 'engine@3.0.0', scope: 'required', properties: [] },
    ],
    dependencies: [
      { ref: 'gatectl@0.1.0', dependsOn: ['engine@3.0.0', 'http@1.0.0', 'linter@2.0.0'] },
      { ref: 'http@1.0.0', dependsOn: ['linter@2.0.0'] },
      { ref: 'linter@2.0.0', dependsOn: [] },
      { ref: 'engine@3.0.0', dependsOn: [] },
    ],
  };
  const facts = { tarball: Buffer.from('tarball'), time: '2026-03-14T12:00:00.000Z' };

  test('lists what is installed and what is bundled, and nothing else', () => {
    const { components, dependencies } = withBundled(stated, ['http@1.0.0'], facts);
    expect(components.map(component => [component['bom-ref'], component.scope])).toEqual([
      ['engine@3.0.0', 'required'],
      ['http@1.0.0', 'required'],
    ]);
    expect(dependencies).toEqual([
      { ref: 'gatectl@0.1.0', dependsOn: ['engine@3.0.0', 'http@1.0.0'] },
      { ref: 'engine@3.0.0', dependsOn: [] },
      { ref: 'http@1.0.0', dependsOn: [] },
    ]);
  });

  test('is the same for the same tarball and commit', () => {
    const one = withBundled(stated, ['http@1.0.0'], facts);
    const other = withBundled({ ...stated, serialNumber: 'urn:uuid:of-another-run' }, ['http@1.0.0'], facts);
    expect(other).toEqual(one);
    expect(one.metadata.timestamp).toBe(facts.time);
    expect(one.serialNumber).toMatch(/^urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/);
  });

  test('fails where a bundled package is not known', () => {
    expect(() => withBundled(stated, ['gone@1.0.0'], facts)).toThrow("npm's SBOM lacks gone@1.0.0");
    const licenses = 'Name: http\nVersion: 1.0.0\n';
    expect(bundledPackages(licenses, { 'a.cjs': ['src/a.ts', 'package.json', 'http'] })).toEqual([
      'http@1.0.0',
    ]);
    expect(() => bundledPackages(licenses, { 'a.cjs': ['http', 'gone'] })).toThrow('the licenses lack gone');
  });
});
