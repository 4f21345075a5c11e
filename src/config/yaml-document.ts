import { type Document, LineCounter, parseDocument, type YAMLParseError } from 'yaml';

/** A parsed YAML file. */
export interface YamlDocument {
  readonly document: Document.Parsed;
  /** Line and column of an offset in characters, such as `3:1`. */
  readonly placeAt: (offset: number) => string;
}

/** What the problem of a YAML file is called, apart from duplicate keys. */
export function yamlProblem({ code }: YAMLParseError): string {
  return code === 'MULTIPLE_DOCS'
    ? 'a second document begins here; the file must have one'
    : 'not valid YAML';
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
  const [problem] = document.errors;
  if (problem !== undefined) throw invalid(placeAt(problem.pos[0]), problem);
  return { document, placeAt };
}
