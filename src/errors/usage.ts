import { UsageError } from './index.ts';

/** Words of a command line that do not go together. */
export function conflict(message: string, ...hints: readonly string[]): UsageError {
  return new UsageError(message, { code: 'conflicting_options', hints });
}

/** Options or arguments of which one excludes the other: `cannotCombine('--all and --limit', 'omit one of them')`. */
export function cannotCombine(options: string, ...hints: readonly string[]): UsageError {
  return conflict(`${options} cannot be combined`, ...hints);
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

/** A name that nothing has. */
export function unknownName(message: string, ...hints: readonly string[]): UsageError {
  return new UsageError(message, { code: 'unknown_name', hints });
}

/** What only a setting could say, and no setting says. */
export function missingSetting(message: string, ...hints: readonly string[]): UsageError {
  return new UsageError(message, { code: 'missing_setting', hints });
}

/** A command line that cannot be carried out for another cause. */
export function invalidUsage(message: string, ...hints: readonly string[]): UsageError {
  return new UsageError(message, { hints });
}
