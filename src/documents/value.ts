import { UsageError } from '../errors/index.ts';
import type { Form } from './forms.ts';
import { DocumentError, Located } from './located.ts';

/** Reads a value that a program hands over as a document with the same form. Throws UsageError that names the first problem. */
export function readValue<Value>(form: Form<Value>, value: unknown, name: string): Value {
  try {
    return form.read(located(value, name, name));
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    const [{ path, message }] = error.problems;
    throw new UsageError(`${path}: ${message}`, { code: 'invalid_value' });
  }
}

function located(value: unknown, name: string, path: string): Located {
  return new Located({ name, path, namePlace: path, place: path, content: contentOf(value, name, path) });
}

function contentOf(value: unknown, name: string, path: string): Located['content'] {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return { kind: 'scalar', value, text: String(value) };
  if (Array.isArray(value))
    return { kind: 'list', items: value.map((item, index) => located(item, name, `${path}[${index}]`)) };
  if (typeof value !== 'object' || value === null) return { kind: 'empty' };
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return { kind: 'map', members: members.map(([key, member]) => located(member, key, `${path}.${key}`)) };
}
