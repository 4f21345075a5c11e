import { COLUMNS_FLAG } from '../framework/columns-flag.ts';
import { concurrencyFlag } from '../framework/concurrency-flag.ts';
import { boolean, outputFile, string, type ValuesOf } from '../framework/define-command.ts';
import { READER_FLAGS } from '../reader/reader-flags.ts';
import { LIST_FLAGS } from './list-flags.ts';
import { TARGET_FLAGS } from './target.ts';

/** The flags of access, for one reader and for a list. */
export const ACCESS_FLAGS = {
  ...TARGET_FLAGS,
  ...READER_FLAGS,
  fromFile: string(
    '--from-file <file>',
    'check all readers of a file (- for stdin): one address per line, CSV or JSON',
    {
      completes: 'file',
    },
  ),
  ...LIST_FLAGS,
  failedFile: outputFile(
    '--failed-file <file>',
    'write the readers of a list that could not be checked, in the format --from-file reads',
  ),
  concurrency: concurrencyFlag(),
  ...COLUMNS_FLAG,
  exitCode: {
    ...boolean('--exit-code', 'exit 3 when the decision is not allowed'),
    decidesExitCode: true as const,
  },
};

export type AccessFlags = ValuesOf<typeof ACCESS_FLAGS>;
