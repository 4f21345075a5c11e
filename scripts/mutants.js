// The faults of scripts/mutate.js. A test sees to it that each still finds its place in the sources.
import { existsSync, readFileSync } from 'node:fs';

const FAULTS = 'test/faults/faults.test.ts';
const MOMENTS = 'test/faults/moments.test.ts';
const PURGING = ['test/families/cdn', 'test/commands/cdn', MOMENTS];
const TRANSCODING = ['test/export/transcode', 'test/export'];

/** name, file, what stands there (in one place alone), what is put in its place, the tests that should notice. */
export const MUTANTS = [
  [
    'the empty key is not told apart',
    'src/gateway/classify.ts',
    'answer.text.trim() === EMPTY_KEY_BODY',
    'answer.text === EMPTY_KEY_BODY.trim().slice(1)',
    [FAULTS],
  ],
  [
    'redirects pass for answers',
    'src/gateway/classify.ts',
    'status >= 300 && status < 400',
    'status > 399 && status < 400',
    [FAULTS],
  ],
  [
    '304 is no redirect',
    'src/gateway/classify.ts',
    'status >= 300 && status < 400',
    'status >= 300 && status < 304',
    [FAULTS],
  ],
  [
    'compressed answers are taken',
    'src/gateway/classify.ts',
    "encoding !== undefined && encoding !== 'identity'",
    "encoding === 'br'",
    [FAULTS],
  ],
  [
    'a failure under 200 is a success',
    'src/gateway/classify.ts',
    'ok && fault === undefined',
    'ok',
    [FAULTS],
  ],
  [
    'a 403 is advised as a 401',
    'src/gateway/classify.ts',
    "status === 403 || code === 'forbidden'",
    'false',
    [FAULTS, 'test/cli'],
  ],
  [
    'limits are not tried again',
    'src/gateway/classify.ts',
    'passing: true, limited: true',
    'passing: false, limited: true',
    [FAULTS],
  ],
  [
    '429 is like any refusal',
    'src/gateway/classify.ts',
    "if (status === 429) return 'limited';",
    '',
    [FAULTS],
  ],
  ['522 is not tried again', 'src/gateway/classify.ts', '504, 522, 524', '504, 524', [FAULTS]],
  [
    '403 is a plain refusal',
    'src/gateway/classify.ts',
    'status === 401 || status === 403',
    'status === 401',
    [FAULTS],
  ],
  [
    "a server's words reach the terminal raw",
    'src/gateway/classify.ts',
    'printable(shortened(redact(text)))',
    'shortened(redact(text))',
    ['test/gateway', FAULTS],
  ],
  [
    "a server's words are not redacted",
    'src/gateway/classify.ts',
    'printable(shortened(redact(text)))',
    'printable(shortened(text))',
    ['test/secrets', FAULTS],
  ],
  [
    'half a secret shows where an answer is cut',
    'src/gateway/classify.ts',
    'firstOf(redact(text.slice(0, LOOKED_AT)))',
    'redact(firstOf(text.slice(0, LOOKED_AT)))',
    ['test/gateway'],
  ],
  [
    'a web page amid an export is taken for rows that broke',
    'src/export/page-run.ts',
    '        if (isFirst) refuseWebPage(chunk, answer);\n',
    '',
    [FAULTS],
  ],
  [
    'what may not be repeated is',
    'src/gateway/gateway.ts',
    '(request.repeatable && outcome.passing)',
    'outcome.passing',
    [FAULTS],
  ],
  [
    'an hour is waited for',
    'src/gateway/gateway.ts',
    '(outcome.retryAfter ?? 0) > RETRY_AFTER_CAP_MS',
    'false',
    [FAULTS],
  ],
  [
    'a refused connection counts as sent',
    'src/gateway/network-errors.ts',
    'connection refused`,\n      passing: true,\n      unsent: true,',
    'connection refused`,\n      passing: true,\n      unsent: false,',
    [FAULTS],
  ],
  ['drips go on for ever', 'src/gateway/limit.ts', '++looks > LOOKS', '++looks > 1000', [FAULTS]],
  [
    'every decision but denied is access',
    'src/families/subscriptions/access.ts',
    "decision === 'allowed'",
    "decision !== 'denied'",
    ['test/commands/subscriptions', 'test/wire'],
  ],

  [
    'half a note runs into the next',
    'src/families/cdn/journal.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a piece of source text
    '`\\n${from} ${count}\\n`',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a piece of source text
    '`${from} ${count}\\n`',
    PURGING,
  ],
  [
    'one URL too many counts as cleared',
    'src/families/cdn/journal.ts',
    'Number(from) + Number(count))',
    'Number(from) + Number(count) + 1)',
    PURGING,
  ],
  [
    'one URL too few counts as cleared',
    'src/families/cdn/journal.ts',
    'Number(from) + Number(count))',
    'Number(from) + Number(count) - 1)',
    PURGING,
  ],
  [
    'the end of the list is not written',
    'src/families/cdn/journal.ts',
    'async end(head: JournalHead | undefined): Promise<void> {\n    await this.flush();',
    'async end(head: JournalHead | undefined): Promise<void> {',
    PURGING,
  ],
  [
    "another gateway's purge is taken up",
    'src/families/cdn/journal.ts',
    'head === undefined || head.baseUrl !== baseUrl',
    'head === undefined',
    PURGING,
  ],
  [
    'notes can be read by everybody',
    'src/families/cdn/journal.ts',
    "'urls'), 'wx', 0o600",
    "'urls'), 'wx', 0o644",
    PURGING,
  ],
  [
    'a purge that is done can be resumed',
    'src/families/cdn/journal.ts',
    'await rm(this.folder, { recursive: true, force: true });',
    '',
    PURGING,
  ],
  [
    'failed batches count as cleared',
    'src/families/cdn/clear-urls.ts',
    'cleared: error === undefined',
    'cleared: true',
    PURGING,
  ],
  ['batches of 101', 'src/families/cdn/batches.ts', 'batch.length === size', 'batch.length > size', PURGING],
  [
    'a gap in the list is closed',
    'src/families/cdn/batches.ts',
    'index !== from + batch.length',
    'false',
    PURGING,
  ],
  [
    'a purge under way is taken up',
    'src/commands/cdn/purges-on-disk.ts',
    'if (!(await isLocked(each.journal.folder, machineOf(context))))',
    'if (each)',
    [FAULTS],
  ],

  [
    'rows that are out come twice',
    'src/export/transcode/transcoder.ts',
    'if (this.#rowsToSkip > 0) {',
    'if (this.#rowsToSkip > 1e9) {',
    TRANSCODING,
  ],
  [
    'the position forgets what waits',
    'src/export/transcode/transcoder.ts',
    'this.#bytesHandedOn + this.#out.length',
    'this.#bytesHandedOn',
    TRANSCODING,
  ],
  [
    'a cut answer is whole',
    'src/export/transcode/answer-reader.ts',
    '    this.#scanner.end();\n',
    '',
    TRANSCODING,
  ],
  [
    'a row without end is taken',
    'src/export/transcode/answer-reader.ts',
    'unfinished.length + at - from > MAX_ROW_BYTES',
    'unfinished.length + at - from > 1e12',
    [...TRANSCODING, FAULTS],
  ],
  [
    'quotes are not doubled',
    'src/export/transcode/csv-cells.ts',
    'if (byte === QUOTE) out.put(QUOTE);',
    '',
    TRANSCODING,
  ],
  [
    'line breaks are not quoted',
    'src/export/transcode/csv-cells.ts',
    ' || byte === CR || byte === LF',
    '',
    TRANSCODING,
  ],
  [
    'formulas stay armed',
    'src/export/transcode/csv-cells.ts',
    'if (disarmed) this.#cell.put(APOSTROPHE);',
    '',
    TRANSCODING,
  ],
  [
    'a broken page is not taken back',
    'src/export/page-run.ts',
    '      await this.#sink.takeBack(this.#written.sinkBytes);\n',
    '',
    ['test/export', FAULTS],
  ],
  [
    'short pages leave a gap',
    'src/export/plan.ts',
    'offset: plan.start + reached.rows',
    'offset: plan.start + reached.pages * plan.pageSize',
    ['test/export', FAULTS],
  ],
  [
    'a checkpoint tells of rows before they are on the disk',
    'src/export/progress-keeper.ts',
    '    await this.#file.sync();\n',
    '',
    ['test/export'],
  ],
  [
    'a checkpoint of rows that are given up comes back',
    'src/export/checkpoint.ts',
    'if (isRemoved) await syncFolder(dirname(path));',
    '',
    ['test/export'],
  ],
  [
    'a file takes its name before it is on the disk',
    'src/files/unfinished-file.ts',
    'async commit(): Promise<void> {\n    await this.#named(this.#handle.sync());',
    'async commit(): Promise<void> {',
    ['test/export', 'test/files'],
  ],
  [
    'changed notes are gone on from',
    'src/export/checkpoint.ts',
    '&& hash === hashOf({ subject, progress })',
    '',
    ['test/export', FAULTS],
  ],
  [
    'a lock is nobody’s',
    'src/files/lock.ts',
    'return holder.pid === machine.pid || !machine.isRunning(holder.pid);',
    'return true;',
    ['test/files'],
  ],

  [
    'URL-encoded secrets show',
    'src/gateway/redactor.ts',
    '    this.#addForm(encoded);\n',
    '',
    ['test/gateway', 'test/secrets'],
  ],
  [
    'secrets in JSON show',
    'src/gateway/redactor.ts',
    '    this.#addForm(JSON.stringify(secret).slice(1, -1));\n',
    '',
    ['test/gateway', 'test/secrets'],
  ],
  [
    'secrets amid base64 show',
    'src/gateway/redactor.ts',
    'core.length >= MIN_CORE_LENGTH',
    'core.length < 0',
    ['test/gateway', 'test/secrets'],
  ],
  [
    'short secrets show',
    'src/gateway/redactor.ts',
    'MIN_SECRET_LENGTH = 4',
    'MIN_SECRET_LENGTH = 12',
    ['test/gateway', 'test/secrets'],
  ],
  [
    'the end of a longer secret shows',
    'src/gateway/redactor.ts',
    'b.length - a.length',
    'a.length - b.length',
    ['test/gateway'],
  ],
  [
    'secrets of a proxy show',
    'src/cli/open-gateway.ts',
    'for (const secret of proxySecrets(proxy)) redactor.add(secret);',
    '{}',
    ['test/secrets'],
  ],
  [
    "a reader's identity shows",
    'src/commands/subscriptions/reader-flags.ts',
    "context.keepSecret(reader.kind === 'email' ? reader.email : reader.token);",
    'void context;',
    ['test/secrets'],
  ],
];

/** Why a fault can't be put in any more; undefined where it can. */
export function whyNot([, file, from, to, tests]) {
  if (!existsSync(file)) return `there is no ${file}`;
  const places = readFileSync(file, 'utf8').split(from).length - 1;
  if (places !== 1) return `${file} holds ${JSON.stringify(from)} ${places} times`;
  if (from === to) return 'it changes nothing';
  const missing = tests.filter(path => !existsSync(path));
  return missing.length === 0 ? undefined : `there is no ${missing.join(', ')}`;
}
