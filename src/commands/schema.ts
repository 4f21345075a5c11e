import { stringifyJson } from '../json/index.ts';
import { object } from './answers.ts';
import { leaf, variadic } from './define.ts';

export const schema = leaf({
  name: 'schema',
  summary: 'describe the commands as JSON, for programs',
  description:
    'Prints the commands with their arguments, flags (value, type, choices, default, repeatable), examples and output fields, and the exit codes, environment variables and settings, as JSON. With the words of a command, that command and those below it. The answer is JSON unless a flag names another format.',
  arguments: { words: variadic('command', 'the words of a command', { completes: 'command' }) },
  options: {},
  examples: [
    { does: 'everything', command: 'gatectl schema' },
    {
      does: 'the flags of one command',
      command: "gatectl schema cdn purge --jq '.flags[].name'",
    },
    { does: 'what an exit code means', command: "gatectl schema --jq '.exitCodes[] | select(.code == 7)'" },
  ],
  answers: object({
    name: ['string', 'the command with the words that lead to it'],
    summary: ['string', 'what it does, in a few words'],
    description: ['string?', 'what it does'],
    commands: ['object[]?', 'of a group: the commands below it, each in this form'],
    arguments: ['object[]?', 'name, required, variadic, summary and what completes it'],
    flags: [
      'object[]?',
      'name, short name, type, choices, least and largest value, default, repeatable, summary',
    ],
    answers: ['object?', 'shape and fields of its JSON answer'],
    examples: ['{does: string, command: string}[]?', 'what can be typed'],
    version: ['string?', 'of gatectl itself: also globalFlags, exitCodes, environment, settings and topics'],
  }),
  async run({ words }, context) {
    const described = await context.manual.schema(words);
    const { origin } = (await context.settings()).output;
    if (context.globals.jq === undefined && !origin.startsWith('flag'))
      return await context.text(stringifyJson(described, 2));
    await context.answer(described);
  },
});
