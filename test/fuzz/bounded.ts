import { expect } from 'vitest';
import type { Signal } from '../../src/errors/index.ts';
import { type InProcess, type InProcessOptions, run } from '../support/run.ts';

/** What a command may take before Ctrl-C comes, in milliseconds; what runs until then (a server) has to end by it. */
const PATIENCE_MS = 700;
/** What hangs; a slow machine takes less. */
const LAST_MS = 30_000;

const EXIT_CODES = [0, 2, 3, 4, 5, 6, 7, 8, 9, 130, 143];

/** Colours, the wiping of the progress line, line breaks of Windows. */
const ALLOWED_SEQUENCES = /\u001b\[\d*m|\r\u001b\[2K|\r(?=\n)/g;
const CONTROLS = /[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;

/**
 * Runs a command line of which nothing is known, and checks what holds for all of them: it ends, at the latest by Ctrl-C, with a
 * documented exit code, tells errors in a few words, and sends a terminal nothing but text.
 */
export async function runBounded(
  args: readonly string[],
  options: InProcessOptions = {},
): Promise<InProcess> {
  let send: (signal: Signal) => void = () => {};
  let interrupting: NodeJS.Timeout | undefined;
  let ending: NodeJS.Timeout | undefined;
  const hung = new Promise<never>((_, reject) => {
    interrupting = setTimeout(() => {
      send('SIGINT');
      ending = setTimeout(() => reject(new Error(`does not end: ${args.join(' ')}`)), LAST_MS);
    }, PATIENCE_MS);
  });
  try {
    const running = run(args, {
      ...options,
      onSignals(given) {
        send = given;
      },
    });
    const ran = await Promise.race([running, hung]);
    expectBounded(ran, args, options.columns !== undefined);
    return ran;
  } finally {
    clearTimeout(interrupting);
    clearTimeout(ending);
  }
}

function expectBounded(
  { code, stdout, stderr: told }: InProcess,
  args: readonly string[],
  isTerminal: boolean,
): void {
  const line = JSON.stringify(args);
  const stderr = told.replace(ALLOWED_SEQUENCES, '');
  expect(EXIT_CODES, `${line}: ${stderr}`).toContain(code);
  expect(stderr, line).not.toMatch(/^\s+at .*[:(]\d+/m);
  expect(stderr, line).not.toMatch(/gatectl itself failed|\[object Object\]|node:internal/);
  expect(stderr, line).not.toMatch(CONTROLS);
  if (isTerminal)
    expect(stdout.replace(ALLOWED_SEQUENCES, '').replaceAll('\t', ''), line).not.toMatch(CONTROLS);
  if (code !== 0 && code !== 3) expect(stderr, line).toMatch(/error:\s|\{"error":/);
}
