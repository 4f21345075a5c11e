import type { Manual } from '../commands/framework/context.ts';
import { UsageError } from '../errors/index.ts';
import { nearest } from '../errors/nearest.ts';
import type { Io } from '../terminal/io.ts';
import type { CommandLine } from './parser.ts';

/** The manual of a running gatectl; what it tells is loaded when it is asked for. */
export function manualOf(line: CommandLine, width: number | undefined, io: Io): Manual {
  return {
    async help(words) {
      const { TOPICS, topicText } = await import('./manual/topics.ts');
      const [word, ...more] = words;
      const topic = more.length === 0 ? TOPICS.find(({ name }) => name === word) : undefined;
      if (topic !== undefined) return topicText(topic, width);
      const { aliasesHelp, commandOfAlias } = await import('./aliases.ts');
      const path = await commandOfAlias(words, line, io);
      refuseUnknown(path[0], [
        ...line.program.commands.map(command => command.name()),
        ...TOPICS.map(({ name }) => name),
      ]);
      const help = await line.help(path);
      return words.length === 0 ? help + (await aliasesHelp(io)) : help;
    },
    async completion(shell) {
      const [{ completionScript }, { allPages }] = await Promise.all([
        import('./completion/scripts.ts'),
        import('./manual/all-pages.ts'),
      ]);
      return completionScript(shell, allPages());
    },
    async schema(words) {
      const { schemaOf } = await import('./manual/schema.ts');
      return schemaOf(words);
    },
  };
}

/** Throws UsageError for a word that is neither a command nor a topic. */
function refuseUnknown(word: string | undefined, names: readonly string[]): void {
  if (word === undefined || names.includes(word)) return;
  const meant = nearest(word, names);
  throw new UsageError(`there is no help about '${word}'`, {
    hints: [meant === undefined ? `one of: ${names.join(', ')}` : `did you mean gatectl help ${meant}?`],
  });
}
