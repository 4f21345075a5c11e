import { UsageError } from './index.ts';

/** Options or arguments of which one excludes the other: `cannotCombine('--all and --limit', 'omit one of them')`. */
export function cannotCombine(options: string, ...hints: readonly string[]): UsageError {
  return new UsageError(`${options} cannot be combined`, { code: 'conflicting_options', hints });
}

/** A command line without something that it must have: `a reader is required`. */
export function missingArgument(message: string, ...hints: readonly string[]): UsageError {
  return new UsageError(message, { code: 'missing_argument', hints });
}

/** A value that an option, argument or setting cannot have. */
export function invalidValue(message: string, ...hints: readonly string[]): UsageError {
  return new UsageError(message, { code: 'invalid_value', hints });
}

/** A file, or other input of several lines, with contents that cannot be used. */
export function invalidInput(message: string, ...hints: readonly string[]): UsageError {
  return new UsageError(message, { code: 'invalid_input', hints });
}
