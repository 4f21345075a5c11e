import { defineCommand, variadic } from './framework/define-command.ts';
import { TEXT } from './framework/output-schema.ts';

export const help = defineCommand({
  name: 'help',
  effect: 'read',
  summary:
    'show help for a command, or a topic: exit-codes, errors, environment, profiles, filters, dates, output',
  description:
    'Shows the help of a command, as --help after it does, or a topic that is larger than one command: exit-codes, errors, environment, profiles, filters, dates, output. The same texts are manual pages: man gatectl-cdn-purge, man gatectl-filters.',
  arguments: { words: variadic('command', 'the words of a command, or a topic', { completes: 'command' }) },
  options: {},
  examples: {
    'gatectl help cdn purge': 'the help of a command',
    'gatectl help filters': 'a topic',
  },
  output: TEXT,
  async run({ words }, context) {
    await context.out.printText(await context.manual.help(words));
  },
});
