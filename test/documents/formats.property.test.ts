import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PURGE_MAP_FORM } from '../../src/apis/cdn/changes/purge-map-form.ts';
import { SAVED_QUERY_FORM } from '../../src/commands/bda/flags/saved-query.ts';
import { REPORT_FORM } from '../../src/commands/bda/report/build/report-form.ts';
import { WATCH_FILE } from '../../src/commands/bda/watch/watch-form.ts';
import { PROJECT_FORM } from '../../src/config/project-settings.ts';
import type { Form } from '../../src/documents/forms.ts';
import { DocumentError, type Problem } from '../../src/documents/located.ts';
import { parseYaml } from '../../src/documents/yaml.ts';
import { SYNC_FORM } from '../../src/sync/sync-form.ts';
import { documentArbitrary } from '../support/document-arbitrary.ts';
import { run } from '../support/run.ts';
import { runs } from '../support/runs.ts';

interface Format {
  readonly name: string;
  readonly form: Form<unknown>;
  /** Texts that its settings may have. */
  readonly words: readonly string[];
  /** Mistakes in texts that a JSON Schema cannot describe. */
  readonly finer?: RegExp;
}

const FORMATS: readonly Format[] = [
  {
    name: 'sync',
    form: SYNC_FORM,
    words: ['2026-01-01', '2026-02-30', 'visits', 'visits>=3', 'all', 'lake', 'duckdb:a.duckdb', '7d', 'sum'],
    finer: /^the filter |^a name in the destination is too long|^min is greater than max/,
  },
  {
    name: 'report',
    form: REPORT_FORM,
    words: ['visits', '2026-01-01', '2026-01', '7d', 'visits>=3', 'previous', 'de', '5', 'a\nb'],
    finer: /^invalid --|^cannot compare with /,
  },
  {
    name: 'map',
    form: PURGE_MAP_FORM,
    words: ['https://www.example.com', 'articles/{slug}.md', '/articles/{slug}/', '/feed.xml', 'url', 'a'],
    finer: /^the URL |^the key |^the pattern |^site must|is not in the pattern/,
  },
  {
    name: 'watch',
    form: WATCH_FILE.form,
    words: ['visits', 'pageview', '7d', 'visits>=3', 'drop', 'de', '5', '10%'],
    finer: /^invalid --|^cannot compare with /,
  },
  {
    name: 'query',
    form: SAVED_QUERY_FORM,
    words: ['visits', '2026-01-01', '2026-01', '7d', 'visits>=3', 'previous', '5'],
    finer: /^invalid --|^cannot compare with /,
  },
  { name: 'project', form: PROJECT_FORM, words: ['news', 'example.com', 'json', 'x'] },
];

function problemsWith(form: Form<unknown>, text: string): readonly Problem[] {
  try {
    form.read(parseYaml(text));
    return [];
  } catch (error) {
    if (error instanceof DocumentError) return error.problems;
    throw error;
  }
}

describe.each(FORMATS)('gatectl schema --$name', ({ name, form, words, finer }) => {
  test('accepts exactly the documents that gatectl reads, and each mistake has a line and a column', async () => {
    const printed = await run(['schema', `--${name}`], { cwd: '/' });
    const schema = JSON.parse(printed.stdout);
    const ajv = new Ajv({ allowUnionTypes: true, strictTypes: false });
    formats.default(ajv);
    const validate = ajv.compile(schema);
    const seen = { accepted: 0, rejected: 0 };
    fc.assert(
      fc.property(documentArbitrary(schema, words), document => {
        const problems = problemsWith(form, JSON.stringify(document));
        for (const { place } of problems) expect(place).toMatch(/^[1-9]\d*:[1-9]\d*$/);
        // The other checks have not taken place yet.
        fc.pre(!problems.some(({ message }) => finer?.test(message)));
        const isRead = problems.length === 0;
        seen[isRead ? 'accepted' : 'rejected'] += 1;
        expect({ isRead, problems }).toEqual({ isRead: validate(document), problems });
      }),
      { numRuns: runs(3000) },
    );
    expect(Math.min(seen.accepted, seen.rejected)).toBeGreaterThan(20);
  });
});
