// Compares gatectl with its alternatives: npm run bench -- [--quick] [--only start,export,line,purge,limiter,growth,functions]
// [--json FILE] [--against FILE] [--docs]; line-100-500 names one line of a part. It never runs in npm test. docs/performance.md describes the results.
import { execFile, fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, platform, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { interleaved, summary } from './interleave.js';
import { exportPart } from './parts/export.js';
import { growthPart } from './parts/growth.js';
import { limiterParts } from './parts/limiter.js';
import { lineParts } from './parts/line.js';
import { purgePart } from './parts/purge.js';
import { startPart } from './parts/start.js';
import { comparison, functionsMarkdown, functionsText, partsMarkdown, textTable, unmet } from './tables.js';
import { versionOf } from './tools.js';

const PARTS = {
  start: setting => [startPart(setting)],
  export: setting => [
    exportPart(1_000_000, setting),
    ...(setting.quick ? [] : [exportPart(10_000_000, setting)]),
  ],
  line: setting => lineParts(setting),
  purge: setting => [purgePart(setting)],
  limiter: limiterParts,
  growth: setting => [growthPart(setting)],
};
const DOCS = fileURLToPath(new URL('../docs/performance.md', import.meta.url));
const BIN = fileURLToPath(new URL('../bin/gatectl.js', import.meta.url));

const { values: given } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: 'start,export,line,purge,limiter,growth,functions' },
    json: { type: 'string' },
    against: { type: 'string' },
    docs: { type: 'boolean', default: false },
  },
});
const only = given.only.split(',');
const isChosen = name => only.some(chosen => chosen === name || name.startsWith(`${chosen}-`));
const unknown = only.filter(name => name !== 'functions' && !(name.split('-')[0] in PARTS));
if (unknown.length > 0) throw new Error(`there is no part ${unknown.join(', ')}`);

const result = { at: new Date().toISOString(), machine: machine(), parts: [] };
const folder = mkdtempSync(join(tmpdir(), 'gatectl-bench-'));
const server = fork(fileURLToPath(new URL('./server.js', import.meta.url)));
try {
  const [port] = await new Promise((resolve, reject) => {
    server.once('message', (...said) => resolve(said));
    server.once('exit', code => reject(new Error(`the server ended with ${code}`)));
  });
  const setting = {
    baseUrl: `http://127.0.0.1:${port}`,
    folder,
    bin: BIN,
    // NODE_EXTRA_CA_CERTS and the like would cost every start alike and hide what is compared.
    plainEnv: { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8', TZ: 'UTC' },
    quick: given.quick,
  };
  for (const name of Object.keys(PARTS).filter(part => only.some(chosen => chosen.split('-')[0] === part))) {
    const made = await PARTS[name](setting);
    const { parts, close } = Array.isArray(made) ? { parts: made } : made;
    for (const part of parts.filter(({ name }) => isChosen(name))) await measure(part);
    close?.();
  }
  if (only.includes('functions')) await measureFunctions();
} finally {
  server.disconnect();
  rmSync(folder, { recursive: true, force: true });
}

if (given.json !== undefined) writeFileSync(given.json, `${JSON.stringify(result, undefined, 2)}\n`);
if (given.against !== undefined) {
  process.stdout.write(`${comparison(result, JSON.parse(readFileSync(given.against, 'utf8')))}\n`);
}
if (given.docs) writeDocs();
const missed = unmet(result.parts);
process.stdout.write(missed.length === 0 ? 'every target is met\n' : `missed:\n  ${missed.join('\n  ')}\n`);

async function measure(part) {
  const onRound = round => process.stderr.write(`\r${part.title}: round ${round} of ${part.rounds}`);
  const runs = await interleaved(part.cases, { ...part, onRound });
  process.stderr.write('\r\u001b[2K');
  const { name, title, missing, line } = part;
  const measured = { name, title, missing, ...(line && { line }), cases: summary(part.cases, runs) };
  result.parts.push(measured);
  process.stdout.write(`${textTable(measured)}\n`);
}

async function measureFunctions() {
  const script = fileURLToPath(new URL('./functions.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, given.quick ? '200' : '1000']);
  result.functions = JSON.parse(stdout);
  process.stdout.write(`${functionsText(result.functions)}\n`);
}

function machine() {
  return {
    cpu: `${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} cores`,
    memory: `${Math.round(totalmem() / 1024 ** 3)} GiB`,
    system: `${platform()} ${release().split('-')[0]}`,
    node: process.version,
    curl: versionOf('curl'),
    jq: versionOf('jq'),
    python: versionOf('python3'),
    mlr: versionOf('mlr'),
  };
}

/** Puts the tables between the markers of docs/performance.md. */
function writeDocs() {
  const facts = Object.entries(result.machine).filter(([, value]) => value !== undefined);
  const tables = [
    `Measured on ${result.at.slice(0, 10)}.`,
    facts.map(([name, value]) => `- ${name}: ${value}`).join('\n'),
    ...partsMarkdown(result.parts),
    ...(result.functions === undefined ? [] : [functionsMarkdown(result.functions)]),
  ].join('\n\n');
  const [begin, end] = [
    '<!-- measured: written by npm run bench -- --docs -->',
    '<!-- end of what was measured -->',
  ];
  const text = readFileSync(DOCS, 'utf8');
  const [before, after] = [text.slice(0, text.indexOf(begin)), text.slice(text.indexOf(end))];
  writeFileSync(DOCS, `${before}${begin}\n\n${tables.replace(/\n{3,}/g, '\n\n')}\n\n${after}`);
}
