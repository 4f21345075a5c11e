import type { Output } from './io.ts';

/** Paints text, or leaves it as it is. */
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
 * Whether a stream gets colour. The one place that decides: `--no-color`, then NO_COLOR, then FORCE_COLOR, then TERM=dumb,
 * then whether the stream is a terminal.
 */
export function hasColour(stream: Pick<Output, 'isTTY'>, noColourFlag: boolean, env: Environment): boolean {
  if (noColourFlag || env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  if (env.TERM === 'dumb') return false;
  return stream.isTTY === true;
}

const asIs = (text: string): string => text;
const PLAIN: Painter = { bold: asIs, dim: asIs, red: asIs, green: asIs, yellow: asIs, cyan: asIs };

/** The painter of a stream that gets colour or doesn't. */
export async function painter(colour: boolean): Promise<Painter> {
  if (!colour) return PLAIN;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  // chalk paints every argument it gets, and `map` hands over three.
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

/** Whether the terminal shows more than ASCII, by the locale it was started with. */
export function hasUnicode(env: Environment, platform: NodeJS.Platform): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  if (platform === 'win32' || platform === 'darwin') return true;
  return /utf-?8/i.test(locale);
}
