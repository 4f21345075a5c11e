import { UsageError } from '../errors/index.ts';
import type { Form, JsonSchema } from './forms.ts';
import { DocumentError, type Located, type Problem } from './located.ts';
import { parseYaml } from './yaml.ts';

/** A document that agrees with its declaration. */
interface ReadDocument<Value> {
  readonly value: Value;
  /** `line:column` by path, such as `tables.pages.start`; of a name or an item by itself: `tables.pages.metrics:visits`. */
  readonly places: ReadonlyMap<string, string>;
}

interface ReadOptions {
  /** What messages call the file: its path. */
  readonly file: string;
  /** Changes the content before it is read. Throws DocumentError. */
  readonly prepare?: (root: Located) => Located;
  /** The error for the first problem, if not a UsageError. */
  readonly error?: (message: string, problem: Problem) => Error;
}

/** Reads a YAML document. Throws the error of its first problem, with the line and the column. */
export function readDocument<Value>(
  form: Form<Value>,
  text: string,
  { file, prepare = root => root, error = usageError }: ReadOptions,
): ReadDocument<Value> {
  try {
    const root = prepare(parseYaml(text));
    return { value: form.read(root), places: placesIn(root) };
  } catch (cause) {
    if (!(cause instanceof DocumentError)) throw cause;
    const [first] = cause.problems.toSorted((one, other) => compare(one.place, other.place));
    throw first === undefined ? cause : error(`${file}:${first.place}: ${first.message}`, first);
  }
}

/** The JSON Schema of a format, for editors. */
export function documentSchema(title: string, description: string, form: Form<unknown>): JsonSchema {
  return { $schema: 'http://json-schema.org/draft-07/schema#', title, description, ...form.schema };
}

function usageError(message: string, { advice }: Problem): UsageError {
  return new UsageError(message, { code: 'invalid_input', ...advice });
}

/** The order of two places: lines, then columns. */
function compare(one: string, other: string): number {
  const [[line = 0, column = 0], [otherLine = 0, otherColumn = 0]] = [one, other].map(place =>
    place.split(':').map(Number),
  ) as [number[], number[]];
  return line - otherLine || column - otherColumn;
}

/** The place of an object is that of its name, which stands before it. */
function placesIn(root: Located): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  const visit = (at: Located): void => {
    const { content, path, place, namePlace } = at;
    places.set(path, content.kind === 'map' ? namePlace : place);
    if (content.kind === 'scalar') places.set(`${path.replace(/\[\d+\]$/, '')}:${content.text}`, place);
    if (content.kind === 'list') content.items.forEach(visit);
    if (content.kind !== 'map') return;
    for (const member of content.members) {
      places.set(`${path}:${member.name}`, member.namePlace);
      visit(member);
    }
  };
  visit(root);
  return places;
}
