import type { Output } from './io.ts';

/** Adds colour codes to text, or returns it unchanged. */
export interface Painter {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Whether to use colour on a stream, by the first of these that decides: `--no-color`, NO_COLOR, FORCE_COLOR, TERM=dumb,
 * whether the stream is a terminal.
 */
export function hasColour(stream: Pick<Output, 'isTTY'>, noColourFlag: boolean, env: Environment): boolean {
  if (noColourFlag || env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  if (env.TERM === 'dumb') return false;
  return stream.isTTY === true;
}

const asIs = (text: string): string => text;
/** Leaves text unchanged. */
export const UNPAINTED: Painter = { bold: asIs, dim: asIs, red: asIs, green: asIs, yellow: asIs, cyan: asIs };

/** A painter that uses colour or not. */
export async function painter(colour: boolean): Promise<Painter> {
  if (!colour) return UNPAINTED;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  // chalk joins all its arguments, and `map` passes three.
  const { bold, dim, red, green, yellow, cyan } = chalk;
  return {
    bold: text => bold(text),
    dim: text => dim(text),
    red: text => red(text),
    green: text => green(text),
    yellow: text => yellow(text),
    cyan: text => cyan(text),
  };
}

/** Whether the terminal shows more than ASCII, according to the locale. */
export function hasUnicode(env: Environment, platform: NodeJS.Platform): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  if (platform === 'win32' || platform === 'darwin') return true;
  return /utf-?8/i.test(locale);
}
