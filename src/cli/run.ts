import { setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  BrokenPipeError,
  CurlPrinted,
  FileError,
  GatectlError,
  InterruptedError,
  PlanWritten,
  UsageError,
} from '../errors/index.ts';
import { stderrWidth, stdoutWidth } from '../terminal/fold.ts';
import type { Io } from '../terminal/io.ts';
import { DataWriter } from '../terminal/writer.ts';
import { Redactor, secretsInArgv } from '../text/redactor.ts';
import type { CommandContext, ContextParts } from './command-context.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { connectionWords, firstWordIndex, GLOBAL_OPTIONS } from './globals.ts';
import { manualOf } from './manual-loader.ts';
import { outline } from './outline.ts';
import { CommandLine, type Parsed } from './parser.ts';
import { clockOf } from './sandbox-clock.ts';
import { listenForSignals } from './signals.ts';

/** What ends a command with success. */
const ENDINGS = [CurlPrinted, PlanWritten, BrokenPipeError];

const commandNames = outline.map(({ name }) => name);

/** Parses, runs and reports one command line. Resolves to the exit code; throws nothing. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const helpWidth = stdoutWidth(io);
  const line = new CommandLine(outline, helpWidth);
  const redactor = redactorFor(argv);
  const stopping = new AbortController();
  let uncaught: { readonly error: unknown } | undefined;
  // It ends the command like an interrupt, so that finished work is saved and reported.
  const unsubscribe = io.onUncaughtException(error => {
    uncaught = { error };
    stopping.abort(error);
  });
  let context: CommandContext | undefined;
  try {
    const parsed = await line.parse(await expandAlias(argv, io));
    if (parsed.kind === 'help') {
      await new DataWriter(io).write(parsed.text + (await aliasesIn(argv, io)));
      return EXIT.success;
    }
    context = await openContext(parsed, line, helpWidth, redactor, stopping, io);
    for (const note of parsed.notes) context.log.note(note);
    await context.out.checkOptions(parsed.input.out, parsed.leaf.output);
    await assertAllowed(parsed, context);
    const code = await parsed.leaf.run(parsed.input, context);
    if (uncaught !== undefined) throw uncaught.error;
    return code ?? EXIT.success;
  } catch (thrown) {
    if (ENDINGS.some(ending => thrown instanceof ending)) return EXIT.success;
    const error = knownError(thrown, io);
    await report(error, line, context, redactor, io).catch(failure => {
      // What reports errors may be gone, too.
      if (replacedError(failure, io) === undefined) throw failure;
      io.stderr.write(`error: ${redactor.redact((error as Error).message)}\n`);
    });
    return exitCodeOf(error);
  } finally {
    // Abandoned requests would fail later, each with a line under --verbose.
    stopping.abort(new InterruptedError('SIGTERM'));
    await context?.close();
    unsubscribe();
  }
}

/** Whether the flags of a command say that nothing is sent. */
function isUnsent({ dryRun, planOut }: Readonly<Record<string, unknown>>): boolean {
  return dryRun === true || planOut !== undefined;
}

/** Throws UsageError for a command that changes something, where only reads are sent: before it asks, or does a part of its work. */
async function assertAllowed(
  { leaf, input }: Extract<Parsed, { kind: 'run' }>,
  context: CommandContext,
): Promise<void> {
  if (leaf.effect === 'read' || leaf.effect === 'request' || isUnsent(input) || context.globals.curl) return;
  if (!(await context.settings()).readOnly.value) return;
  throw new UsageError('the command changes something at the gateway, and only reads are allowed here', {
    code: 'read_only',
  });
}

/** An error with its cause, where an internal one has a cause outside gatectl. */
function knownError(thrown: unknown, io: Io): unknown {
  return openFilesError(thrown) ?? replacedError(thrown, io) ?? thrown;
}

/** The error for a module that could not be loaded because too many files are open. */
function openFilesError(error: unknown): FileError | undefined {
  const { code, path = '' } = error as NodeJS.ErrnoException;
  if (error instanceof GatectlError || (code !== 'EMFILE' && code !== 'ENFILE')) return undefined;
  return new FileError('too many files are open; raise the limit: ulimit -n 256', { path, cause: error });
}

/** The error in place of an internal one after an update: the files of two versions do not fit together. */
function replacedError(error: unknown, { runtime: { bundle } }: Io): FileError | undefined {
  if (error instanceof GatectlError || bundle === undefined) return undefined;
  const path = join(bundle.folder, 'gatectl.cjs');
  try {
    if (readFileSync(path, 'latin1').includes(bundle.build)) return undefined;
  } catch {}
  return new FileError('gatectl was updated or removed while it ran; run the command again', {
    path,
    code: 'program_replaced',
    cause: error,
  });
}

/** Opens the context. Until it is closed, signals abort the command instead of ending the process. */
async function openContext(
  { leaf, globals, commandLine }: Pick<Extract<Parsed, { kind: 'run' }>, 'leaf' | 'globals' | 'commandLine'>,
  line: CommandLine,
  helpWidth: number | undefined,
  redactor: Redactor,
  stopping: AbortController,
  io: Io,
): Promise<CommandContext> {
  const clock = clockOf(io, globals);
  const { CommandContext } = await import('./command-context.ts');
  // Every request in flight adds a listener.
  setMaxListeners(0, stopping.signal);
  const parts: ContextParts = {
    io,
    globals,
    commandLine,
    connectionWords: () => connectionWords(line.typed),
    inner: async (signal, progress) => {
      const { openInner } = await import('./inner-context.ts');
      return openInner({ ...parts, progress }, thrown => knownError(thrown, io), signal);
    },
    denialsOf: async words => {
      const [{ openInner }, { weighCommand }] = await Promise.all([
        import('./inner-context.ts'),
        import('./weigh-command.ts'),
      ]);
      const other = await new CommandLine(outline, helpWidth).parse([
        ...words,
        ...connectionWords(line.typed),
      ]);
      if (other.kind === 'help') return [];
      const { globals: own, commandLine: typed } = other;
      const outer = { ...parts, globals: own, commandLine: typed };
      return await weighCommand(
        other,
        openInner(outer, thrown => knownError(thrown, io), stopping.signal),
      );
    },
    commandNames,
    signal: stopping.signal,
    clock,
    out: new DataWriter(io),
    manual: manualOf(line, helpWidth, io),
    redactor,
    signals: listenForSignals(io, stopping),
    hasPageSize: 'pageSize' in leaf.options,
  };
  return new CommandContext(parts);
}

/** Expands an alias. The profiles file is read only if the first word is not a command. */
async function expandAlias(argv: readonly string[], io: Io): Promise<readonly string[]> {
  const at = firstWordIndex(argv);
  const word = argv[at];
  if (word === undefined || commandNames.includes(word)) return argv;
  if (word === 'version') return argv.with(at, '--version');
  const { withoutAlias } = await import('./aliases.ts');
  return await withoutAlias(argv, at, io);
}

/** The section with aliases at the end of `gatectl --help`. */
async function aliasesIn(argv: readonly string[], io: Io): Promise<string> {
  if (firstWordIndex(argv) < argv.length) return '';
  const { aliasesHelp } = await import('./brief-help.ts');
  return await aliasesHelp(io);
}

/** A redactor for keys in typed URLs and commands, because errors may quote arguments. */
function redactorFor(argv: readonly string[]): Redactor {
  const redactor = new Redactor();
  for (const key of argv.flatMap(secretsInArgv)) redactor.add(key);
  return redactor;
}

async function report(
  thrown: unknown,
  line: CommandLine,
  context: CommandContext | undefined,
  redactor: Redactor,
  io: Io,
): Promise<void> {
  const [{ formatError }, { hasColour, painter }] = await Promise.all([
    import('./format-error.ts'),
    import('../terminal/colour.ts'),
  ]);
  const { typed } = line;
  const { output, json, jq, color, verbose } = GLOBAL_OPTIONS;
  const isJson = typed.has(json) || typed.has(jq);
  const format = typed.text(output) || (isJson ? 'json' : io.env.GATECTL_OUTPUT);
  const paint = await painter(hasColour(io.stderr, typed.has(color), io.env));
  const errorContext = await context?.errorContext();
  context?.log.endProgress();
  io.stderr.write(
    formatError(thrown, errorContext, {
      json: /^(?:nd)?json$/i.test(format ?? ''),
      width: stderrWidth(io),
      verbose: typed.has(verbose),
      redact: text => redactor.redact(text),
      bold: text => paint.bold(paint.red(text)),
    }),
  );
}
