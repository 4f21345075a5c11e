import { DOCUMENT_KINDS, type DocumentKind } from '../../commands/framework/context.ts';
import type { JsonSchema } from '../../documents/forms.ts';
import { DOCUMENT_SCHEMAS } from './document-schemas.ts';

const TITLES: Readonly<Record<DocumentKind, string>> = {
  sync: 'Sync file',
  report: 'Report file',
  map: 'Purge map',
  watch: 'Watch file',
  query: 'Saved query',
  project: 'Project file',
  policy: 'Policy',
};

const INTRODUCTION = `# Settings of files

All files are YAML of one dialect: an alias (\`*name\`) stands for what has the anchor \`&name\`, and \`<<: *name\` gives a map the settings
that it does not have itself. A list of one item may be that item. Numbers are written without quotes. A mistake is reported with
its line and column. A setting that is the same in several parts of a file is listed where it is first.`;

/** The file with the settings of each format, and what it does for editors. */
export function filesPage(): string {
  return `${[INTRODUCTION, ...DOCUMENT_KINDS.map(section)].join('\n\n')}\n`;
}

/** The name of the file with the schema of a format. */
export function schemaFile(kind: DocumentKind): string {
  return `gatectl.${kind}.schema.json`;
}

function section(kind: DocumentKind): string {
  const schema = DOCUMENT_SCHEMAS[kind];
  const file = schemaFile(kind);
  return `## ${TITLES[kind]}

${schema.description}

\`gatectl schema --${kind} > ${file}\` prints its schema. Editors use it where the first line of the file is
\`# yaml-language-server: $schema=${file}\`.

| setting | value | meaning |
| --- | --- | --- |
${listedOnce(rowsOf(schema, '')).join('\n')}`;
}

/** The rows without those that repeat the name, value and meaning of an earlier one. */
function listedOnce(rows: readonly string[]): string[] {
  const withoutPath = (row: string) => row.replace(/^\| `(?:[^`]*\.)?/, '');
  return rows.filter((row, at) => rows.findIndex(other => withoutPath(other) === withoutPath(row)) === at);
}

/** A row for each setting, at any depth. */
function rowsOf(schema: JsonSchema, path: string): string[] {
  const forms = [schema, ...((schema.anyOf ?? []) as JsonSchema[])];
  return forms.flatMap(({ properties, additionalProperties, items }) => [
    ...Object.entries((properties ?? {}) as Readonly<Record<string, JsonSchema>>).flatMap(
      ([name, setting]) => [
        row(`${path}${name}`, setting, ((schema.required ?? []) as string[]).includes(name)),
        ...rowsOf(setting, `${path}${name}.`),
      ],
    ),
    ...(typeof additionalProperties === 'object'
      ? rowsOf(additionalProperties as JsonSchema, `${path}NAME.`)
      : []),
    ...(items === undefined ? [] : rowsOf(items as JsonSchema, path.replace(/\.$/, '[].'))),
  ]);
}

function row(name: string, setting: JsonSchema, isRequired: boolean): string {
  const { description, default: preset } = setting;
  const notes = [
    ...(isRequired ? ['required'] : []),
    ...(preset === undefined || String(preset) === '' ? [] : [`default \`${String(preset)}\``]),
  ];
  const value = [...new Set(valuesOf(setting))].join(', ');
  return `| \`${name}\` | ${value} | ${[description, ...notes].join('; ').replaceAll('|', '\\|')} |`;
}

/** What a setting may be, in words. */
function valuesOf({ anyOf, enum: words, type, items, format, pattern }: JsonSchema): string[] {
  if (Array.isArray(words)) return words.map(word => `\`${word}\``);
  if (type === undefined && Array.isArray(anyOf)) return anyOf.flatMap(valuesOf);
  if (format === 'date') return ['day'];
  if (pattern === '\\$\\{') return ['parameter'];
  const types = [type].flat();
  if (types.includes('string') && types.includes('number')) return ['text'];
  return types
    .filter(each => each !== 'null')
    .map(each => {
      if (each === 'array')
        return `list of ${[...new Set(valuesOf((items ?? {}) as JsonSchema))].join(' or ')}`;
      return {
        string: 'text',
        boolean: 'true or false',
        object: 'map',
        integer: 'integer',
        number: 'number',
      }[String(each)] as string;
    });
}
