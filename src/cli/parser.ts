import { CommanderError, Option as Flag, Argument as Positional, Command as Program } from 'commander';
import { version } from '../../package.json';
import type { CommandLineChange, Globals } from '../commands/framework/context.ts';
import { flagName, type Leaf, type Option, sentence } from '../commands/framework/define-command.ts';
import type { Outlined, OutlinedGroup } from '../commands/framework/outline.ts';
import { UsageError } from '../errors/index.ts';
import { cannotCombine } from '../errors/usage.ts';
import { GLOBAL_OPTIONS, HELP_FLAG, readGlobals, VERSION_FLAG } from './globals.ts';
import { formatHelp } from './help-format.ts';
import { TypedOptions } from './typed-options.ts';
import type { Named } from './usage-error.ts';

export const DESCRIPTION =
  'Reader access, CDN purges and analytics of a publisher-services gateway, from the shell.';

/** A parsed command line. */
export type Parsed =
  | {
      readonly kind: 'run';
      readonly leaf: Leaf;
      readonly input: Readonly<Record<string, unknown>>;
      readonly globals: Globals;
      /** The same command line with changes. */
      readonly commandLine: (change: CommandLineChange, quote: (word: string) => string) => string;
      /** Notes about repaired values. */
      readonly notes: readonly string[];
    }
  | { readonly kind: 'help'; readonly text: string };

/** Parses a command line and loads the command that it names, without running it. */
export class CommandLine {
  readonly program: Program;
  /** The options typed so far, also when parsing failed. */
  readonly typed = new TypedOptions();
  readonly #outlines = new Map<Program, Outlined>();
  #named: Named | undefined;
  /** The last program that parsed words. */
  #last: Program;
  #isCommand = false;
  #printed = '';

  readonly #outline: readonly Outlined[];

  constructor(outline: readonly Outlined[], helpWidth: number | undefined) {
    this.#outline = outline;
    this.program = new Program('gatectl')
      .usage('<command> [options]')
      .description(DESCRIPTION)
      // Otherwise commander searches the values of a command's options for global options.
      .enablePositionalOptions()
      .addHelpOption(flag(HELP_FLAG))
      .helpCommand(false)
      .configureHelp({
        subcommandTerm: command => command.name(),
        minWidthToWrap: 0,
        formatHelp,
      })
      .configureOutput({
        writeOut: text => {
          this.#printed += text;
        },
        writeErr: () => {},
        // By default, commander reads the streams of the process.
        getOutHelpWidth: () => helpWidth as number,
        getErrHelpWidth: () => helpWidth as number,
        getOutHasColors: () => false,
        getErrHasColors: () => false,
      })
      .showSuggestionAfterError(false)
      .exitOverride();
    this.#last = this.program;
    requireValues(this.program);
    for (const option of GLOBALS) this.#declare(this.program, flag(option), option);
    this.#attachAll(this.program, outline);
  }

  /** Throws UsageError for anything that is not a command of the outline. */
  async parse(argv: readonly string[]): Promise<Parsed> {
    const help = await this.#read(argv);
    const globals = readGlobals(this.typed);
    this.#rejectOtherOutput(help !== undefined);
    if (this.typed.has(VERSION_FLAG)) return { kind: 'help', text: `${version}\n` };
    if (help !== undefined) return { kind: 'help', text: help };
    if (this.#named === undefined || !this.#isCommand)
      throw new UsageError('no command given', {
        code: 'unknown_command',
        hints: ['gatectl --help lists the commands'],
      });
    await this.#rejectSynonym();
    const { leaf, words } = this.#named;
    const { args } = this.#last;
    const depth = pathOf(this.#last).length;
    const other = this.typed.otherThan([...Object.values(leaf.options), ...GLOBALS]);
    // A word after an option may belong to its value.
    if (other !== undefined || args.some((word, at) => argv[depth + at] !== word))
      (await import('./usage-error.ts')).rejectMisplaced(other, argv, this.#named, args);
    const commandLine = (
      { command = words, without, withArguments, add }: CommandLineChange,
      quote: (word: string) => string,
    ) =>
      [command, ...[...(withArguments ? args : []), ...this.typed.words(without), ...add].map(quote)].join(
        ' ',
      );
    const input = inputOf(leaf, this.#last, this.typed);
    return { kind: 'run', leaf, input, globals, commandLine, notes: this.typed.notes };
  }

  /** The help of a command, by its name or a synonym. Throws UsageError for unknown words. */
  async help(words: readonly string[]): Promise<string> {
    let program = this.program;
    for (const word of words) {
      await this.#complete(program);
      const child = program.commands[namesBelow(program).indexOf(word)];
      if (child === undefined) return await this.help(await this.#synonymFor(program, word));
      program = child;
    }
    const parsed = await this.parse([...words, '--help']);
    return parsed.kind === 'help' ? parsed.text : '';
  }

  /** Resolves to the requested help, if any; without a command, that of gatectl. */
  async #read(argv: readonly string[]): Promise<string | undefined> {
    try {
      await this.program.parseAsync([...argv], { from: 'user' });
      return undefined;
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      if (error.code === 'commander.help') return this.program.helpInformation();
      if (error.code === 'commander.helpDisplayed') {
        return (await this.#helpOfSynonym()) ?? this.#printed;
      }
      if (error.code === 'commander.unknownCommand') throw await this.#unknownCommand(this.program);
      await this.#rejectSynonym();
      const { similarCommand, usageError } = await import('./usage-error.ts');
      const [word = ''] = this.#last.args;
      if (
        error.code === 'commander.excessArguments' &&
        similarCommand(pathOf(this.#last), word, namesBelow(this.#last)) !== undefined
      )
        throw await this.#unknownCommand(this.#last, word);
      throw usageError(error, this.#named, { argv, args: this.#last.args, options: this.typed.words([]) });
    }
  }

  /**
   * Commander prints help without checking the other words. This returns the help of the command of which the first word is a
   * synonym, and undefined if all words are known. Throws UsageError for an unknown word.
   */
  async #helpOfSynonym(): Promise<string | undefined> {
    const program = this.#last;
    const { args } = program;
    const words = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
    const option = words.find(word => /^-\D/.test(word) && !HELP_FLAG.flags.split(', ').includes(word));
    const [word] = words;
    if (program.commands.length > 0 && word?.startsWith('-') === false) {
      const path = await this.#synonymFor(program, word);
      this.#printed = '';
      return await this.help(path);
    }
    if (option === undefined) return undefined;
    const { unknownOption } = await import('./usage-error.ts');
    throw unknownOption(option, this.#named);
  }

  /** Rejects `gatectl token verify`: a word for a subcommand where the command itself has an argument. */
  async #rejectSynonym(): Promise<void> {
    const program = this.#last;
    const [word = ''] = program.args;
    if (program.commands.length === 0 || !/^[a-z][a-z-]*$/i.test(word)) return;
    const { synonymFor } = await import('./usage-error.ts');
    if (synonymFor(pathOf(program), word, this.#outline) !== undefined)
      throw await this.#unknownCommand(program, word);
  }

  /** The command of which a word is a synonym. Throws UsageError if there is none. */
  async #synonymFor(program: Program, word: string): Promise<readonly string[]> {
    const { synonymFor } = await import('./usage-error.ts');
    const path = synonymFor(pathOf(program), word, this.#outline);
    if (path === undefined) throw await this.#unknownCommand(program, word);
    return path;
  }

  async #unknownCommand(program: Program, word: string | undefined = program.args[0]): Promise<UsageError> {
    const { unknownCommand } = await import('./usage-error.ts');
    const after = [...program.args.slice(1), ...this.typed.words([])];
    return unknownCommand(pathOf(program), word, after, namesBelow(program), this.#outline);
  }

  /** Rejects options such as --help where exit code 0 means a decision. */
  #rejectOtherOutput(isHelp: boolean): void {
    const decisive = Object.values(this.#named?.leaf.options ?? {}).find(
      option => option.decidesExitCode && this.typed.has(option),
    );
    if (decisive === undefined) return;
    const others = [VERSION_FLAG, GLOBAL_OPTIONS.curl].filter(option => this.typed.has(option));
    const [other] = isHelp ? [HELP_FLAG] : others;
    if (other === undefined) return;
    throw cannotCombine(`${flagName(decisive.flags)} and ${flagName(other.flags)}`, 'give one of them');
  }

  #declare(program: Program, declared: Flag, option: Option<unknown>): void {
    program.addOption(declared);
    program.on(`option:${declared.name()}`, (value: string | null | undefined) => {
      this.typed.add(option, value ?? undefined);
    });
  }

  /** Global options are accepted before and after the command; only the help of gatectl lists them. */
  #declareGlobals(program: Program): void {
    for (const option of GLOBALS) this.#declare(program, flag(option).hideHelp(), option);
  }

  async #enter(program: Program): Promise<void> {
    this.#last = program;
    await this.#complete(program);
  }

  #attachAll(parent: Program, commands: readonly Outlined[]): void {
    for (const command of commands) this.#attach(parent, command);
    parent.hook('preSubcommand', (_, chosen) => this.#enter(chosen));
  }

  #attach(parent: Program, command: Outlined): void {
    const program = parent.command(command.name).summary(command.summary).copyInheritedSettings(parent);
    requireValues(program);
    this.#outlines.set(program, command);
  }

  /** Declares the options and arguments of a command when it is first named. */
  async #complete(program: Program): Promise<void> {
    const command = this.#outlines.get(program);
    if (command === undefined) return;
    this.#outlines.delete(program);
    if ('load' in command) this.#declareLeaf(program, await command.load(), command.commands ?? []);
    else this.#declareGroup(program, command);
  }

  #declareGroup(program: Program, { summary, description, commands }: OutlinedGroup): void {
    program
      .description(description ?? sentence(summary))
      .usage('<command> [options]')
      .helpCommand(false);
    this.#declareGlobals(program);
    this.#attachAll(program, commands);
    // Accepts any further words, so that the error is about the unknown command and not about its flags.
    program
      .allowUnknownOption()
      .argument('[command...]')
      .action(async ([word]: string[]) => {
        if (word === undefined && this.typed.has(VERSION_FLAG)) return;
        throw await this.#unknownCommand(program, word);
      });
  }

  #declareLeaf(program: Program, leaf: Leaf, commands: readonly Outlined[]): void {
    this.#named = { leaf, words: ['gatectl', ...pathOf(program)].join(' ') };
    program.description(leaf.description ?? sentence(leaf.summary));
    for (const [, { syntax, summary }] of requiredFirst(leaf)) {
      program.addArgument(new Positional(syntax, summary));
    }
    const words = Object.values(leaf.arguments).map(({ syntax }) => syntax);
    program.usage(['[options]', ...words].join(' '));
    for (const option of Object.values(leaf.options)) this.#declare(program, flag(option), option);
    this.#declareGlobals(program);
    if (words.some(syntax => /^\[email/.test(syntax))) acceptPastes(program);
    if (commands.length > 0) {
      this.#attachAll(program, commands);
      program.helpCommand(false);
    }
    program.addHelpText('after', () => examples(leaf));
    program.action(() => {
      this.#isCommand = true;
    });
  }
}

/** A pasted mail, such as `-------- Forwarded Message --------` and its header: no option has blanks and an address. */
const PASTED = /^-(?![\w-]+=)(?=.*\s).*@/s;

/** Lets a pasted text begin with dashes. */
function acceptPastes(program: Program): void {
  const parse = program.parseOptions.bind(program);
  const takesValue = (word = '') => optionOf(program, word)?.required === true;
  program.parseOptions = argv =>
    // A blank before it is not part of what was pasted, and makes it no option.
    parse(argv.map((word, at) => (PASTED.test(word) && !takesValue(argv[at - 1]) ? ` ${word}` : word)));
}

/** Rejects an option that requires a value and has another option after it, which commander accepts as the value. */
function requireValues(program: Program): void {
  const parse = program.parseOptions.bind(program);
  program.parseOptions = argv => {
    const kept: string[] = [];
    let missing: string | undefined;
    const words = argv.values();
    for (const word of words) {
      kept.push(word);
      if (word === '--' || namesBelow(program).includes(word)) break;
      const option = optionOf(program, word);
      if (option?.required !== true) continue;
      const { value } = words.next();
      const [next = ''] = value?.split('=') ?? [];
      if (HELP_FLAG.flags.split(', ').includes(next) || optionOf(program, next) !== undefined) {
        // What follows an equals sign may be secret.
        const place = next === value ? ` before ${next}` : '';
        missing ??= `error: option '${option.flags}' argument missing${place}`;
        kept.pop();
      }
      if (value !== undefined) kept.push(value);
    }
    // The other options are read first, so that an error respects them, such as `-o json`.
    try {
      return parse([...kept, ...words]);
    } finally {
      if (missing !== undefined) program.error(missing, { code: 'commander.optionMissingArgument' });
    }
  };
}

function optionOf(program: Program, word: string): Flag | undefined {
  return program.options.find(({ short, long }) => short === word || long === word);
}

const GLOBALS: readonly Option<unknown>[] = [...Object.values(GLOBAL_OPTIONS), VERSION_FLAG];

function flag(option: Option<unknown>): Flag {
  const summary =
    option.shownDefault === undefined ? option.summary : `${option.summary} (default ${option.shownDefault})`;
  const declared = new Flag(option.flags, summary);
  return option.group === undefined ? declared : declared.helpGroup(`${option.group}:`);
}

function inputOf(leaf: Leaf, program: Program, typed: TypedOptions): Record<string, unknown> {
  const input = typed.read(leaf.options);
  const all = Object.entries(leaf.arguments);
  const filled = program.args.length < all.length ? requiredFirst(leaf) : all;
  filled.forEach(([key, { syntax, isPasted }], index) => {
    const value = program.processedArgs[index];
    input[key] = isPasted ? typed.repaired(syntax.replace(/\W/g, '').toUpperCase(), value) : value;
  });
  return input;
}

/** The arguments in the order in which too few words fill them: a single word for `[method] <path>` is the path. */
function requiredFirst(leaf: Leaf): [key: string, argument: Leaf['arguments'][string]][] {
  const rank = (syntax: string) => (syntax.startsWith('<') ? 0 : 1);
  return Object.entries(leaf.arguments).sort(([, one], [, other]) => rank(one.syntax) - rank(other.syntax));
}

function examples(leaf: Leaf): string {
  const lines = leaf.examples.flatMap(({ command, does }) => [`  # ${does}`, `  $ ${command}`]);
  return lines.length === 0 ? '' : ['', 'Examples:', ...lines].join('\n');
}

function namesBelow(program: Program): readonly string[] {
  return program.commands.map(child => child.name());
}

/** `['cdn', 'purge']`; none for gatectl itself. */
function pathOf(program: Program): readonly string[] {
  return program.parent === null ? [] : [...pathOf(program.parent), program.name()];
}
