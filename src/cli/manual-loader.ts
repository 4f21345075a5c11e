import type { Manual } from '../commands/framework/context.ts';
import { UsageError } from '../errors/index.ts';
import type { Io } from '../terminal/io.ts';
import { outline } from './outline.ts';
import type { CommandLine } from './parser.ts';

/** The manual, whose parts are loaded on first use. */
export function manualOf(line: CommandLine, width: number | undefined, io: Io): Manual {
  return {
    async help(words) {
      const { TOPICS, topicText } = await import('./manual/topics.ts');
      const [word, ...more] = words;
      const topic = more.length === 0 ? TOPICS.find(({ name }) => name === word) : undefined;
      if (topic !== undefined) return topicText(topic, width);
      const [{ commandOfAlias }, { aliasesHelp }] = await Promise.all([
        import('./aliases.ts'),
        import('./brief-help.ts'),
      ]);
      const path = await commandOfAlias(words, line, io);
      const help = await line.help(
        await knownPath(
          path,
          TOPICS.map(({ name }) => name),
        ),
      );
      return words.length === 0 ? help + (await aliasesHelp(io)) : help;
    },
    async completion(shell) {
      const { completionScript } = await import('./completion/scripts.ts');
      return completionScript(shell);
    },
    async schema(words) {
      const { schemaOf } = await import('./manual/schema.ts');
      return schemaOf(words);
    },
    async documentSchema(kind) {
      const { DOCUMENT_SCHEMAS } = await import('./manual/document-schemas.ts');
      return DOCUMENT_SCHEMAS[kind];
    },
  };
}

/** Replaces a synonym of a command by the command. Throws UsageError for an unknown word. */
async function knownPath(path: readonly string[], topics: readonly string[]): Promise<readonly string[]> {
  const [word, ...rest] = path;
  const names = outline.map(({ name }) => name);
  if (word === undefined || names.includes(word)) return path;
  const [{ synonymFor }, { nearest }] = await Promise.all([
    import('./usage-error.ts'),
    import('../errors/nearest.ts'),
  ]);
  const synonym = synonymFor([], word, outline);
  if (synonym !== undefined) return [...synonym, ...rest];
  const similar = nearest(word, [...names, ...topics]);
  throw new UsageError(`no help for '${word}'`, {
    code: 'unknown_command',
    hints: [
      similar === undefined
        ? `gatectl --help lists the commands; the topics are ${topics.join(', ')}`
        : `did you mean gatectl help ${similar}?`,
    ],
  });
}
