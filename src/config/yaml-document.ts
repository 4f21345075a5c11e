import { type Document, LineCounter, parseDocument, YAMLParseError } from 'yaml';

/** A parsed YAML file. */
interface YamlDocument {
  readonly document: Document.Parsed;
  /** Line and column of an offset in characters, such as `3:1`. */
  readonly placeAt: (offset: number) => string;
}

/** What the problem of a YAML file is called, apart from duplicate keys. */
export function yamlProblem({ code }: YAMLParseError): string {
  if (code === 'MULTIPLE_DOCS') return 'a second document begins here; the file must have one';
  return code === 'TAB_AS_INDENT' ? 'indentation must be spaces, not tabs' : 'not valid YAML';
}

/** Parses a YAML file of one document. Throws the error of `invalid` for its first problem; the library's message may quote the text. */
export function parseYamlDocument(
  text: string,
  invalid: (place: string, problem: YAMLParseError) => Error,
): YamlDocument {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error' });
  const placeAt = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${line}:${col}`;
  };
  const [first] = document.errors;
  if (first !== undefined) {
    const problem = tabProblem(text, first) ?? first;
    throw invalid(placeAt(problem.pos[0]), problem);
  }
  return { document, placeAt };
}

/** The first tab in the indentation of a line whose indentation is wrong; undefined for none. */
function tabProblem(text: string, { code, pos: [at] }: YAMLParseError): YAMLParseError | undefined {
  if (code !== 'BAD_INDENT') return undefined;
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const tab = /^[ \t]*/.exec(text.slice(start))?.[0].indexOf('\t') ?? -1;
  return tab < 0
    ? undefined
    : new YAMLParseError([start + tab, start + tab + 1], 'TAB_AS_INDENT', 'a tab in the indentation');
}
