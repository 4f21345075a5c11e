import { flagName } from '../commands/define.ts';
import { GLOBAL_OPTIONS } from './globals.ts';

/** Where the first word that is neither a global option nor its value stands; behind the last one where there is none. */
export function firstWordIndex(argv: readonly string[]): number {
  const options = Object.values(GLOBAL_OPTIONS);
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? '';
    if (!word.startsWith('-') || word === '-') return index;
    const option = options.find(({ flags }) => flagName(flags) === word || flags.startsWith(`${word}, `));
    if (option !== undefined && option.kind !== 'switch') index += 1;
  }
  return argv.length;
}
