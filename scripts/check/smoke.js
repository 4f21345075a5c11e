// A few commands that between them load most of gatectl, against the embedded gateway: does this build run here at all?
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ACTIVE = ['--email', 'active@example.com'];
const QUESTION = ['--data-set', 'pageview', '-d', 'country', '-m', 'visits', '--last', '7d'];

/**
 * Arguments, what stdout must match, and the exit code where it is not 0.
 * @type {[args: string[], stdout: RegExp, exit?: number][]}
 */
const COMMANDS = [
  [['--version'], /^\d+\.\d+\.\d+\n$/],
  [['--help'], /^Usage: gatectl/],
  [['help', 'exit-codes'], /130/],
  [['access', '--product', 'premium', ...ACTIVE, '--sandbox'], /^ALLOWED {3}yes\n/m],
  [['access', '--product', 'premium', ...ACTIVE, '--sandbox', '--jq', '.decision'], /^allowed\n$/],
  [
    ['access', '--product', 'premium', '--email', 'denied@example.com', '--exit-code', '--sandbox', '--json'],
    /"decision": "denied"/,
    3,
  ],
  [['reader', ...ACTIVE, '--sandbox', '-o', 'md'], /^### /],
  [['token', ...ACTIVE, '--sandbox', '--json'], /"token"/],
  [['cdn', 'purge', 'https://example.com/news', '--sandbox', '--json'], /"cleared": 1/],
  [['cdn', 'purge', 'not a URL', '--sandbox'], /^$/, 2],
  [['bda', 'query', ...QUESTION, '--sandbox', '--csv'], /^country,visits\n/],
  [['bda', 'query', ...QUESTION, '--all', '--out', 'rows.ndjson', '--sandbox'], /^$/],
  [['bda', 'query', ...QUESTION, '--all', '--out', 'rows.parquet', '--sandbox'], /^$/],
  [['bda', 'query', ...QUESTION, '--chart', 'picture.svg', '--sandbox', '--csv'], /^country,visits\n/],
  [['bda', 'query', ...QUESTION, '--chart', 'picture.png', '--sandbox', '--csv'], /^country,visits\n/],
  [['bda', 'report', 'run', 'Pages', '--last', '7d', '--sandbox', '--csv'], /,/],
  [['bda', 'columns', '--sandbox', '-o', 'ndjson'], /report_day/],
  [['api', 'GET', '/bdaservices/getreports/', '--sandbox'], /^\[/],
  [['profile', 'add', 'news', '--base-url', 'https://gateway.example.com', '--api-key-file', 'key'], /^$/],
  [['profile', 'show', '--json'], /"environment|"profile news"/],
  [['alias', 'set', 'may', 'access --product premium --email $1'], /^$/],
  [['may', 'active@example.com', '--sandbox', '--csv'], /^allowed,/],
  [['products', ...ACTIVE, '--domain', 'example.com'], /^$/, 4],
  [['products', ...ACTIVE, '--domain', 'example.com', '--curl'], /^curl /],
  [['doctor', '--sandbox', '--json'], /"area": "gatectl"/],
  [['completion', 'bash'], /gatectl/],
  [['nonsense'], /^$/, 2],
];

/** Runs the commands with `program` and throws at the first that goes wrong; returns how many there were. */
export function smoke(program, leading = [], env = {}) {
  const home = mkdtempSync(join(tmpdir(), 'gatectl-smoke-'));
  try {
    for (const [args, expected, exit = 0] of COMMANDS) {
      const { status, stdout, stderr, error } = spawnSync(program, [...leading, ...args], {
        cwd: home,
        encoding: 'utf8',
        env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', ...env },
      });
      if (error !== undefined) throw error;
      const warned = /Warning:|gatectl itself failed/.test(stderr);
      if (status === exit && expected.test(stdout) && !warned) continue;
      throw new Error(
        `gatectl ${args.join(' ')} ended with ${status} instead of ${exit}\nstdout: ${stdout}\nstderr: ${stderr}`,
      );
    }
    return COMMANDS.length;
  } finally {
    rmSync(home, { recursive: true });
  }
}
