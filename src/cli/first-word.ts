import { flagName, type Option } from '../commands/framework/define-command.ts';
import { GLOBAL_OPTIONS } from './globals.ts';

const OPTIONS: readonly Option<unknown>[] = Object.values(GLOBAL_OPTIONS);

/** The index of the first word that is neither a global option nor its value; `argv.length` if there is none. */
export function firstWordIndex(argv: readonly string[]): number {
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (!word.startsWith('-') || word === '-') return index;
    if (takesNextWord(word)) index += 1;
  }
  return argv.length;
}

/** True for `--profile`, `-p` and `-qp`, false for `--profile=news`, `-pnews` and `-q`. */
function takesNextWord(word: string): boolean {
  if (word.startsWith('--'))
    return OPTIONS.some(option => flagName(option.flags) === word && hasValue(option));
  const letters = [...word.slice(1)];
  const first = letters.findIndex(letter =>
    OPTIONS.some(option => option.flags.startsWith(`-${letter}, `) && hasValue(option)),
  );
  return first >= 0 && first === letters.length - 1;
}

function hasValue({ kind }: Option<unknown>): boolean {
  return kind !== 'switch';
}
