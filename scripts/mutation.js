// Measures the tests of the parts that must not fail: StrykerJS changes the code in one place at a time, and a test has to notice.
//
//   npm run test:mutation                     a sample of the functions of every part, within MUTATION_SECONDS (default 600)
//   npm run test:mutation -- http files       these parts
//   MUTATION_SHARE=100 npm run test:mutation  so many per cent of the functions (default: the share of each part below)
//   MUTATION_SEED=2 npm run test:mutation     other functions
//   MUTATION_PROCESSES=1 …                   one mutant at a time (default: two)
//
// Ends with 1 where a part scores less than its `least`.
import { Stryker } from '@stryker-mutator/core';

/** By name: what is mutated, the tests that should notice, the share of functions in a sample, and the least score, both in per cent; the share of inputs of properties. */
const PARTS = {
  http: {
    mutate: ['src/http/**/*.ts', '!src/http/**/*.d.ts'],
    tests: ['test/http/**/*.test.ts', 'test/cli/{compression,error-bodies,faults,network}.test.ts'],
    share: 4,
    least: 45,
  },
  transcode: {
    mutate: ['src/export/transcode/**/*.ts', '!src/export/transcode/{kernel-code,webassembly.d}.ts'],
    tests: ['test/export/transcode/**/*.test.ts'],
    share: 4,
    least: 50,
  },
  files: { mutate: ['src/files/**/*.ts'], tests: ['test/files/**/*.test.ts'], share: 8, least: 45 },
  migrate: {
    mutate: ['src/migrate/**/*.ts'],
    tests: ['test/migrate/**/*.test.ts'],
    share: 4,
    least: 50,
  },
  purge: {
    mutate: ['src/apis/cdn/**/*.ts', 'src/files/text-set.ts'],
    tests: ['test/apis/cdn/**/*.test.ts'],
    share: 15,
    least: 45,
  },
  // Whole files.
  journal: {
    mutate: ['src/apis/cdn/{journal,url-list}.ts'],
    tests: ['test/apis/cdn/{journal,url-list}.test.ts'],
    share: 100,
    least: 90,
  },
  retry: {
    mutate: ['src/http/{classify,retry,attempt}.ts'],
    tests: ['test/http/{attempt,classify,retry}.test.ts'],
    share: 100,
    least: 90,
  },
  lock: {
    mutate: ['src/files/{lock,lock-entry}.ts'],
    tests: ['test/files/lock.test.ts', 'test/models/lock.test.ts'],
    share: 100,
    least: 74,
  },
  plan: {
    mutate: ['src/sync/{plan,planned-units,unit-guard,ledger,lookback,partitions}.ts'],
    tests: [
      'test/sync/{plan,planned-units,lookback}*.test.ts',
      'test/sync/unit-guard.test.ts',
      'test/errors/invariant.test.ts',
    ],
    properties: 0.03,
    share: 100,
    least: 94,
  },
  digits: {
    mutate: [
      'src/json/{parse,value}.ts',
      'src/sync/exact-sum.ts',
      'src/export/transcode/json-{number,scanner}.ts',
    ],
    tests: [
      'test/json/json.test.ts',
      'test/sync/exact*.test.ts',
      'test/export/transcode/json-scanner.test.ts',
    ],
    properties: 0.03,
    share: 100,
    least: 90,
  },
  why: {
    mutate: ['src/analysis/{contributions,explanation,exact-change,usual-change}.ts'],
    tests: [
      'test/analysis/{contributions,explanation,exact-change,usual-change}.test.ts',
      'test/output/explanation.test.ts',
    ],
    properties: 0.03,
    share: 100,
    least: 94,
  },
};

const words = process.argv.slice(2);
const unknown = words.filter(word => !Object.hasOwn(PARTS, word));
if (unknown.length > 0)
  throw new Error(`no part ${unknown.join(', ')}; the parts are ${Object.keys(PARTS).join(', ')}`);
const parts = words.length > 0 ? words : Object.keys(PARTS);
const deadline = Date.now() + Number(process.env.MUTATION_SECONDS ?? 600) * 1000;
const { MUTATION_SHARE, PROPERTY_SHARE } = process.env;
process.env.MUTATION_SEED ??= '1';

for (const [index, name] of parts.entries()) {
  if (Date.now() > deadline) {
    process.stdout.write(`mutation: no time left for ${parts.slice(index).join(', ')}\n`);
    break;
  }
  await measure(name, PARTS[name]);
}

async function measure(name, { mutate, tests, share, least, properties }) {
  process.env.MUTATION_SHARE = MUTATION_SHARE ?? String(share);
  process.env.MUTATION_TESTS = tests.join(' ');
  if (PROPERTY_SHARE === undefined && properties !== undefined)
    process.env.PROPERTY_SHARE = String(properties);
  else if (PROPERTY_SHARE === undefined) delete process.env.PROPERTY_SHARE;
  const start = Date.now();
  const results = await new Stryker({
    mutate,
    testRunner: 'vitest',
    vitest: { configFile: 'vitest.mutation.config.ts', related: false },
    plugins: ['@stryker-mutator/vitest-runner', './scripts/mutation-sample.js'],
    ignorers: ['sample'],
    // No test asserts prose.
    mutator: { excludedMutations: ['StringLiteral'] },
    // Vitest does not check types, and a test compares a file of src/ with what generates it.
    disableTypeChecks: false,
    // Stryker reads this file by an API that TypeScript 7 does not have.
    tsconfigFile: 'none.json',
    ignoreStatic: true,
    coverageAnalysis: 'perTest',
    concurrency: Number(process.env.MUTATION_PROCESSES ?? 2),
    timeoutMS: 10_000,
    dryRunTimeoutMinutes: 10,
    reporters: ['clear-text'],
    clearTextReporter: {
      allowColor: false,
      allowEmojis: false,
      logTests: false,
      reportTests: false,
      reportScoreTable: false,
    },
    logLevel: /** @type {any} */ ('warn'),
    tempDirName: '.stryker-tmp',
    cleanTempDir: 'always',
    ignorePatterns: ['dist', 'docs', 'man', 'completions', 'bench', 'release'],
  }).runMutationTest();
  const count = (...states) => results.filter(({ status }) => states.includes(status)).length;
  const noticed = count('Killed', 'Timeout');
  const all = noticed + count('Survived', 'NoCoverage');
  const score = all === 0 ? 100 : (100 * noticed) / all;
  const seconds = Math.round((Date.now() - start) / 1000);
  process.stdout.write(
    `mutation ${name}: ${score.toFixed(1)} % (${noticed} of ${all} mutants noticed, ${count('NoCoverage')} not covered, ${seconds} s)\n`,
  );
  if (score < least) {
    process.stdout.write(`mutation ${name}: less than ${least} %\n`);
    process.exitCode = 1;
  }
}
