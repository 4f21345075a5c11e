import { setMaxListeners } from 'node:events';
import { Readable, Writable } from 'node:stream';
import type { Globals, InnerContext } from '../commands/framework/context.ts';
import { InterruptedError } from '../errors/index.ts';
import { localeOf } from '../output/presentation/index.ts';
import type { Io } from '../terminal/io.ts';
import { DataWriter } from '../terminal/writer.ts';
import { Redactor } from '../text/redactor.ts';
import { CommandContext, type ContextParts } from './command-context.ts';
import { exitCodeOf } from './exit-codes.ts';
import { errorData } from './format-error.ts';
import { listenForSignals } from './signals.ts';

/** Notes that one call may collect, in bytes. */
const MAX_NOTES = 1_000_000;

/** Opens a context inside the one with these parts. `knownError` names the cause of an internal error, where it is known. */
export function openInner(
  outer: ContextParts,
  knownError: (thrown: unknown) => unknown,
  signal: AbortSignal,
): InnerContext {
  const printed: Buffer[] = [];
  let size = 0;
  const stderr = new Writable({
    write(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size <= MAX_NOTES) printed.push(chunk);
      done();
    },
  });
  const io: Io = {
    ...outer.io,
    stdin: Readable.from([]),
    stdout: new Writable({ write: (_chunk, _encoding, done) => done() }),
    stderr,
    mayBeTerminal: false,
    writeSync: chunk => Buffer.from(chunk),
    openPager: async () => undefined,
    onSignal(listener) {
      const abort = (): void => listener('SIGTERM');
      if (signal.aborted) queueMicrotask(abort);
      signal.addEventListener('abort', abort, { once: true });
      return () => signal.removeEventListener('abort', abort);
    },
  };
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  const redactor = new Redactor();
  const signals = listenForSignals(io, stopping);
  const context = new CommandContext({
    ...outer,
    ...{ io, redactor, signals, signal: stopping.signal, out: new DataWriter(io) },
    globals: innerGlobals(outer.globals),
  });
  return {
    context,
    notes: () =>
      Buffer.concat(printed)
        .toString()
        .split('\n')
        .filter(line => line.trim() !== ''),
    async errorData(thrown) {
      const error = knownError(thrown);
      return {
        exit: exitCodeOf(error),
        error: errorData(error, await context.errorContext(), text => redactor.redact(text)),
      };
    },
    async close() {
      stopping.abort(new InterruptedError('SIGTERM'));
      await context.close();
      signals.leave();
    },
  };
}

/** The options that select the gateway and limit its requests, and those of days. */
function innerGlobals({ flags, sandbox, csvDialect: _, ...rest }: Globals): Globals {
  return {
    ...rest,
    sandbox,
    flags: { ...flags, output: undefined },
    csvDialect: 'rfc4180',
    requiresCsv: false,
    fileFormat: undefined,
    decimals: undefined,
    locale: localeOf('en'),
    fields: undefined,
    jq: undefined,
    quiet: false,
    verbose: false,
    curl: false,
    noInput: true,
  };
}
