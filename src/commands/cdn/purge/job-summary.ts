import { GatectlError } from '../../../errors/index.ts';
import { isDirect, writeAtomic } from '../../../files/atomic-file.ts';
import { appendFile, open } from '../../../files/disk.ts';
import { fileError } from '../../../files/file-error.ts';
import { groupDigits, pluralize } from '../../../terminal/numbers.ts';
import type { Context } from '../../framework/context.ts';

/** How a purge ended. */
interface PurgeSummary {
  readonly domain: string | undefined;
  readonly what: 'URL' | 'key' | 'target' | 'everything';
  readonly requested: number;
  readonly cleared: number;
  readonly failed: number;
  /** Why more than what changed was purged. */
  readonly reasons: readonly string[];
}

const summarized = new WeakSet<Context>();

/**
 * Appends the outcome of a purge to the file of `--summary`, as Markdown. In GitHub Actions it is printed as an annotation too, to stderr.
 * Throws FileError.
 */
export async function summarizePurge(path: string, purge: PurgeSummary, context: Context): Promise<void> {
  const { requested, cleared, failed, reasons } = purge;
  const line = sentenceOf(purge);
  const rows = [
    `### ${markdown(line)}`,
    '',
    '| requested | cleared | failed |',
    '| ---: | ---: | ---: |',
    `| ${[requested, cleared, failed].map(groupDigits).join(' | ')} |`,
    '',
    ...reasons.map(reason => `- ${markdown(reason)}`),
  ];
  await add(path, rows, context);
  annotate(failed > 0 ? 'error' : 'notice', [line, ...reasons].join('; '), context);
}

/** Checks that the file of `--summary` can be appended to, before anything is sent. Throws FileError. */
export async function assertAppendable(path: string): Promise<void> {
  try {
    if (!(await isDirect(path))) await (await open(path, 'a')).close();
  } catch (error) {
    throw fileError(path, error, 'write');
  }
}

/** Appends the error that ended a purge, unless its outcome is there already. */
export async function summarizeError(path: string, error: unknown, context: Context): Promise<void> {
  if (!(error instanceof GatectlError) || summarized.has(context)) return;
  const message = context.redactor.redact(error.message);
  try {
    await add(path, ['### Purge failed', '', markdown(message)], context);
  } catch (failure) {
    if (!(failure instanceof GatectlError)) throw failure;
    context.log.warn(`the summary is missing: ${failure.message}`);
  }
  annotate('error', message, context);
}

/** `purged 3 of 4 URLs on example.com`. */
function sentenceOf({ domain, what, requested, cleared }: PurgeSummary): string {
  const on = domain === undefined ? '' : ` on ${domain}`;
  if (what === 'everything') return `${cleared > 0 ? 'purged' : 'could not purge'} everything${on}`;
  const of = cleared === requested ? '' : `${groupDigits(cleared)} of `;
  return `purged ${of}${pluralize(requested, what)}${on}`;
}

async function add(path: string, lines: readonly string[], context: Context): Promise<void> {
  summarized.add(context);
  const text = `${lines.join('\n').trimEnd()}\n\n`;
  try {
    await ((await isDirect(path)) ? writeAtomic(path, text) : appendFile(path, text));
  } catch (error) {
    throw fileError(path, error, 'write');
  }
}

/** A workflow command of GitHub Actions, which reads them from stdout and stderr. */
function annotate(kind: 'error' | 'notice', message: string, { io }: Context): void {
  if (io.env.GITHUB_ACTIONS !== 'true') return;
  const escaped = message.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  io.stderr.write(`::${kind} title=gatectl::${escaped}\n`);
}

/** Text in which no character is markup. */
function markdown(text: string): string {
  return text.replace(/[\\`*_[\]<>|#]/g, '\\$&').replace(/\s+/g, ' ');
}
