import { capitalized, isGroup } from '../../commands/framework/define-command.ts';
import { EXIT, EXIT_CODES } from '../exit-codes.ts';
import { COMMON_VARIABLES, OWN_VARIABLES } from './environment-variables.ts';
import { type FlagShape, flagGroups, GLOBAL_FLAGS, type Page } from './surface.ts';
import { argumentSyntax, flagText, nameOf, outputOf, paragraphsOf, usageOf } from './synopsis.ts';
import type { Block } from './topic.ts';
import { TOPICS } from './topics.ts';

/** The reference page in Markdown. */
export function referencePage(pages: readonly Page[]): string {
  const commands = pages.filter(({ path }) => path.length > 0);
  return [
    '# Reference',
    'Made from the commands themselves by `npm run generate`. `gatectl help` and the manual pages (`man gatectl`) say the same; `gatectl schema` prints it as JSON.',
    [
      ...commands.map(
        page => `${'  '.repeat(page.path.length - 1)}- ${link(nameOf(page))}: ${prose(page.command.summary)}`,
      ),
      `- ${link('Flags of all commands')}`,
      `- ${link('Exit codes')}`,
      `- ${link('Environment')}`,
      ...TOPICS.filter(({ name }) => !OWN_SECTIONS.includes(name)).map(
        ({ name }) => `- ${link(title(name))}`,
      ),
    ].join('\n'),
    ...commands.map(section),
    '## Flags of all commands',
    ...flagTables(GLOBAL_FLAGS),
    '## Exit codes',
    table(['code', 'meaning'], exitRows()),
    '## Environment',
    table(
      ['variable', 'meaning'],
      [...OWN_VARIABLES, ...COMMON_VARIABLES].map(({ term, means }) => [code(term), prose(means)]),
    ),
    ...TOPICS.filter(({ name }) => !OWN_SECTIONS.includes(name)).flatMap(({ name, blocks }) => [
      `## ${title(name)}`,
      ...blocks.map(block),
    ]),
  ]
    .map(part => `${part}\n`)
    .join('\n');
}

const OWN_SECTIONS = ['exit-codes', 'environment'];

function section(page: Page): string {
  const { command, arguments: args, flags } = page;
  const output = outputOf(page);
  const name = nameOf(page);
  return [
    `${'#'.repeat(Math.min(4, page.path.length + 1))} ${name}`,
    ...paragraphsOf(page).map(prose),
    fence([`${name} ${usageOf(page)}`]),
    ...(args.length === 0
      ? []
      : [
          table(
            ['argument', ''],
            args.map(arg => [code(argumentSyntax(arg)), prose(arg.summary)]),
          ),
        ]),
    ...flagTables(flags),
    ...(output === undefined ? [] : [`JSON: ${prose(output.shape)}`]),
    ...(output === undefined || output.fields.length === 0
      ? []
      : [
          table(
            ['field', 'type', ''],
            output.fields.map(([field = '', type = '', means = '']) => [
              code(field),
              code(type),
              prose(means),
            ]),
          ),
        ]),
    ...(isGroup(command)
      ? []
      : [
          fence(
            command.examples.flatMap(({ does, command: line }, index) => [
              ...(index === 0 ? [] : ['']),
              `# ${does}`,
              line,
            ]),
          ),
        ]),
  ].join('\n\n');
}

/** A table for each group of options. */
function flagTables(flags: readonly FlagShape[]): string[] {
  const groups = flagGroups(flags);
  return groups.flatMap(([group, members]) => [
    ...(groups.length === 1 ? [] : [`**${group}**`]),
    flagTable(members),
  ]);
}

function flagTable(flags: readonly FlagShape[]): string {
  return table(
    ['flag', ''],
    flags.map(flag => [code(flag.option.flags), prose(flagText(flag)) + repeatable(flag)]),
  );
}

function repeatable({ isRepeatable, summary }: FlagShape): string {
  return isRepeatable && !/repeat|of all|must match/.test(summary) ? '; repeatable' : '';
}

function exitRows(): string[][] {
  const names = Object.keys(EXIT) as (keyof typeof EXIT)[];
  return names.map(name => [String(EXIT[name]), prose(EXIT_CODES[name])]);
}

function block(block: Block): string {
  switch (block.kind) {
    case 'text':
      return prose(block.text);
    case 'heading':
      return `### ${capitalized(block.text)}`;
    case 'commands':
      return fence(block.lines);
    case 'terms':
      return table(
        ['', ''],
        block.terms.map(({ term, means }) => [code(term), prose(means)]),
      );
  }
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function fence(lines: readonly string[]): string {
  return ['```sh', ...lines, '```'].join('\n');
}

function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}

/** Text with all Markdown characters escaped. */
function prose(text: string): string {
  return text.replace(/[\\*_<>[\]`]/g, '\\$&');
}

function title(name: string): string {
  return capitalized(name.replaceAll('-', ' '));
}

function link(heading: string): string {
  return `[${heading}](#${heading.toLowerCase().replaceAll(' ', '-')})`;
}
