import { isGroup, sentence } from '../../commands/framework/define-command.ts';
import type { ArgumentShape, FlagShape, Page } from './surface.ts';

/** `gatectl cdn purge`. */
export function nameOf({ path }: Pick<Page, 'path'>): string {
  return ['gatectl', ...path].join(' ');
}

/** What follows the name: `[options] [url...]`. */
export function usageOf({ command, arguments: args }: Page): string {
  return isGroup(command) ? '<command> [options]' : ['[options]', ...args.map(argumentSyntax)].join(' ');
}

export function argumentSyntax({ name, isRequired, isVariadic }: ArgumentShape): string {
  const dots = isVariadic ? '...' : '';
  return isRequired ? `<${name}${dots}>` : `[${name}${dots}]`;
}

/** A flag's summary with its default. */
export function flagText({ summary, shownDefault }: FlagShape): string {
  return shownDefault === undefined ? summary : `${summary} (default ${shownDefault})`;
}

/** Paragraphs that describe the command; without a description, its summary as a sentence. */
export function paragraphsOf({ command }: Page): readonly string[] {
  const { summary, description } = command;
  return description?.split('\n\n') ?? [sentence(summary)];
}

const SHAPES = {
  object: 'One object with these fields.',
  list: 'A list of objects with these fields.',
  strings: 'A list of strings.',
  open: 'The response of the API, unchanged: its shape is not documented.',
  text: 'None: prints text in any format.',
  nothing: 'None: the result is printed to stderr.',
} as const;

/** The JSON output, and its fields with types and meanings. */
export function outputOf({
  command,
}: Page): { shape: string; fields: readonly (readonly string[])[] } | undefined {
  if (isGroup(command) || command.output === undefined) return undefined;
  const { shape, fields } = command.output;
  return {
    shape: SHAPES[shape],
    fields: Object.entries(fields).map(([name, [type, means]]) => [name, type, means]),
  };
}
