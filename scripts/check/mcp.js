// Runs the official conformance suite of the Model Context Protocol against `gatectl mcp --http`, in an old, the previous and the
// current revision of the protocol. The suite comes from npm, and needs a newer Node than gatectl does.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchNode } from '../release/node-binary.js';
import { listen } from './listen.js';
import { stop } from './stop.js';

const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
/** It imports `fs.globSync`. */
const NODE_OF_SUITE = '22';
/** Of 2025-03-26, the suite has scenarios for servers with sessions only. */
const REVISIONS = ['2025-06-18', '2025-11-25', '2026-07-28'];

/** For one revision: it takes some seconds. */
const DEADLINE_MS = 120_000;

/** Why scenarios cannot apply, and how each check of them fails for that reason and no other. */
const FIXTURE = {
  why: 'calls a tool, prompt or resource that only the example server of the suite has',
  fails:
    /there is no (?:tool|prompt|resource) |^Tool '\w+' not found|^Prerequisite failed|^Expected InputRequiredResult|error instead of re-requesting/,
};
const CAPABILITY = {
  why: 'calls a method of a capability that gatectl does not declare: completions, logging or subscriptions',
  fails: /Method not found/,
};
const SESSION = {
  why: 'resumes the stream of a session, and gatectl has no sessions',
  fails: /^$|priming event|retry field/,
};
const HEADER = { why: 'tools of gatectl have no arguments that are headers too', fails: /x-mcp-header/ };

/** @type {Readonly<Record<string, { why: string, fails: RegExp }>>} */
const NOT_APPLICABLE = {
  ...forEach(CAPABILITY, ['completion-complete', 'logging-set-level', 'tools-call-with-logging']),
  ...forEach(CAPABILITY, ['resources-subscribe', 'resources-unsubscribe']),
  ...forEach(SESSION, ['server-session-lifecycle', 'server-sse-multiple-streams', 'server-sse-polling']),
  ...forEach(HEADER, ['http-custom-header-server-validation']),
  ...forEach(FIXTURE, [
    ...['tools-call-simple-text', 'tools-call-image', 'tools-call-audio', 'tools-call-embedded-resource'],
    ...['tools-call-mixed-content', 'tools-call-error', 'tools-call-with-progress', 'tools-call-sampling'],
    ...['tools-call-elicitation', 'elicitation-sep1034-defaults', 'elicitation-sep1330-enums'],
    ...['json-schema-2020-12', 'resources-read-text', 'resources-read-binary', 'resources-templates-read'],
    ...['prompts-get-simple', 'prompts-get-with-args', 'prompts-get-embedded-resource'],
    ...['prompts-get-with-image', 'input-required-result-basic-elicitation'],
    ...['input-required-result-basic-sampling', 'input-required-result-basic-list-roots'],
    ...['input-required-result-request-state', 'input-required-result-multiple-input-requests'],
    ...['input-required-result-multi-round', 'input-required-result-missing-input-response'],
    ...['input-required-result-non-tool-request', 'input-required-result-result-type'],
    ...['input-required-result-tampered-state', 'input-required-result-capability-check'],
    'input-required-result-ignore-extra-params',
  ]),
};

const folder = mkdtempSync(join(tmpdir(), 'gatectl-mcp-check-'));
const gatectl = spawn(
  process.execPath,
  ['bin/gatectl.js', 'mcp', '--http', '0', '--sandbox', '--allow', 'cdn-purge', '--calls-per-minute', '600'],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
/** @type {string[]} */
const problems = [];
/** @type {Set<string>} */
const seen = new Set();
/** @type {Set<string>} */
const inapplicable = new Set();
try {
  const { binary } = fetchNode(NODE_OF_SUITE, join(folder, 'node'));
  execFileSync('npm', ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', SUITE], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = await withToken(await printedAddress());
  for (const revision of REVISIONS) {
    const scenarios = await runSuite(binary, url, revision);
    const passed = [];
    for (const [name, checks] of scenarios) {
      seen.add(name);
      if (applies(name, checks, revision)) passed.push(name);
      else inapplicable.add(name);
    }
    if (passed.length === 0) problems.push(`${revision}: no scenario applies`);
    process.stdout.write(
      `mcp check: ${revision}: ${passed.length} of ${scenarios.length} scenarios apply: ${passed.join(', ')}\n`,
    );
  }
  for (const name of Object.keys(NOT_APPLICABLE))
    if (!seen.has(name)) problems.push(`the suite no longer has the scenario ${name}`);
    else if (!inapplicable.has(name)) problems.push(`${name} applies: remove it from NOT_APPLICABLE`);
} finally {
  await stop(gatectl);
  rmSync(folder, { recursive: true, force: true });
}
for (const { why } of [FIXTURE, CAPABILITY, SESSION, HEADER])
  process.stdout.write(
    `mcp check: not applicable, ${why}: ${Object.keys(NOT_APPLICABLE)
      .filter(name => NOT_APPLICABLE[name]?.why === why)
      .join(', ')}\n`,
  );
for (const problem of problems) process.stderr.write(`mcp check: ${problem}\n`);
process.exit(problems.length === 0 ? 0 : 1);

/**
 * @param {{ why: string, fails: RegExp }} reason
 * @param {readonly string[]} names
 */
function forEach(reason, names) {
  return Object.fromEntries(names.map(name => [name, reason]));
}

/**
 * @typedef {{ readonly id: string, readonly status: string, readonly errorMessage?: string }} Check
 */

/**
 * Whether a scenario applies; one that applies and fails is a problem.
 * @param {string} name
 * @param {readonly Check[]} checks
 * @param {string} revision
 */
function applies(name, checks, revision) {
  const failed = checks.filter(
    ({ status, errorMessage = '' }) =>
      // The suite says so of a check that needs a tool of its example server.
      !['SUCCESS', 'INFO', 'SKIPPED'].includes(status) && !errorMessage.startsWith('Not testable: '),
  );
  const isPassed = failed.length === 0 && checks.some(({ status }) => status === 'SUCCESS');
  const known = NOT_APPLICABLE[name];
  if (known === undefined) {
    if (failed.length === 0 && !isPassed) problems.push(`${revision}: ${name} checks nothing`);
    for (const { id, status, errorMessage } of failed)
      problems.push(`${revision}: ${name}: ${id}: ${status}: ${errorMessage}`);
    return true;
  }
  for (const { id, errorMessage = '' } of failed)
    if (!known.fails.test(errorMessage)) problems.push(`${revision}: ${name}: ${id}: ${errorMessage}`);
  const isUntestable = checks.some(({ errorMessage = '' }) => errorMessage.startsWith('Not testable: '));
  return isPassed && !isUntestable;
}

/**
 * Runs all scenarios of a revision: each with its checks.
 * @param {string} node
 * @param {string} url
 * @param {string} revision
 * @returns {Promise<[name: string, checks: Check[]][]>}
 */
async function runSuite(node, url, revision) {
  const out = join(folder, revision);
  const suite = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const words = ['server', '--url', url, '--suite', 'all', '--spec-version', revision, '-o', out];
  // Its exit code counts scenarios that do not apply; the checks tell them from others. The proxy is in this process, which must not wait.
  await once(spawn(node, [suite, ...words], { stdio: 'ignore', timeout: DEADLINE_MS }), 'exit');
  return readdirSync(out).map(run => [
    run.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, ''),
    JSON.parse(readFileSync(join(out, run, 'checks.json'), 'utf8')),
  ]);
}

/** The address and the token that the server prints. */
async function printedAddress() {
  let printed = '';
  for await (const chunk of /** @type {import('node:stream').Readable} */ (gatectl.stdout)) {
    printed += chunk;
    const [, port, token] = /127\.0\.0\.1:(\d+)\/mcp[\s\S]*Bearer (\S+)\n/.exec(printed) ?? [];
    if (port !== undefined && token !== undefined) return { port, token };
  }
  throw new Error('gatectl mcp ended before it served');
}

/**
 * Starts a proxy that adds the token, which the suite cannot send; returns its URL.
 * @param {{ port: string, token: string }} server
 */
async function withToken({ port, token }) {
  const proxy = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const sent = request(
      { host: '127.0.0.1', port, method, path, headers: { ...headers, authorization: `Bearer ${token}` } },
      response => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
      },
    );
    sent.on('error', error => outgoing.destroy(error));
    outgoing.on('close', () => sent.destroy());
    incoming.pipe(sent);
  });
  proxy.unref();
  return `http://127.0.0.1:${await listen(proxy)}/mcp`;
}
