// Makes docs/client-reference.md from the declarations of the libraries: each exported name with its description and its type.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const LIBRARIES = [
  { name: 'gatectl/client', entry: 'client/index.d.ts' },
  { name: 'gatectl/sandbox', entry: 'sandbox/library.d.ts' },
];

const INTRODUCTION = `# Reference of the libraries

Every name that \`gatectl/client\` and \`gatectl/sandbox\` export. Written by \`npm run generate\` from the types; [client.md](client.md) and
[sandbox.md](sandbox.md#in-tests) are the guides.
`;

/** The reference as Markdown. `types` is a folder of declarations, such as dist/library/types. */
export function clientReference(types) {
  const parts = LIBRARIES.map(({ name, entry }) => {
    const names = [...exportsOf(join(types, entry))].sort(([one], [other]) => (one < other ? -1 : 1));
    const sections = names.map(([exported, file]) => section(exported, file));
    return `## ${name}\n\n${sections.join('\n')}`;
  });
  return [INTRODUCTION, ...parts].join('\n');
}

/** The names that a file exports, each with the file that declares it. */
function exportsOf(path) {
  const text = readFileSync(path, 'utf8');
  const found = new Map();
  for (const [, , name] of text.matchAll(DECLARATION)) found.set(name, path);
  for (const [, list, from] of text.matchAll(/^export (?:type )?\{([^}]*)\}(?: from '([^']+)')?;/gm)) {
    for (const each of list.split(',')) {
      const name = each.trim().replace(/^type /, '');
      if (name === '') continue;
      found.set(name, from === undefined ? importOf(text, name, path) : fileOf(from, path));
    }
  }
  return found;
}

const DECLARATION = /^export (?:declare )?(?:abstract )?(class|interface|type|function|const) (\w+)/gm;

function fileOf(from, importer) {
  return join(dirname(importer), from.replace(/\.js$/, '.d.ts'));
}

function importOf(text, name, path) {
  const found = [...text.matchAll(/^import (?:type )?\{([^}]*)\} from '([^']+)';/gm)].find(([, list]) =>
    list.split(',').some(each => each.trim().replace(/^type /, '') === name),
  );
  if (found === undefined) throw new Error(`${path} exports ${name}, which it does not declare`);
  return fileOf(found[2], path);
}

function section(name, file) {
  const text = readFileSync(file, 'utf8');
  const start = [...text.matchAll(DECLARATION)].find(([, , declared]) => declared === name);
  if (start === undefined) {
    const elsewhere = exportsOf(file).get(name);
    if (elsewhere === undefined || elsewhere === file) throw new Error(`${file} does not declare ${name}`);
    return section(name, elsewhere);
  }
  const [, comment = ''] =
    /(?:^|\n)\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n$/.exec(text.slice(0, start.index)) ?? [];
  const { description, example } = commentText(comment);
  return [
    `### ${name}`,
    '',
    ...(description === '' ? [] : [description, '']),
    ...(example === '' ? [] : ['```ts', example, '```', '']),
    '```ts',
    declarationAt(text, start.index, start[1]),
    '```',
    '',
  ].join('\n');
}

function declarationAt(text, index, kind) {
  const rest = text.slice(index);
  const isBlock = kind === 'class' || kind === 'interface';
  const [whole] = (isBlock ? /^[^\n]*\{\}|^[\s\S]*?\n\}/ : /^[\s\S]*?;(?=\n(?![ }])|$)/).exec(rest) ?? [rest];
  return whole
    .replace(/^export (?:declare )?/, '')
    .split('\n')
    .filter(line => !/^ {4}(?:#private;|private )/.test(line))
    .join('\n');
}

function commentText(comment) {
  const lines = comment
    .split('\n')
    .map(line => line.replace(/^\s*\*? ?/, '').trimEnd())
    .join('\n')
    .trim();
  const [description, example = ''] = lines.split(/\n*@example\n/);
  return { description: description.replaceAll(/\n(?!\n|@)/g, ' ').trim(), example: example.trim() };
}
