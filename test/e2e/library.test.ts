import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What a program does with the converter, its types in comments. */
const PROGRAM = `
const migration/*: Migration*/ = migrate({
  request: {
    MaxItems: 3,
    StartDate: '2026-01-01',
    EndDate: '2026-01-02',
    MetricColumns: [{ Data: 'visits', Type: 'number' }],
    Filters: [{ Type: 'INCLUDE', FilterKey: 'visits', OperationId: 'GREATER', FilterValue: '0.12345678901234567890' }],
  },
  definitions: {},
  today: '2026-03-01',
  timeZone: 'UTC',
  brand: 'service',
  lossy: false,
});
if (!migration.ok) throw new Error(migration.blockers.map(({ field }) => field).join());
const text/*: string*/ = migration.queries.map(({ query }) => queryJson(query)).join();
const parity/*: boolean*/ = compareRows([], [], { dimensions: [], metrics: ['visits'] }).parity;
`;
const PRINTED =
  '{"data_set":"pageview","date_range":{"start_date":"2026-01-01","end_date":"2026-01-02"},"metrics":["visits"],"filters":[{"column":"visits","operator":"greater_than","value":0.12345678901234567890}],"limit":3} true';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatectl-library-'));
  await mkdir(join(folder, 'node_modules'));
  await symlink(ROOT, join(folder, 'node_modules/gatectl'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function printedBy(name: string, program: string): Promise<string> {
  await writeFile(join(folder, name), program);
  const { stdout } = await execa(process.execPath, [name], { cwd: folder });
  return stdout;
}

describe('the package as a library', () => {
  const NAMES = '{ compareRows, migrate, queryJson }';

  test('is imported by modules', async () => {
    const program = `import ${NAMES} from 'gatectl/migrate';\n${PROGRAM}console.log(text, parity);\n`;
    expect(await printedBy('program.mjs', program)).toBe(PRINTED);
  });

  test('is required by scripts', async () => {
    const program = `const ${NAMES} = require('gatectl/migrate');\n${PROGRAM}console.log(text, parity);\n`;
    expect(await printedBy('program.cjs', program)).toBe(PRINTED);
  });

  test('has types without dependencies that detect a mistake', async () => {
    const typed = PROGRAM.replace(/\/\*(.*?)\*\//g, '$1');
    const head = `import { type Migration, compareRows, migrate, queryJson } from 'gatectl/migrate';\n`;
    await writeFile(
      join(folder, 'typed.mts'),
      `${head}${typed}// @ts-expect-error the request is missing\nmigrate({ definitions: {}, lossy: text === '' && parity });\n`,
    );
    const flags = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022', '--types', ''];
    const { stdout } = await execa(
      process.execPath,
      [join(ROOT, 'node_modules/typescript/bin/tsc'), ...flags, '--module', 'nodenext', 'typed.mts'],
      { cwd: folder, reject: false },
    );
    expect(stdout).toBe('');
  });

  test('exports nothing else', async () => {
    await expect(printedBy('inside.mjs', `import 'gatectl/dist/gatectl.cjs';`)).rejects.toThrow(
      'ERR_PACKAGE_PATH_NOT_EXPORTED',
    );
  });
});
