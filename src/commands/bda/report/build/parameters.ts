import { UsageError } from '../../../../errors/index.ts';
import { nearest } from '../../../../errors/nearest.ts';
import type { Field, YamlValue } from './yaml-reader.ts';

/** `${name}`; a second dollar sign before it makes it plain text. */
const REFERENCE = /(\$?)\$\{([^{}]*)\}/g;
/** What a parameter can be named. */
export const PARAMETER_NAME = /^[A-Za-z][\w-]*$/;

/** The values of `--set`, by name. Throws UsageError. */
export function readSettings(given: readonly string[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const text of given) {
    const at = text.indexOf('=');
    const name = text.slice(0, Math.max(0, at)).trim();
    if (!PARAMETER_NAME.test(name))
      throw new UsageError(`invalid --set '${text}'`, {
        code: 'invalid_value',
        hints: ['type --set NAME=VALUE, such as --set month=2026-10'],
      });
    if (values.has(name))
      throw new UsageError(`--set ${name} occurs twice`, {
        code: 'conflicting_options',
        hints: ['pass one value'],
      });
    values.set(name, text.slice(at + 1));
  }
  return values;
}

/** The values of `${name}` in the texts of a report. */
export class Parameters {
  readonly #values: ReadonlyMap<string, string | undefined>;

  constructor(values: ReadonlyMap<string, string | undefined> = new Map()) {
    this.#values = values;
  }

  /**
   * The declared parameters with the values of `--set`, or else their defaults. Throws UsageError for a value without a declaration, and
   * for a declaration without either.
   */
  static from(declared: readonly Field[], given: ReadonlyMap<string, string>): Parameters {
    const values = new Map<string, string>();
    const names = declared.map(({ key }) => key);
    const undeclared = [...given.keys()].find(name => !names.includes(name));
    if (undeclared !== undefined) {
      const similar = nearest(undeclared, names);
      throw new UsageError(`--set ${undeclared}: the report has no parameter of this name`, {
        code: 'unknown_name',
        hints: [
          similar !== undefined
            ? `did you mean --set ${similar}=VALUE?`
            : names.length === 0
              ? `declare it in the file: parameters: {${undeclared}: VALUE}`
              : `the parameters are: ${names.join(', ')}`,
        ],
      });
    }
    for (const { key, keyPlace, value } of declared) {
      if (!PARAMETER_NAME.test(key))
        throw value.invalid(`a parameter cannot be named ${JSON.stringify(key)}`);
      const found = given.get(key) ?? (value.isEmpty ? undefined : value.text());
      if (found === undefined)
        throw new UsageError(`${keyPlace}: the parameter ${key} has no value`, {
          code: 'missing_argument',
          hints: [`pass --set ${key}=VALUE`],
        });
      if (/[\0-\x1f\x7f]/.test(found))
        throw new UsageError(`the parameter ${key} contains a control character or a line break`, {
          code: 'invalid_value',
        });
      values.set(key, found);
    }
    return new Parameters(values);
  }

  /** The text with the values of its parameters. Throws UsageError for an unknown one. */
  insertInto(text: string, place: Pick<YamlValue, 'invalid'>): string {
    return text.replace(REFERENCE, (reference, dollar: string, name: string) => {
      if (dollar !== '') return reference.slice(1);
      const value = this.#values.get(name);
      if (value !== undefined) return value;
      const similar = nearest(name, this.#values.keys());
      throw place.invalid(`there is no parameter ${JSON.stringify(name)}`, [
        similar === undefined
          ? `declare it: parameters: {${PARAMETER_NAME.test(name) ? name : 'NAME'}: VALUE}; for a plain dollar sign, write $\${…}`
          : `did you mean \${${similar}}?`,
      ]);
    });
  }
}
