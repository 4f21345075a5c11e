import type { Manual } from '../commands/framework/context.ts';
import type { Io } from '../terminal/io.ts';
import type { CommandLine } from './parser.ts';

/** The manual, whose parts are loaded on first use. */
export function manualOf(line: CommandLine, width: number | undefined, io: Io): Manual {
  return {
    async help(words) {
      const { helpFor } = await import('./manual-help.ts');
      return await helpFor(words, line, width, io);
    },
    async completion(shell) {
      const { completionScript } = await import('./completion/scripts.ts');
      return completionScript(shell);
    },
    async schema(words) {
      const { schemaOf } = await import('./manual/schema.ts');
      return schemaOf(words);
    },
    async documentation() {
      const { documentation } = await import('./manual/documentation.ts');
      return documentation;
    },
    async documentSchema(kind) {
      const { DOCUMENT_SCHEMAS } = await import('./manual/document-schemas.ts');
      return DOCUMENT_SCHEMAS[kind];
    },
  };
}
