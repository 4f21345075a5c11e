import { gather, type Located } from '../../../../documents/located.ts';
import { nearest } from '../../../../errors/nearest.ts';
import { conflict, invalidValue, unknownName } from '../../../../errors/usage.ts';
import { PARAMETER_NAME } from './report-form.ts';

/** `${name}`; a second dollar sign before it makes it plain text. */
const REFERENCE = /(\$?)\$\{([^{}]*)\}/g;

/** The values of `--set`, by name. Throws UsageError. */
export function readSettings(given: readonly string[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const text of given) {
    const at = text.indexOf('=');
    const name = text.slice(0, Math.max(0, at)).trim();
    if (!PARAMETER_NAME.test(name))
      throw invalidValue(`invalid --set '${text}'`, 'type --set NAME=VALUE, such as --set month=2026-10');
    if (values.has(name)) throw conflict(`--set ${name} occurs twice`, 'pass one value');
    values.set(name, text.slice(at + 1));
  }
  return values;
}

/**
 * The document with the values of its parameters in its texts: those of `--set`, or else its own. Throws UsageError for a
 * value without a declaration, DocumentError for a declaration without either and for an unknown parameter.
 */
export function insertParameters(root: Located, given: ReadonlyMap<string, string>): Located {
  if (root.content.kind !== 'map') return root;
  const declared = root.content.members.find(({ name }) => name === 'parameters');
  const parameters = declared?.content.kind === 'map' ? declared.content.members : [];
  rejectUndeclared(
    given,
    parameters.map(({ name }) => name),
  );
  const values = new Map(
    gather(parameters.map(parameter => () => [parameter.name, valueOfParameter(parameter, given)] as const)),
  );
  const others = root.content.members.map(member =>
    member === declared ? member : inserted(member, values),
  );
  return root.with({ kind: 'map', members: others });
}

function rejectUndeclared(given: ReadonlyMap<string, string>, names: readonly string[]): void {
  const undeclared = [...given.keys()].find(name => !names.includes(name));
  if (undeclared === undefined) return;
  const similar = nearest(undeclared, names);
  throw unknownName(
    `--set ${undeclared}: the report has no parameter of this name`,
    similar !== undefined
      ? `did you mean --set ${similar}=VALUE?`
      : names.length === 0
        ? `declare it in the file: parameters: {${undeclared}: VALUE}`
        : `the parameters are: ${names.join(', ')}`,
  );
}

function valueOfParameter(parameter: Located, given: ReadonlyMap<string, string>): string {
  const { name, content } = parameter;
  const value = given.get(name) ?? (content.kind === 'scalar' ? content.text : undefined);
  if (value === undefined && content.kind === 'empty')
    throw parameter.invalidName(`the parameter ${name} has no value`, {
      hints: [`pass --set ${name}=VALUE`],
    });
  if (given.has(name) && /[\0-\x1f\x7f]/.test(value ?? ''))
    throw invalidValue(`the parameter ${name} contains a control character or a line break`);
  return value ?? '';
}

/** The value with parameters inserted into all of its texts. Digits that were inserted are a number. */
function inserted(at: Located, values: ReadonlyMap<string, string>): Located {
  const { content } = at;
  switch (content.kind) {
    case 'list':
      return at.with({ kind: 'list', items: content.items.map(item => inserted(item, values)) });
    case 'map':
      return at.with({ kind: 'map', members: content.members.map(member => inserted(member, values)) });
    case 'scalar': {
      if (typeof content.value !== 'string' || !content.text.includes('${')) return at;
      const text = insertInto(content.text, values, at);
      return at.with({ kind: 'scalar', text, value: /^\d{1,15}$/.test(text) ? Number(text) : text });
    }
    default:
      return at;
  }
}

function insertInto(text: string, values: ReadonlyMap<string, string>, at: Located): string {
  return text.replace(REFERENCE, (reference, dollar: string, name: string) => {
    if (dollar !== '') return reference.slice(1);
    const value = values.get(name);
    if (value !== undefined) return value;
    const similar = nearest(name, values.keys());
    throw at.invalid(`there is no parameter ${JSON.stringify(name)}`, {
      hints: [
        similar === undefined
          ? `declare it: parameters: {${PARAMETER_NAME.test(name) ? name : 'NAME'}: VALUE}; for a plain dollar sign, write $\${…}`
          : `did you mean \${${similar}}?`,
      ],
    });
  });
}
