import type { Completion, LocalValue } from '../../commands/framework/define-command.ts';
import { type FlagShape, GLOBAL_FLAGS, type Page } from '../manual/surface.ts';

/** What a shell offers at one position. */
export type Offer =
  | { readonly kind: 'nothing' | 'files' | 'folders' }
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'local'; readonly value: LocalValue };

export interface ScriptFlag {
  readonly long: string;
  readonly short: string | undefined;
  /** The placeholder of its value; undefined for a switch. */
  readonly value: string | undefined;
  readonly isValueOptional: boolean;
  readonly isVariadic: boolean;
  readonly isRepeatable: boolean;
  readonly offer: Offer;
  readonly summary: string;
}

/** A command with the details that completion scripts need. */
export interface ScriptPage {
  /** The words of the command, separated by blanks: `cdn purge`. */
  readonly key: string;
  readonly commands: readonly { readonly word: string; readonly summary: string }[];
  readonly flags: readonly ScriptFlag[];
  /** By position; a variadic one is the last. */
  readonly positions: readonly {
    readonly name: string;
    readonly offer: Offer;
    readonly isVariadic: boolean;
  }[];
}

export const GLOBAL_SCRIPT_FLAGS: readonly ScriptFlag[] = GLOBAL_FLAGS.map(scriptFlag);

export function scriptPages(pages: readonly Page[]): readonly ScriptPage[] {
  return pages.map(page => ({
    key: page.path.join(' '),
    commands: page.children.map(({ name, summary }) => ({ word: name, summary })),
    flags: page.flags.map(scriptFlag),
    positions: page.arguments.map(({ name, completes, isVariadic }) => ({
      name,
      offer: offerOf(completes),
      isVariadic,
    })),
  }));
}

function scriptFlag(flag: FlagShape): ScriptFlag {
  const { option, long, short, value, isValueOptional, isVariadic, isRepeatable, summary } = flag;
  const offer = offerOf(option.completes);
  return { long, short, value, isValueOptional, isVariadic, isRepeatable, offer, summary };
}

function offerOf(completes: Completion): Offer {
  if (completes === 'none') return { kind: 'nothing' };
  if (completes === 'file') return { kind: 'files' };
  if (completes === 'directory') return { kind: 'folders' };
  if (typeof completes === 'string') return { kind: 'local', value: completes };
  return { kind: 'words', words: completes };
}
