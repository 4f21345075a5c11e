import { isDay } from '../apis/bda/days.ts';
import { PartialError, UsageError } from '../errors/index.ts';
import { invalidValue } from '../errors/usage.ts';
import { groupDigits, pluralize } from '../terminal/numbers.ts';
import type { OutputSection } from './framework/context.ts';
import { defineCommand, integer, list, string } from './framework/define-command.ts';
import { listOf, object, TEXT } from './framework/output-schema.ts';
import { checkedLog, logFolder, loggedWrites } from './framework/write-history.ts';

const COLUMNS = [
  { key: 'time', title: 'Time', kind: 'time' },
  { key: 'request', title: 'Request' },
  { key: 'targets', title: 'Targets', kind: 'number', whenPresent: true },
  { key: 'outcome', title: 'Outcome', outcomes: { ok: 'good', failed: 'bad', unknown: 'warning' } },
  { key: 'user', title: 'User' },
  { key: 'command', title: 'Command' },
] as const;

export const logVerify = defineCommand({
  name: 'verify',
  effect: 'read',
  summary: 'check that no entry of the log was changed or removed',
  description:
    'Checks the number and the hash of every entry. Entries that were changed, removed or moved are listed, and the exit code is 7. Entries removed from the end are only found by --hash, with the hash of an entry that was stored elsewhere. Writes whose outcome is unknown are counted.',
  options: {
    hash: list('--hash <hash>', 'require the entry with this hash; repeatable'),
  },
  examples: {
    'gatectl log verify': 'check the log',
    'gatectl log verify --jq .last > last-hash': 'keep the hash of the last entry',
  },
  output: object({
    entries: ['number', 'number of entries'],
    last: ['string?', 'the hash of the last entry'],
    unknown: ['number', 'writes whose outcome is unknown'],
    faults: ['object[]', 'file, line and what is wrong: changed, missing_before, or absent for a hash'],
  }),
  async run({ hash }, context) {
    const invalid = hash.find(each => !/^[0-9a-f]{64}$/.test(each));
    if (invalid !== undefined)
      throw invalidValue(
        `--hash cannot be '${invalid}'`,
        'type the 64 digits that gatectl log verify prints as last',
      );
    const { entries, last, faults, writes, hashes } = await checkedLog(context);
    const absent = hash.filter(each => !hashes.has(each)).map(each => ({ hash: each, fault: 'absent' }));
    const unknown = writes.filter(({ outcome }) => outcome === 'unknown').length;
    const all = [...faults, ...absent];
    const data = { entries, last: last ?? null, unknown, faults: all.map(each => ({ ...each })) };
    const { faults: found, ...counts } = data;
    const sections: OutputSection[] = [{ title: 'Log', data: counts, view: {} }];
    if (found.length > 0) sections.push({ title: 'Faults', data: found, view: {} });
    await context.out.printSections(data, sections, found);
    if (all.length > 0)
      throw new PartialError(`the log is not as it was written: ${pluralize(all.length, 'fault')}`, {
        code: 'partial_failure',
      });
  },
});

export const logExport = defineCommand({
  name: 'export',
  effect: 'read',
  summary: 'print the lines of the log as they are',
  description:
    'Prints all lines of this user and machine, of every gateway, in their stored form: JSON with hashes, to store and check elsewhere. To check them here, use gatectl log verify.',
  options: {},
  examples: { 'gatectl log export > writes.ndjson': 'a copy for an audit' },
  output: TEXT,
  async run(_, context) {
    const { readLog } = await import('../files/chained-log.ts');
    const folder = await logFolder(context);
    if (folder === undefined) return;
    for await (const { text } of readLog(folder)) await context.out.printText(`${text}\n`);
  },
});

export const log = defineCommand({
  name: 'log',
  effect: 'read',
  summary: 'list what was changed at this gateway',
  description:
    'Lists every request of this user and machine that changes something, the latest first: of commands, gatectl api and MCP. It is logged before it is sent and again with its outcome; without a response, or if gatectl was killed, the outcome is unknown. Readers and keys are not logged.',
  options: {
    since: string('--since <day|time>', 'only those since a day (2026-11-16) or a time ago (2h, 7d)'),
    limit: integer('--limit <number>', 'maximum number of requests', { min: 1, fallback: 20 }),
  },
  examples: {
    'gatectl log': 'the last changes',
    'gatectl log --since 24h --limit 1000': 'those of today',
    'gatectl log --jq \'.[] | select(.outcome == "unknown")\'': 'those whose outcome is unknown',
  },
  output: listOf({
    seq: ['number', 'number of the entry'],
    time: ['string', 'RFC 3339'],
    effect: ['string', 'write or irreversible'],
    request: ['string', 'method and path'],
    targets: ['number?', 'number of URLs, keys or domains'],
    listed: ['string[]?', 'the targets, where they are few'],
    sha256: ['string?', 'the hash of the body otherwise'],
    outcome: ['string', 'ok, failed or unknown'],
    error: ['string?', 'the code of the error'],
    profile: ['string?', 'the profile'],
    user: ['string?', 'the user of the system'],
    host: ['string', 'the machine'],
    job: ['string?', 'the job of a CI system'],
    plan: ['string?', 'the hash of the plan that was applied'],
    command: ['string', 'the command line'],
  }),
  async run({ since, limit }, context) {
    const from = since === undefined ? undefined : timeOf(since, context.io.now());
    const { writes, isIntact } = await loggedWrites(context, from);
    await context.out.print(writes.slice(0, limit), { columns: COLUMNS, empty: 'no changes yet' });
    if (writes.length > limit)
      context.log.note(`${groupDigits(writes.length - limit)} earlier requests; --limit shows more`);
    if (!isIntact) context.log.warn('entries were changed or removed; gatectl log verify lists them');
  },
});

/** A day or a time as milliseconds; a span counts back from now. Throws UsageError. */
function timeOf(text: string, now: number): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count !== undefined) return now - Number(count) * (UNIT_MS[unit] ?? 0);
  const time = isDay(text.slice(0, 10)) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new UsageError(`--since cannot be '${text}'`, {
    code: 'invalid_value',
    hints: ['type a day such as 2026-11-16, a time such as 2026-11-16T08:00:00Z, or a span such as 2h or 7d'],
  });
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
