import type { OutputSchema } from '../commands/framework/output-schema.ts';
import { invalidValue } from '../errors/usage.ts';
import { checkNames, withoutFields } from '../output/pick-fields.ts';

/**
 * Throws UsageError for a name that the output of a command does not have, and for an output without fields. Where the fields depend on
 * the request or the gateway, the answer is checked instead.
 */
export function checkFields(names: readonly string[], schema: OutputSchema | undefined): void {
  if (names.includes('')) throw invalidValue('--fields has an empty name', 'type names with commas between');
  if (schema !== undefined && ['text', 'strings', 'nothing'].includes(schema.shape)) throw withoutFields();
  const known = Object.keys(schema?.fields ?? {});
  const declared = declaredFields(schema);
  if (known.length > 0 && known.length === declared.length) checkNames(names, declared);
}

/** The fields that every answer of a command may have; `(column)` in a schema stands for others. */
export function declaredFields(schema: OutputSchema | undefined): readonly string[] {
  return Object.keys(schema?.fields ?? {}).filter(name => /^[\w.-]+$/.test(name));
}
