import type { Manual } from '../commands/context.ts';
import type { CommandLine } from './program.ts';

/** The manual of a running gatectl; what it tells is loaded when it is asked for. */
export function manualOf(line: CommandLine, width: number | undefined): Manual {
  return {
    async help(words) {
      const { TOPICS, topicText } = await import('./manual/topics.ts');
      const [word, ...more] = words;
      const topic = more.length === 0 ? TOPICS.find(({ name }) => name === word) : undefined;
      return topic === undefined ? await line.help(words) : topicText(topic, width);
    },
    async completion(shell) {
      const [{ completionScript }, { allPages }] = await Promise.all([
        import('./completion/scripts.ts'),
        import('./manual/all-pages.ts'),
      ]);
      return completionScript(shell, allPages());
    },
  };
}
