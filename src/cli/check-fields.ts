import type { OutputSchema } from '../commands/framework/output-schema.ts';
import { nearest } from '../errors/nearest.ts';
import { conflict, invalidValue } from '../errors/usage.ts';

/**
 * Throws UsageError for a name that the output of a command does not have, and for an output without fields. Where the fields depend on
 * the request or the gateway, every name is accepted: a field that is missing is null.
 */
export function checkFields(names: readonly string[], schema: OutputSchema | undefined): void {
  if (schema !== undefined && ['text', 'strings', 'nothing'].includes(schema.shape))
    throw conflict('--fields requires output with fields, which this command does not have', 'omit --fields');
  const known = Object.keys(schema?.fields ?? {});
  const depend = known.length === 0 || known.some(name => !isFieldName(name));
  const wrong = depend ? undefined : names.find(name => !known.includes(name));
  if (wrong === undefined) return;
  const similar = nearest(wrong, known);
  throw invalidValue(
    `unknown field '${wrong}'`,
    similar === undefined ? `one of: ${known.join(', ')}` : `did you mean ${similar}?`,
  );
}

/** Whether a field of a schema has this very name; `(column)` stands for several. */
function isFieldName(name: string): boolean {
  return /^[\w.-]+$/.test(name);
}
