import { GatectlError } from '../../../../errors/index.ts';
import { type Sentence, sentence } from '../../../../output/sentence.ts';
import type { Context, Log } from '../../../framework/context.ts';

/**
 * The context of one section: its warnings name the section and are collected for the document; notes repeat the document and are
 * printed with `--verbose` only.
 */
export function sectionContext(context: Context, name: string, onWarning: (text: Sentence) => void): Context {
  const { log, globals } = context;
  const named = (text: Sentence) => sentence`${name}: ${text}`;
  const detailed = (text: Sentence): void => {
    if (globals.verbose) log.info(named(text));
  };
  const own: Log = {
    note: detailed,
    info: detailed,
    warn(text, details) {
      onWarning(text);
      log.warn(named(text), details);
    },
    progress: (total, unit) => log.progress(total, unit),
  };
  // The members of a context are methods of an object with private fields.
  return new Proxy(context, {
    get(target, key) {
      if (key === 'log') return own;
      const member = Reflect.get(target, key, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

/** Errors whose message begins with a place: two sections may fail with the same one. */
const withPlaces = new WeakSet<Error>();

/** The error with a place in front of its message, unless it has one. */
export function withPlace(error: unknown, place: string): unknown {
  if (!(error instanceof GatectlError) || withPlaces.has(error)) return error;
  withPlaces.add(error);
  error.message = `${place}: ${error.message}`;
  return error;
}
