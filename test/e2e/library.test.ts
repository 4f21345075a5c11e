import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.ts';

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
  await mkdir(join(folder, 'node_modules/@types'), { recursive: true });
  await symlink(ROOT, join(folder, 'node_modules/gatectl'));
  for (const name of ['@types/node', 'undici-types'])
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function printedBy(name: string, program: string): Promise<string> {
  await writeFile(join(folder, name), program);
  const { stdout } = await execa(process.execPath, [name], { cwd: folder });
  return stdout;
}

/** What the compiler reports, in strict mode. */
async function problemsOf(name: string, flags: readonly string[]): Promise<string> {
  const all = [
    '--noEmit',
    '--strict',
    '--target',
    'es2022',
    '--lib',
    'es2022',
    '--module',
    'nodenext',
    ...flags,
  ];
  const { stdout } = await execa(
    process.execPath,
    [join(ROOT, 'node_modules/typescript/bin/tsc'), ...all, name],
    { cwd: folder, reject: false },
  );
  return stdout;
}

describe('gatectl/migrate', () => {
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
    expect(await problemsOf('typed.mts', ['--types', ''])).toBe('');
  });

  test('exports nothing else', async () => {
    await expect(printedBy('inside.mjs', `import 'gatectl/dist/gatectl.cjs';`)).rejects.toThrow(
      'ERR_PACKAGE_PATH_NOT_EXPORTED',
    );
  });
});

describe('gatectl/client', () => {
  const NAMES = '{ AuthError, Gateway, UsageError }';
  const OPTIONS = `{ baseUrl: process.env.BASE_URL, apiKey: process.env.API_KEY, domain: 'example.com' }`;
  const ACCESS = `
const gateway = new Gateway(${OPTIONS});
gateway.subscriptions.access({ email: 'active@example.com' }, { product: 'premium' }).then(access => {
  console.log(JSON.stringify(access));
});
`;
  const PRINTED = '{"allowed":true,"decision":"allowed","reasonCode":"allowed"}';

  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.close());

  async function printedBySandbox(name: string, program: string): Promise<string> {
    await writeFile(join(folder, name), program);
    const { stdout } = await execa(process.execPath, [name], {
      cwd: folder,
      env: { BASE_URL: sandbox.baseUrl, API_KEY: sandbox.apiKey },
      // An idle connection must not keep the program running.
      timeout: 50_000,
    });
    return stdout;
  }

  test('is imported by modules, and does not keep the program running', async () => {
    const program = `import ${NAMES} from 'gatectl/client';\n${ACCESS}`;
    expect(await printedBySandbox('client.mjs', program)).toBe(PRINTED);
  });

  test('is required by scripts, with the same classes as in modules', async () => {
    const program = `const ${NAMES} = require('gatectl/client');\n${ACCESS}
import('gatectl/client').then(module => {
  if (module.Gateway !== Gateway || module.UsageError !== UsageError) throw new Error('two copies');
});\n`;
    expect(await printedBySandbox('client.cjs', program)).toBe(PRINTED);
  });

  /** The text of a bundle for Node, made without a flag. */
  async function bundled(contents: string, options: BuildOptions = {}): Promise<string> {
    const { outputFiles = [], warnings } = await build({
      stdin: { contents, resolveDir: folder },
      bundle: true,
      write: false,
      platform: 'node',
      logLevel: 'silent',
      ...options,
    });
    expect(warnings).toEqual([]);
    return outputFiles[0]?.text ?? expect.unreachable();
  }

  test.each([
    ['cjs', 'bundled.cjs'],
    ['esm', 'bundled.mjs'],
  ] as const)('is bundled for Node as %s without a flag, in 300 kB, and runs', async (format, name) => {
    const text = await bundled(`import { Gateway } from 'gatectl/client';\n${ACCESS}`, { format });
    expect(text.length).toBeLessThan(300_000);
    expect(await printedBySandbox(name, text)).toBe(PRINTED);
  });

  test('sends in a bundle with the dispatcher of a program, which may bring certificates and proxies', async () => {
    const undici = JSON.stringify(join(ROOT, 'node_modules/undici'));
    const program = ACCESS.replace("domain: 'example.com' }", "domain: 'example.com', dispatcher }");
    const head = `import { Gateway } from 'gatectl/client';\nimport { Agent } from ${undici};
const agent = new Agent();
const dispatcher = { dispatch(request, handler) { console.log(request.path.replace(/\\?.*/, '')); return agent.dispatch(request, handler); } };\n`;
    const printed = await printedBySandbox('dispatched.cjs', await bundled(head + program));
    expect(printed).toBe(`/subscriptions/v1/access\n${PRINTED}`);
  });

  test.each(['gatectl/client', 'gatectl/client/web'])(
    'keeps the names of errors in a minified bundle of %s',
    async path => {
      const program = `import { AuthError, Gateway } from '${path}';
try { new Gateway({ baseUrl: 'example', apiKey: 'a-key' }); } catch (error) { console.log(error.name); }
console.log(new AuthError('no key', { code: 'no_key' }).name);\n`;
      const text = await bundled(program, { minify: true });
      expect(await printedBy('minified.cjs', text)).toBe('UsageError\nAuthError');
    },
  );

  test('loads neither commander nor prompts, commands or output, for a request, an export and a purge', async () => {
    const program = `const { Gateway } = require('gatectl/client');
const gateway = new Gateway(${OPTIONS});
(async () => {
  await gateway.subscriptions.access({ email: 'active@example.com' }, { product: 'premium' });
  await gateway.cdn.purge(['https://example.com/']);
  await gateway.cdn.purgeKeys(['news']);
  await gateway.bda.query({ data_set: 'pageview', date_range: { start_date: '2026-01-01', end_date: '2026-01-02' }, metrics: ['visits'] }).toArray();
  console.log(JSON.stringify(Object.keys(require.cache)));
})();\n`;
    const files: string[] = JSON.parse(await printedBySandbox('loads.cjs', program));
    const dist = join(ROOT, 'dist');
    const contents: Record<string, string[]> = JSON.parse(readFileSync(join(dist, 'contents.json'), 'utf8'));
    const parts = files
      .filter(path => path.startsWith(dist))
      .flatMap(path => contents[relative(dist, path)] ?? expect.unreachable(path));
    expect(parts.filter(part => part.startsWith('src/client/')).length).toBeGreaterThan(5);
    const packages = [...new Set(parts.filter(part => !part.startsWith('src/') && part !== 'package.json'))];
    expect(packages.sort()).toEqual(['lossless-json', 'undici']);
    expect(
      parts.filter(part =>
        /^src\/(commands|cli\/(run|parser|help)|output\/(table|render)|sandbox)/.test(part),
      ),
    ).toEqual([]);
  });

  test('has types for the columns of a query and the result of access', async () => {
    await writeFile(
      join(folder, 'client-typed.mts'),
      `import { Gateway, type Access, AuthError } from 'gatectl/client';
const gateway = new Gateway({ baseUrl: new URL('https://gateway.example.com'), apiKey: async () => 'a-key' });
const access: Access = await gateway.subscriptions.access({ email: 'a@example.com' }, { product: 'gold' });
const yes: boolean = access.allowed;
if (access.allowed) { const word: 'allowed' = access.decision; console.log(word, yes); }
// @ts-expect-error both identities
await gateway.subscriptions.access({ email: 'a@example.com', token: 'a.b.c' }, { product: 'gold' });
// @ts-expect-error no target
await gateway.subscriptions.access({ email: 'a@example.com' }, {});
const date_range = { start_date: '2026-01-01', end_date: '2026-01-31' };
for await (const row of gateway.bda.query({ data_set: 'pageview', date_range, dimensions: ['country'], metrics: ['visits'] }, { numbers: 'bigint' })) {
  const visits: string | bigint | boolean | null = row.visits;
  const country: string | bigint | boolean | null = row.country;
  // @ts-expect-error not a column of the query
  console.log(visits, country, row.revenue);
}
for await (const row of gateway.bda.query({ data_set: 'pageview', date_range, metrics: ['visits'] }, { numbers: digits => ({ digits }) })) {
  if (typeof row.visits === 'object') console.log(row.visits?.digits);
  // @ts-expect-error not a column of the query
  console.log(row.country);
}
const metrics: string[] = ['visits'];
for await (const row of gateway.bda.query({ data_set: 'pageview', date_range, metrics }, { numbers: Number })) {
  const cell: string | number | boolean | null | undefined = row.anything;
  console.log(cell);
}
// @ts-expect-error a query needs days
gateway.bda.query({ data_set: 'pageview' });
const { failures } = await gateway.cdn.purge(['https://example.com/']);
for (const { target, error } of failures) if (error instanceof AuthError) console.log(target, error.code === 'no_key');
`,
    );
    expect(await problemsOf('client-typed.mts', ['--types', 'node'])).toBe('');
  });

  test('has the types that docs/client.md shows', async () => {
    const blocks = [...readFileSync('docs/client.md', 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].map(
      ([, block = ''], index) =>
        `export async function block${index}() {\n${block.replaceAll(/^import .*$/gm, '')}}\n`,
    );
    expect(blocks.length).toBeGreaterThan(6);
    const given = `import type { IncomingMessage, ServerResponse } from 'node:http';
import { createPurgeHandler, expressPurgeHandler, Gateway, type GatewayOptions } from 'gatectl/client';
declare const gateway: Gateway;
declare const options: GatewayOptions;
declare const [email, sessionToken, articleUrl, base, key]: [string, string, string, string, string];
declare const urls: string[];
declare const log: { debug(entry: object): void; warn(text: string): void };
declare const readSecret: (name: string) => Promise<string>;
declare const handle: (request: Request) => Promise<Response>;
type Handler = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;
declare const app: { post(path: string, handler: Handler): void };
`;
    await writeFile(join(folder, 'page.mts'), `${given}${blocks.join('')}`);
    expect(await problemsOf('page.mts', ['--types', 'node'])).toBe('');
  });

  test.each(['edge-light', 'workerd', 'worker'])(
    'is bundled for %s without a module of Node, and small',
    async condition => {
      const sizeOf = async (name: string) => {
        const { outputFiles, metafile } = await build({
          stdin: { contents: `export { ${name} } from 'gatectl/client';`, resolveDir: folder },
          bundle: true,
          minify: true,
          write: false,
          metafile: true,
          format: 'esm',
          // Fails for a module of Node.
          platform: 'browser',
          conditions: [condition],
        });
        expect(
          Object.keys(metafile.inputs).filter(path => /bundled|client\.[cm]js|chunks/.test(path)),
        ).toEqual([]);
        return outputFiles[0]?.contents.length;
      };
      expect(await sizeOf('Gateway')).toBeLessThan(100_000);
      expect(await sizeOf('GatectlError')).toBeLessThan(5_000);
    },
  );

  test('without a module of Node is imported by its own name, too', async () => {
    const program = ACCESS.replaceAll('process.env.', 'env.');
    // What Node offers without an import; check:bundlers runs it without Node.
    const text = await bundled(`export * from 'gatectl/client/web';`, { platform: 'browser', format: 'esm' });
    expect(text.match(/(?<![.\w])(?:Buffer|process|setImmediate)(?=[.(])/g)).toBeNull();
    const head = `import { Gateway } from 'gatectl/client/web';\nimport { env } from 'node:process';\n`;
    expect(await printedBySandbox('web.mjs', `${head}${program}`)).toBe(PRINTED);
    await writeFile(
      join(folder, 'web-typed.mts'),
      `import { Gateway, type Access } from 'gatectl/client/web';
const gateway = new Gateway({ baseUrl: 'https://gateway.example.com', apiKey: 'a-key' });
const access: Access = await gateway.subscriptions.access({ email: 'a@example.com' }, { product: 'gold' });
// @ts-expect-error there is no v1
console.log(access.allowed, gateway.bdaV1);
// @ts-expect-error fetch decides about certificates
new Gateway({ baseUrl: 'https://gateway.example.com', apiKey: 'a-key', ca: '' });
`,
    );
    expect(await problemsOf('web-typed.mts', ['--types', 'node'])).toBe('');
  });

  test.each([[], ['--conditions=workerd']])('runs the tests of examples/worker %j', async (...conditions) => {
    await cp(join(ROOT, 'examples/worker'), join(folder, 'worker'), { recursive: true });
    const { stdout } = await execa(process.execPath, [...conditions, '--test'], {
      cwd: join(folder, 'worker'),
      reject: false,
    });
    expect(stdout).toContain('# fail 0');
    expect(stdout).toContain('# pass 3');
  });

  test('is rejected by a bundle for browsers, where everybody could read the key', async () => {
    await writeFile(
      join(folder, 'page.mjs'),
      `import { Gateway } from 'gatectl/client';\nconsole.log(Gateway);\n`,
    );
    const { outputFiles, warnings } = await build({
      entryPoints: [join(folder, 'page.mjs')],
      bundle: true,
      write: false,
      logLevel: 'silent',
      format: 'iife',
      platform: 'browser',
    });
    expect(warnings.map(({ text }) => text).join()).toContain('"Gateway"');
    const page = `(async () => { ${outputFiles[0]?.text} })().catch(error => console.log(error.message))`;
    expect(await printedBy('page.cjs', page)).toContain('gatectl/client does not run in a page');
  });
});

describe('gatectl/sandbox', () => {
  test('starts in a test of any runner, together with the client, and loads nothing of the command line', async () => {
    const program = `import { test } from 'node:test';
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { Gateway } from 'gatectl/client';
import { startSandbox } from 'gatectl/sandbox';

test('a reader may read', async () => {
  const sandbox = await startSandbox({ clock: '2026-03-14T12:00:00Z', faults: ['status=503,count=1'] });
  const gateway = new Gateway({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, domain: 'example.com' });
  const { allowed } = await gateway.subscriptions.access({ email: 'active@example.com' }, { product: 'premium' });
  const rows = await gateway.bda.query({ data_set: 'pageview', date_range: { start_date: '2026-03-01', end_date: '2026-03-02' }, dimensions: ['report_day'], metrics: ['visits'] }).toArray();
  assert.equal(allowed, true);
  assert.equal(rows.length, 2);
  assert.deepEqual(sandbox.requests.map(({ status }) => status), [503, 200, 200]);
  await sandbox.close();
  const loaded = Object.keys(createRequire(import.meta.url).cache).map(path => path.replace(/.*[/]/, ''));
  assert.deepEqual(loaded.filter(name => /^(run|asking|rows|purge|readers|questions)[.]cjs$/.test(name)), []);
});
`;
    await writeFile(join(folder, 'sandbox.test.mjs'), program);
    const { stdout } = await execa(process.execPath, ['--test', 'sandbox.test.mjs'], {
      cwd: folder,
      reject: false,
    });
    expect(stdout).toContain('# pass 1');
  });
});

test('the reference of the libraries describes the types of this build', async () => {
  const { clientReference } = await import('../../scripts/build/client-reference.js');
  const written = readFileSync('docs/client-reference.md', 'utf8');
  expect(written).toBe(clientReference('dist/library/types'));
  expect(written).toContain('### startSandbox');
  expect(written).toContain('### Gateway');
});
