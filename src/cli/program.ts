import {
  CommanderError,
  Option as Flag,
  type Help,
  Argument as Positional,
  Command as Program,
} from 'commander';
import { version } from '../../package.json';
import { flagName, type Leaf, type Option, optionKey } from '../commands/define.ts';
import type { Outlined, OutlinedGroup } from '../commands/outline.ts';
import { UsageError } from '../errors/index.ts';
import { nearest } from '../errors/nearest.ts';
import { GLOBAL_OPTIONS, HELP_FLAG, VERSION_FLAG } from './globals.ts';
import type { Named } from './usage-error.ts';

/** What gatectl is. */
export const DESCRIPTION =
  'Reader access, CDN purges and analytics of a publisher-services gateway, from the shell.';

/** What a command line asks for. */
export type Parsed =
  | { readonly kind: 'run'; readonly leaf: Leaf; readonly input: Readonly<Record<string, unknown>> }
  | { readonly kind: 'help'; readonly text: string };

/** Reads a command line against the outline of all commands, and loads the one that it names. Nothing runs here. */
export class CommandLine {
  readonly program: Program;
  readonly #outlines = new Map<Program, Outlined>();
  #named: Named | undefined;
  #chosen: Parsed | undefined;
  #printed = '';

  constructor(outline: readonly Outlined[], helpWidth: number | undefined) {
    this.program = new Program('gatectl')
      .usage('<command> [options]')
      .description(DESCRIPTION)
      .version(version, VERSION_FLAG.flags, VERSION_FLAG.summary)
      .helpOption(HELP_FLAG.flags, HELP_FLAG.summary)
      .helpCommand(false)
      .configureHelp({
        showGlobalOptions: true,
        subcommandTerm: command => command.name(),
        minWidthToWrap: LEAST_ROOM,
        formatItem: helpItem,
      })
      .configureOutput({
        writeOut: text => {
          this.#printed += text;
        },
        writeErr: () => {},
        // Left to itself, commander asks the process's own streams.
        getOutHelpWidth: () => helpWidth as number,
        getErrHelpWidth: () => helpWidth as number,
        getOutHasColors: () => false,
        getErrHasColors: () => false,
      })
      .exitOverride();
    for (const option of Object.values(GLOBAL_OPTIONS)) this.program.addOption(flag(option));
    for (const command of outline) this.#attach(this.program, command);
    this.program.hook('preSubcommand', (_, chosen) => this.#complete(chosen));
  }

  /** Throws UsageError for anything that is not a command of the outline. */
  async parse(argv: readonly string[]): Promise<Parsed> {
    if (argv.length === 0) return { kind: 'help', text: this.program.helpInformation() };
    try {
      await this.#read(argv);
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      if (error.exitCode === 0) return { kind: 'help', text: this.#printed };
      const { usageError } = await import('./usage-error.ts');
      throw usageError(error, this.#named);
    }
    if (this.#chosen !== undefined) return this.#chosen;
    throw new UsageError('no command given', { hints: ['gatectl --help lists the commands'] });
  }

  /** What `--help` prints of the command with these words. Throws UsageError for words that are no command. */
  async help(words: readonly string[]): Promise<string> {
    let program = this.program;
    for (const word of words) {
      await this.#complete(program);
      const names = program.commands.map(child => child.name());
      const child = program.commands[names.indexOf(word)];
      if (child === undefined) throw unknownCommand(program, names, word);
      program = child;
    }
    const parsed = await this.parse([...words, '--help']);
    return parsed.kind === 'help' ? parsed.text : '';
  }

  async #read(argv: readonly string[]): Promise<void> {
    await this.program.parseAsync([...argv], { from: 'user' });
  }

  #attach(parent: Program, command: Outlined): void {
    const program = parent.command(command.name).summary(command.summary).copyInheritedSettings(parent);
    this.#outlines.set(program, command);
  }

  /** Declares a command in full, once, now that it was named. */
  async #complete(program: Program): Promise<void> {
    const command = this.#outlines.get(program);
    if (command === undefined) return;
    this.#outlines.delete(program);
    if ('commands' in command) this.#declareGroup(program, command);
    else this.#declareLeaf(program, await command.load());
  }

  #declareGroup(program: Program, { summary, description, commands }: OutlinedGroup): void {
    program
      .description(description ?? sentence(summary))
      .usage('<command> [options]')
      .helpCommand(false);
    for (const command of commands) this.#attach(program, command);
    program.hook('preSubcommand', (_, chosen) => this.#complete(chosen));
    // Whatever follows is swallowed, so that the message is about the command and not about its flags.
    program
      .allowUnknownOption()
      .argument('[command...]')
      .action(([word]: string[]) => {
        throw unknownCommand(
          program,
          commands.map(({ name }) => name),
          word,
        );
      });
  }

  #declareLeaf(program: Program, leaf: Leaf): void {
    this.#named = { leaf, words: wordsOf(program) };
    program.description(leaf.description ?? sentence(leaf.summary));
    for (const { syntax, summary } of Object.values(leaf.arguments)) {
      program.addArgument(new Positional(syntax, summary));
    }
    for (const option of Object.values(leaf.options)) program.addOption(flag(option));
    program.addHelpText('after', () => examples(leaf));
    program.action(() => {
      this.#chosen = { kind: 'run', leaf, input: inputOf(leaf, program) };
    });
  }
}

/**
 * Columns that a description wants beside its flag; where there are fewer it stands below. Commander would rather leave it to the
 * terminal, which breaks lines inside words.
 */
const LEAST_ROOM = 24;

/** A flag, argument or command with its description, in the place of commander's own. */
function helpItem(term: string, termWidth: number, description: string, help: Help): string {
  if (description === '') return `  ${term}`;
  const width = help.helpWidth ?? 80;
  const isBeside = width - termWidth - 4 >= LEAST_ROOM;
  const indent = isBeside ? termWidth + 4 : 6;
  const lines = help
    .boxWrap(description, Math.max(width - indent, LEAST_ROOM))
    .replaceAll('\n', `\n${' '.repeat(indent)}`);
  return isBeside ? `  ${term.padEnd(termWidth)}  ${lines}` : `  ${term}\n      ${lines}`;
}

function flag(option: Option<unknown>): Flag {
  const summary =
    option.shownDefault === undefined ? option.summary : `${option.summary} (default ${option.shownDefault})`;
  const made = new Flag(option.flags, summary);
  if (option.kind === 'switch') return made;
  made.argParser((given: string, earlier: unknown) => {
    const value = option.read(given);
    if (option.kind === 'list') return [...((earlier as unknown[] | undefined) ?? []), value];
    if (earlier !== undefined) {
      throw new UsageError(`${flagName(option.flags)} was given twice`, { hints: ['give it once'] });
    }
    return value;
  });
  return made;
}

function inputOf(leaf: Leaf, program: Program): Record<string, unknown> {
  const given = program.opts<Record<string, unknown>>();
  const input: Record<string, unknown> = {};
  for (const [key, option] of Object.entries(leaf.options)) {
    input[key] = given[optionKey(option.flags)] ?? option.fallback;
  }
  Object.keys(leaf.arguments).forEach((key, index) => {
    input[key] = program.processedArgs[index];
  });
  return input;
}

function examples(leaf: Leaf): string {
  const lines = leaf.examples.flatMap(({ command, does }) => [`  # ${does}`, `  $ ${command}`]);
  return lines.length === 0 ? '' : ['', 'Examples:', ...lines].join('\n');
}

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}

/** `gatectl cdn purge`. */
function wordsOf(program: Program): string {
  const path: string[] = [];
  for (let p: Program | null = program; p !== null; p = p.parent) path.unshift(p.name());
  return path.join(' ');
}

function unknownCommand(program: Program, names: readonly string[], word: string | undefined): UsageError {
  const command = wordsOf(program);
  if (word === undefined) {
    return new UsageError(`${command} needs a command`, { hints: [`one of: ${names.join(', ')}`] });
  }
  if (names.length === 0) return new UsageError(`${command} has no commands below it`);
  const meant = nearest(word, names);
  const hint = meant === undefined ? `one of: ${names.join(', ')}` : `did you mean ${command} ${meant}?`;
  return new UsageError(`${command} has no command '${word}'`, { hints: [hint] });
}
